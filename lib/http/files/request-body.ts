import type { IncomingMessage, ServerResponse } from 'node:http';
import { uploadLimits } from '@/lib/catalog/uploads';

/** Asking for the body of a request, and discarding an unwanted one. */

/** The most that is read from a refused client: twice the size of any upload. */
const discardedBytesMax = 2 * uploadLimits.sizeBytesMax;

const sentContinue = new WeakSet<IncomingMessage>();

function asksToContinue(req: IncomingMessage): boolean {
  return req.headers.expect?.toLowerCase() === '100-continue';
}

/** Tells a client that asked first (RFC 9110 section 10.1.1) to send its body. */
export function sendContinue(req: IncomingMessage, res: ServerResponse): void {
  if (!asksToContinue(req)) return;
  sentContinue.add(req);
  res.writeContinue();
}

/**
 * Whether the client was waiting to be asked for its body, and was not. Its next request could then be mistaken for the
 * body, so the connection must be closed.
 */
export function isBodyWithheld(req: IncomingMessage): boolean {
  return asksToContinue(req) && !sentContinue.has(req);
}

/**
 * Reads and discards the rest of a refused request. A connection closed with unread bytes is reset, which loses the
 * response. Limited in bytes here, and in time by the server's requestTimeout.
 */
export function discardBody(req: IncomingMessage): Promise<void> {
  return new Promise((resolve) => {
    if (req.destroyed) return resolve();
    let discarded = 0;
    req.on('data', (chunk: Buffer) => {
      discarded += chunk.length;
      if (discarded > discardedBytesMax) req.destroy();
    });
    req.once('end', resolve);
    req.once('close', resolve);
    // Nothing is left to do for a client that disconnects now; `close` follows.
    req.on('error', () => undefined);
    req.resume();
  });
}
