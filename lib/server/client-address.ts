import type { IncomingMessage } from 'node:http';
import type { App } from '@/lib/app';

/** The address that the outermost proxy of ours saw, or that of the connection when there is none. */
export function clientAddress(
  app: App,
  { headers, socket }: Pick<IncomingMessage, 'headers' | 'socket'>,
): string {
  const { TRUSTED_PROXIES } = app.settings;
  const forwarded = [headers['x-forwarded-for'] ?? []].flat().join(',').split(',');
  const seen = TRUSTED_PROXIES > 0 ? forwarded.at(-TRUSTED_PROXIES)?.trim() : undefined;
  return seen || (socket.remoteAddress ?? '');
}
