import type { Duplex } from 'node:stream';
import { ApiError } from '@/lib/http/api-error';
import { errorBody } from '@/lib/http/error-body';
import { newId } from '@/lib/ids';

/** Answers what is not even HTTP, in the error body of everything else: too large headers with 431, the rest with 400. */
export function answerClientError(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const isTooLarge = error.code === 'HPE_HEADER_OVERFLOW';
  const status = isTooLarge ? '431 Request Header Fields Too Large' : '400 Bad Request';
  const rule = isTooLarge ? 'must be smaller' : 'must be well-formed HTTP';
  const requestId = newId('req');
  const refusal = new ApiError('invalid_input', { issues: [{ path: 'headers', rule }] });
  const body = JSON.stringify(errorBody(refusal, requestId));
  socket.end(
    `HTTP/1.1 ${status}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n` +
      `Request-Id: ${requestId}\r\nConnection: close\r\n\r\n${body}`,
  );
}
