import type { z } from 'zod';
import type { FreeTool } from '@/lib/catalog/free-operation';
import type { Body, Params } from '@/lib/catalog/operation';
import { ApiError, isApiError } from '@/lib/errors/api-error';
import { readBytes, readInput } from './body';
import { countCall, limitsOf, noteCall } from './call-limits';
import { clientAddressOf, isBehindOurListener } from './client-address';
import type { LimitVerdict } from './rate-limit';
import { requestIdOf, respondError, respondJson } from './respond';

type PathParams = Record<string, string | string[] | undefined>;

/** JSON that is answered with 200; or a whole answer, where there is more to say than that. */
type Answer = { body: unknown; headers?: Record<string, string> } | Response;

/** A route that costs nothing: the same errors, the same headers, no payment. */
export function freeRoute(work: (request: Request, params: PathParams) => Promise<Answer>) {
  return async (
    request: Request,
    context: { params: Promise<PathParams | undefined> },
  ): Promise<Response> => {
    const requestId = requestIdOf(request);
    let response: Response;
    const { headers, refusal, note } = await limitRequest(request);
    try {
      if (refusal) throw refusal;
      const answer = await work(request, (await context.params) ?? {});
      response = answer instanceof Response ? answer : respondJson(200, answer.body, answer.headers);
    } catch (error) {
      response = respondError(error, requestId);
    }
    if (!refusal) await note(response.status);
    response.headers.set('Request-Id', requestId);
    for (const [name, value] of Object.entries(headers)) response.headers.set(name, value);
    return response;
  };
}

/** Limits of a call that did not come through our listener, which counts before the framework is reached. */
async function limitRequest(
  request: Request,
): Promise<LimitVerdict & { note(status: number): Promise<void> }> {
  const nothing = { headers: {}, refusal: null, note: async () => undefined };
  if (isBehindOurListener()) return nothing;
  const call = {
    method: request.method,
    path: new URL(request.url).pathname,
    address: clientAddressOf(request),
    header: (name: string) => request.headers.get(name),
  };
  const limits = limitsOf(call);
  if (!limits) return nothing;
  return {
    ...(await countCall(call, limits)),
    note: (status) => noteCall(call, limits, { status, bytes: 0 }),
  };
}

/** A free route with a body: read by the operation's schemas, refused as a paid one would be. */
export function freeToolRoute<P extends Params, B extends Body, O extends z.ZodType>(
  operation: FreeTool<P, B, O>,
  work: (input: z.output<P> & z.output<B>) => z.output<O>,
) {
  return freeRoute(async (request, params) => {
    const bytes = await readBytes(request);
    try {
      return { body: work(readInput(operation, bytes, params)) };
    } catch (error) {
      if (!isApiError(error) || error.code !== 'invalid_input') throw error;
      const { reason, issues } = error;
      throw new ApiError('invalid_input', { reason, issues, example: operation.minimalBody });
    }
  });
}

/** The answer for addresses under /v1 at which there is nothing. */
export const notFoundRoute = freeRoute(async () => {
  throw new ApiError('not_found');
});
