import type { AnswerRequest, ApiRequest, ApiResponse, PathParams } from '@/lib/http/api-message';

/** The exports of a route file: handlers by method, and settings for Next. */
export type RouteModule = Readonly<Record<string, unknown>>;

/** Every route file of the API by its path, such as `/v1/uploads/[id]`. */
export type RouteTable = Readonly<Record<string, RouteModule>>;

interface Route {
  readonly pattern: RegExp;
  readonly names: readonly string[];
  readonly module: RouteModule;
}

/** Answers a request to a route whose path parameters are known. */
export type AnswerApi = (request: ApiRequest) => Promise<ApiResponse>;

/** Finds the route file for a request, as Next would. */
export class Routes {
  readonly #exact: ReadonlyMap<string, RouteModule>;
  readonly #dynamic: readonly Route[];

  constructor(table: RouteTable) {
    const entries = Object.entries(table);
    this.#exact = new Map(entries.filter(([path]) => !path.includes('[')));
    this.#dynamic = entries
      .filter(([path]) => path.includes('['))
      .map(([path, module]) => dynamicRoute(path, module));
  }

  /** @returns null for a path or method that is left to Next */
  find(method: string, path: string): AnswerApi | null {
    const exact = this.#exact.get(path);
    if (exact) return bind(exact, method, {});
    for (const { pattern, names, module } of this.#dynamic) {
      const match = pattern.exec(path);
      if (match)
        return bind(
          module,
          method,
          Object.fromEntries(names.map((name, at) => [name, decodeURIComponent(match[at + 1] ?? '')])),
        );
    }
    return null;
  }
}

function dynamicRoute(path: string, module: RouteModule): Route {
  const names = [...path.matchAll(/\[(\w+)\]/g)].map(([, name = '']) => name);
  return { pattern: new RegExp(`^${path.replaceAll(/\[\w+\]/g, '([^/]+)')}$`), names, module };
}

function bind(module: RouteModule, method: string, params: PathParams) {
  // GET also answers HEAD. The body is dropped when it is sent.
  const handler = module[method] ?? (method === 'HEAD' ? module.GET : undefined);
  if (typeof handler !== 'function' || !('answer' in handler)) return null;
  // Route files export what `routeHandler` (app/_routes) makes, under the names of methods.
  const answer = handler.answer as AnswerRequest;
  return (request: ApiRequest) => answer(request, params);
}
