import { ApiError } from './api-error';
import { requestIdOf, respondError, respondJson } from './respond';

type Params = Record<string, string | string[] | undefined>;

/** A route that costs nothing: the same errors, the same headers, no payment. */
export function freeRoute(
  work: (request: Request, params: Params) => Promise<{ body: unknown; headers?: Record<string, string> }>,
) {
  return async (request: Request, context: { params: Promise<Params | undefined> }): Promise<Response> => {
    const requestId = requestIdOf(request);
    let response: Response;
    try {
      const { body, headers } = await work(request, (await context.params) ?? {});
      response = respondJson(200, body, headers);
    } catch (error) {
      response = respondError(error, requestId);
    }
    response.headers.set('Request-Id', requestId);
    return response;
  };
}

/** The answer for addresses under /v1 at which there is nothing. */
export const notFoundRoute = freeRoute(async () => {
  throw new ApiError('not_found');
});
