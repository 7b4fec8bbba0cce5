/** Answers a request, as a route file of the framework exports it. */
type RouteHandler = (
  request: Request,
  context: { params: Promise<Record<string, string>> },
) => Promise<Response>;

/** What a route file exports: its handlers by method, beside settings for the framework. */
export type RouteModule = Readonly<Record<string, unknown>>;

/** Every route file of the API by its path, such as `/v1/uploads/[id]`. */
export type RouteTable = Readonly<Record<string, RouteModule>>;

interface Route {
  readonly pattern: RegExp;
  readonly names: readonly string[];
  readonly module: RouteModule;
}

/** Finds what answers a request among the route files, as the framework would. */
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

  /** @returns null for a path or a method that is left to the framework */
  find(method: string, path: string): ((request: Request) => Promise<Response>) | null {
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

function bind(module: RouteModule, method: string, params: Record<string, string>) {
  // HEAD of a route with GET is answered by GET; its body is left out when it is sent.
  const handler = module[method] ?? (method === 'HEAD' ? module.GET : undefined);
  if (typeof handler !== 'function') return null;
  // Route files export handlers under the names of methods.
  return (request: Request) => (handler as RouteHandler)(request, { params: Promise.resolve(params) });
}
