import type { IncomingMessage, ServerResponse } from 'node:http';
import { whenOver } from '@/lib/http/request-over';
import type { Platform } from '@/lib/platform/platform';

/** How many checks are made within the time limit. */
const checks = 10;

/**
 * Closes the connection of a client that reads nothing of its response for this long. Data that the client sends
 * meanwhile does not count, which rules out the socket's own timeout.
 */
export function endWhenStalled(
  app: Pick<Platform, 'clock'>,
  req: IncomingMessage,
  res: ServerResponse,
  afterMs: number,
): void {
  const { socket } = req;
  let written = socket.bytesWritten;
  let readAt = app.clock.monotonic();
  let cancel = () => {};
  const check = () => {
    const now = app.clock.monotonic();
    if (socket.bytesWritten !== written) readAt = now;
    written = socket.bytesWritten;
    if (now - readAt >= afterMs) socket.destroy();
    else cancel = app.clock.after(afterMs / checks, check);
  };
  check();
  whenOver(req, res, () => cancel());
}
