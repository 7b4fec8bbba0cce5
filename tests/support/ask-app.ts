import type { App } from '@/lib/app';
import { findPath } from '@/lib/catalog/endpoints';
import type { ApiResponse } from '@/lib/http/api-message';
import { answerPath } from '@/lib/http/server/answer-path';

/** Sends a request to an app in this process, as a host does. */
export function askApp(app: App, request: Request): Promise<ApiResponse> {
  const { pathname } = new URL(request.url);
  const found = findPath(pathname);
  if (!found) throw new Error(`the API has no ${pathname}`);
  return answerPath(app, found, request, pathname, () => {
    throw new Error('no test in this process opens a call in a browser');
  });
}
