import { ApiError } from './api-error';
import { requestIdOf, respondError, respondJson } from './respond';

type Params = Record<string, string | string[] | undefined>;

/** JSON that is answered with 200; or a whole answer, where there is more to say than that. */
type Answer = { body: unknown; headers?: Record<string, string> } | Response;

/** A route that costs nothing: the same errors, the same headers, no payment. */
export function freeRoute(work: (request: Request, params: Params) => Promise<Answer>) {
  return async (request: Request, context: { params: Promise<Params | undefined> }): Promise<Response> => {
    const requestId = requestIdOf(request);
    let response: Response;
    try {
      const answer = await work(request, (await context.params) ?? {});
      response = answer instanceof Response ? answer : respondJson(200, answer.body, answer.headers);
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
