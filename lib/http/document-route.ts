import { ApiError } from '@/lib/catalog/errors/api-error';
import { testHeaders } from '@/lib/catalog/test-service';
import { type ApiRequest, type ApiResponse, type Bytes, toWebResponse, withHeaders } from './api-message';
import { Documents, type FindDocument, isAmong, preferenceOf } from './documents';
import { type FreeCallDeps, handleFreeCall } from './free-call';

/**
 * A route that serves the documents that `find` knows, revalidated by their ETags. Unknown paths get a 404 in JSON. Our
 * own listener answers most of these requests itself, from memory.
 */
export function documentRoute(app: () => FreeCallDeps, find: FindDocument) {
  const documents = new Documents(find);
  const serve = async ({
    url,
    headers: requestHeaders,
  }: ApiRequest): Promise<ApiResponse<string | Bytes>> => {
    const document = await documents.get({
      path: new URL(url).pathname,
      prefers: preferenceOf(requestHeaders.get('accept')),
    });
    if (!document) throw new ApiError('not_found');
    const { status, content, headers } = document;
    if (status === 200 && isAmong(requestHeaders.get('if-none-match'), headers.ETag)) {
      return { status: 304, headers, body: null };
    }
    return { status, headers, body: content };
  };
  return async (request: Request) =>
    toWebResponse(
      withHeaders(await handleFreeCall(app(), request, () => serve(request)), testHeaders(app().settings)),
    );
}
