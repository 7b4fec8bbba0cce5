import { currentApp } from '@/lib/app/current';
import { allowHeader, respondMethodNotAllowed, respondNotFound } from '@/lib/http/method-not-allowed';
import { requestIdOf } from '@/lib/http/respond';

type Params = Record<string, string | string[] | undefined>;
type Handler = (request: Request, context: { params: Promise<Params | undefined> }) => Promise<Response>;

const allMethods = ['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT'] as const;
type Method = (typeof allMethods)[number];

/**
 * What a route file exports: its handlers, and for every other method an answer that says which ones there are. Left to
 * itself the framework answers those with an empty 405. HEAD of a route with GET stays the framework's, which calls GET
 * for it and leaves out the body: no way to answer what is paid for.
 * @param options.hidden methods for which there is nothing here (404), where others would be told what to use instead (405)
 * @param options.isPriced whether GET is paid for, so that HEAD is refused
 */
export function methods(
  handlers: Partial<Record<Method, Handler>>,
  { hidden = [], isPriced = false }: { hidden?: readonly Method[]; isPriced?: boolean } = {},
): Partial<Record<Method, Handler>> {
  const isHeadTaken = handlers.GET !== undefined && !isPriced;
  const allow = allowHeader([...Object.keys(handlers), ...(isHeadTaken ? ['HEAD'] : [])]);
  const refuse: Handler = async (request) => {
    const status = hidden.some((method) => method === request.method) ? 404 : 405;
    if (isPersonLooking(request)) return explain(request, allow, status);
    return status === 404
      ? respondNotFound(currentApp(), request)
      : respondMethodNotAllowed(currentApp(), request, allow);
  };
  const answerOptions: Handler = async (request) =>
    new Response(null, { status: 204, headers: { Allow: allow, 'Request-Id': requestIdOf(request) } });
  const missing = allMethods
    .filter((method) => handlers[method] === undefined && !(method === 'HEAD' && isHeadTaken))
    .map((method) => [method, method === 'OPTIONS' ? answerOptions : refuse]);
  return { ...Object.fromEntries(missing), ...handlers };
}

/** A browser that was given the address of a call by hand. */
function isPersonLooking({ method, headers }: Request): boolean {
  return method === 'GET' && (headers.get('accept') ?? '').includes('text/html');
}

/** Loaded when it is needed: routes of the API render nothing else. */
async function explain(request: Request, allow: string, status: 404 | 405): Promise<Response> {
  const { explainMethods } = await import('@/app/_site/explain-methods');
  return explainMethods(request, allow, status);
}
