import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { ApiError } from '@/lib/catalog/errors/api-error';
import { errorBody } from '@/lib/catalog/errors/error-body';
import { testHeaders } from '@/lib/catalog/test-service';
import apiHeaders from '@/lib/http/api-headers.json' with { type: 'json' };
import { newId } from '@/lib/platform/ids';
import type { Platform } from '@/lib/platform/platform';

const codes: Readonly<Record<string, 'headers_too_large' | 'request_timeout'>> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
};

/** Answers malformed HTTP with our error body, and closes the connection. */
export function handleClientError(
  { settings }: Pick<Platform, 'settings'>,
  error: NodeJS.ErrnoException,
  socket: Duplex,
): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const refusal = new ApiError(codes[error.code ?? ''] ?? 'malformed_request');
  const requestId = newId('req');
  const body = JSON.stringify(errorBody(refusal, requestId, settings.PUBLIC_URL));
  const extra = Object.entries({ ...apiHeaders, ...testHeaders(settings) })
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('');
  socket.end(
    `HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status]}\r\nContent-Type: application/json\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nRequest-Id: ${requestId}\r\n${extra}Connection: close\r\n\r\n${body}`,
  );
}
