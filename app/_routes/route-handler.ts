import { currentApp } from '@/lib/app/current';
import { testHeaders } from '@/lib/catalog/test-service';
import { type AnswerRequest, type PathParams, toWebResponse, withHeaders } from '@/lib/http/api-message';

/** The framework passes no parameters to routes without dynamic segments. */
interface RouteContext {
  readonly params: Promise<PathParams | undefined>;
}

/** What the framework calls. */
export type WebHandler = (request: Request, context: RouteContext) => Promise<Response>;

/** A route of the API: a function for the framework, which carries another one for our listener. */
export interface RouteHandler extends WebHandler {
  /** Answers without the platform's `Request` and `Response`, which take longer than the rest of a free call. */
  readonly answer: AnswerRequest;
}

export function routeHandler(answer: AnswerRequest): RouteHandler {
  const handle = async (request: Request, { params }: RouteContext) =>
    toWebResponse(
      withHeaders(await answer(request, (await params) ?? {}), testHeaders(currentApp().settings)),
    );
  return Object.assign(handle, { answer });
}
