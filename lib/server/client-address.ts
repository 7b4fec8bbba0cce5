import type { IncomingMessage } from 'node:http';
import type { App } from '@/lib/app';

/** The address that our outermost proxy saw, or that of the connection when there is no proxy. */
export function clientAddress(
  app: App,
  { headers, socket }: Pick<IncomingMessage, 'headers' | 'socket'>,
): string {
  const { TRUSTED_PROXIES } = app.settings;
  const forwarded = [headers['x-forwarded-for'] ?? []].flat().join(',').split(',');
  const seen = TRUSTED_PROXIES > 0 ? forwarded.at(-TRUSTED_PROXIES)?.trim() : undefined;
  return seen || (socket.remoteAddress ?? '');
}
