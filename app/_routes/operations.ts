import type { OtherRequest } from '@/lib/app';
import { currentApp } from '@/lib/app/current';
import type { FreeOperation } from '@/lib/catalog/free-operation';
import type { Operation, RailName } from '@/lib/catalog/operation';
import { type RouteHandler, routeHandler } from './route-handler';

/** The route of a paid operation on one of its rails. */
export function paid(rail: RailName, operation: Operation): RouteHandler {
  return routeHandler((request, params) => currentApp().handle(operation.id, rail, request, params));
}

/** The route of a free operation. */
export function free(operation: FreeOperation): RouteHandler {
  return routeHandler((request, params) => currentApp().handleFree(operation.id, request, params));
}

/** The route of the remote MCP server. */
export function mcp(): RouteHandler {
  return routeHandler((request) => currentApp().handleMcp(request));
}

/** The route of a request that is not for an operation of the catalog. */
export function other(kind: OtherRequest): RouteHandler {
  return routeHandler((request) => currentApp().handleOther(kind, request));
}
