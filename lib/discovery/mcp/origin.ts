import type { ApiRequest } from '@/lib/http/api-message';
import type { McpApp } from './context';

/**
 * Whether the page that sent a request may use the server. Any page may, as with the rest of the API, because no cookie
 * or other credential of the browser is ever accepted. Two kinds of pages are refused: those on the files origin, which
 * strangers wrote, and those that reach us under a host name of their own, which was pointed at a server in the
 * reader's network (DNS rebinding).
 */
export function isAllowedOrigin(
  { settings }: Pick<McpApp, 'settings'>,
  { headers }: Pick<ApiRequest, 'headers'>,
) {
  const origin = headers.get('origin');
  if (origin === null) return true;
  const ownHost = new URL(settings.PUBLIC_URL).host;
  const isForUs = headers.get('host') === ownHost;
  // A sandboxed page says nothing about where it is from.
  if (origin === 'null') return isForUs;
  if (!URL.canParse(origin)) return false;
  const { host } = new URL(origin);
  if (host === new URL(settings.FILES_URL).host) return false;
  return isForUs || host !== headers.get('host');
}
