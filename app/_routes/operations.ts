import type { OtherRequest } from '@/lib/app';
import { currentApp } from '@/lib/app/current';
import type { FreeOperation } from '@/lib/catalog/free-operation';
import type { Operation, RailName } from '@/lib/catalog/operation';

/** The framework passes no parameters to routes without dynamic segments. */
interface RouteContext {
  readonly params: Promise<Record<string, string | string[] | undefined> | undefined>;
}

export type RouteHandler = (request: Request, context: RouteContext) => Promise<Response>;

/** The route of a paid operation on one of its rails. */
export function paid(rail: RailName, operation: Operation): RouteHandler {
  return async (request, { params }) =>
    currentApp().handle(operation.id, rail, request, (await params) ?? {});
}

/** The route of a free operation. */
export function free(operation: FreeOperation): RouteHandler {
  return async (request, { params }) => currentApp().handleFree(operation.id, request, (await params) ?? {});
}

/** The route of what is no operation of the catalog. */
export function other(kind: OtherRequest): RouteHandler {
  return (request) => currentApp().handleOther(kind, request);
}
