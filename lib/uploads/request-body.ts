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
 * Lets a client that is still sending find its answer: what arrives is read and dropped, because a connection closed
 * under unread bytes is reset and takes the answer with it. Bounded in bytes here, in time by the server's
 * requestTimeout. Call it before the answer is written.
 */
export function discardBody(req: IncomingMessage, res: ServerResponse): void {
  if (req.complete) return;
  if (asksToContinue(req) && !invited.has(req)) {
    // The body may or may not come: the next request on this connection could not be told from it.
    res.setHeader('Connection', 'close');
    return;
  }
  let discarded = 0;
  req.on('data', (chunk: Buffer) => {
    discarded += chunk.length;
    if (discarded > discardedBytesMax) req.destroy();
  });
  // A client that leaves now has nothing more to hear.
  req.on('error', () => undefined);
  req.resume();
}
