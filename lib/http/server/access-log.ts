import type { IncomingMessage } from 'node:http';
import { findPath } from '@/lib/catalog/endpoints';
import { documents } from '@/lib/discovery/documents';
import type { WatchRequest } from '@/lib/http/http-app';
import { whenOver } from '@/lib/http/request-over';
import type { Platform } from '@/lib/platform/platform';

/** Pages and their files, whose paths may go on with an ID, a token or a person's words. */
const pages = new Set([
  ...['', '_next', 'abuse', 'adapter', 'contact', 'deposit', 'docs', 'f', 'operator', 'privacy', 'receipts'],
  ...['report', 'site', 'terms', 'try'],
]);

/**
 * Writes an entry for each request with `ACCESS_LOG=true`: what was asked for, what it got and how long it took. Never an address, a
 * header, a query or a path as it was sent.
 */
export function openAccessLog({ settings, log, clock }: Platform): WatchRequest | null {
  if (!settings.ACCESS_LOG) return null;
  const filesHost = new URL(settings.FILES_URL).host;
  return (req, res, requestId) => {
    const beganMs = clock.monotonic();
    const sentBefore = req.socket.bytesWritten;
    whenOver(req, res, () => {
      const paidCallId = res.getHeader('Paid-Call-Id');
      log.info(
        {
          // Files have an ID of their own.
          requestId: res.getHeader('Request-Id') ?? requestId,
          method: req.method,
          route: req.headers.host === filesHost ? '(file)' : routeOf(req),
          status: res.headersSent ? res.statusCode : null,
          ms: Math.round(clock.monotonic() - beganMs),
          bytes: req.socket.bytesWritten - sentBefore,
          ...(paidCallId === undefined ? {} : { paidCallId }),
          // Its client left, or the connection broke.
          ...(res.writableFinished ? {} : { isCutOff: true }),
        },
        'a request',
      );
    });
  };
}

/** The path with parameters in braces, or as far as it is ours. */
function routeOf({ url = '' }: IncomingMessage): string {
  const path = url.split('?', 1)[0] ?? '';
  const found = findPath(path);
  if (found) return found.template;
  if (Object.hasOwn(documents, path)) return path;
  const [first = '', ...more] = path.split('/').slice(1);
  if (!pages.has(first)) return '(none)';
  return more.length === 0 ? `/${first}` : `/${first}/*`;
}
