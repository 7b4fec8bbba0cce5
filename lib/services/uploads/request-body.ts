import type { IncomingMessage, ServerResponse } from 'node:http';
import { uploadLimits } from '@/lib/catalog/uploads';

/** When the body of a request is asked for, and what becomes of one that is not wanted. */

/** More than this is not read from a client that was refused: twice what any upload may send. */
const discardedBytesMax = 2 * uploadLimits.sizeBytesMax;

const invited = new WeakSet<IncomingMessage>();

function asksToContinue(req: IncomingMessage): boolean {
  return req.headers.expect?.toLowerCase() === '100-continue';
}

/** Tells a client that asked first to send its body (RFC 9110 section 10.1.1); the others send it anyway. */
export function inviteBody(req: IncomingMessage, res: ServerResponse): void {
  if (!asksToContinue(req)) return;
  invited.add(req);
  res.writeContinue();
}

/**
 * Whether the client was to send its body only when invited, and was not. It may send it or not, so that the next
 * request on this connection could not be told from it: the connection has to be closed.
 */
export function isBodyWithheld(req: IncomingMessage): boolean {
  return asksToContinue(req) && !invited.has(req);
}

/**
 * Reads and drops what a refused client is still sending, and resolves when that has ended. A connection closed under
 * unread bytes is reset, and the reset takes the answer with it. Bounded in bytes here, by ending the connection, and in
 * time by the server's requestTimeout.
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
    // A client that leaves now has nothing more to hear; `close` follows.
    req.on('error', () => undefined);
    req.resume();
  });
}
