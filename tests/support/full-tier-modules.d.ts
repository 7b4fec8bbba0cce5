// What the tests use of the packages in tests/package.json. Types are checked where these are not installed.

declare module '@agentcash/discovery' {
  interface Warning {
    readonly code: string;
  }
  interface Ok<T> {
    _unsafeUnwrap(): T;
  }
  /** A document that was read. */
  interface Source {
    readonly routes: unknown;
  }
  interface Unreadable {
    readonly parseFailure: unknown;
  }
  interface Overview {
    readonly routes: readonly {
      readonly path: string;
      readonly method: string;
      readonly authMode?: string;
    }[];
  }
  interface Advice {
    readonly method: string;
    readonly wwwAuthenticate?: string | null;
    readonly paymentRequiredBody?: unknown;
    readonly paymentOptions?: readonly { readonly network: string }[];
  }
  type Checked = { readonly found: false } | { readonly found: true; readonly advisories: readonly Advice[] };

  export function getOpenAPI(origin: string): Promise<Ok<Source | Unreadable | null>>;
  export function isOpenApiParseFailure(value: Source | Unreadable | null): value is Unreadable;
  export function checkL2ForOpenAPI(source: Source): Overview;
  export function checkL4ForOpenAPI(source: Source): object | null;
  export function checkEndpointSchema(options: { url: string; probe: boolean }): Promise<Checked>;
  export function getWarningsForOpenAPI(source: Source): Warning[];
  export function getWarningsForL2(overview: Overview): Warning[];
  export function getWarningsForL3(advice: Advice | null): Warning[];
  export function getWarningsForL4(guidance: object | null): Warning[];
  export function getWarningsForFavicon(origin: string): Promise<Ok<Warning[]>>;
  export function getWarningsForMppHeader(header: string | null | undefined): Warning[];
  export function getWarningsFor402Body(body: unknown): Warning[];
}

declare module '@duffel/api' {
  interface Offer {
    readonly id: string;
    readonly total_amount: string;
  }
  interface Listed {
    readonly data: readonly Offer[];
    readonly meta?: { readonly after: string | null };
  }
  export class Duffel {
    constructor(options: { token: string; basePath: string });
    readonly offerRequests: {
      create(journey: object): Promise<{ data: { readonly id: string; readonly offers?: readonly Offer[] } }>;
    };
    readonly offers: {
      get(id: string, options?: { return_available_services: boolean }): Promise<{ data: Offer }>;
      list(page: object): Promise<Listed>;
      listWithGenerator(page: { offer_request_id: string }): AsyncGenerator<{ data: Offer }>;
    };
  }
}

declare module '@e965/xlsx' {
  interface Sheet {
    readonly [cell: string]: { readonly f?: string };
  }
  export function read(
    text: string,
    options: { type: 'string'; raw: boolean },
  ): { readonly SheetNames: readonly string[]; readonly Sheets: Readonly<Record<string, Sheet>> };
  export const utils: {
    sheet_to_json<Row>(sheet: Sheet, options: { header: 1; blankrows: boolean }): Row[];
  };
}

declare module '@mendable/firecrawl-js' {
  export default class Firecrawl {
    constructor(options: { apiKey: string; apiUrl: string; maxRetries: number });
    scrape(url: string, options?: object): Promise<{ readonly markdown?: string }>;
    search(query: string, options: object): Promise<{ readonly web?: readonly object[] }>;
  }
}

declare module '@stoplight/spectral-core' {
  interface Found {
    readonly code: string | number;
    readonly path: readonly (string | number)[];
  }
  const spectral: {
    readonly Spectral: new () => {
      setRuleset(ruleset: { extends: [unknown, 'all'][] }): void;
      run(document: object): Promise<Found[]>;
    };
  };
  export default spectral;
}

declare module '@stoplight/spectral-rulesets' {
  const rulesets: { readonly oas: object };
  export default rulesets;
}

declare module '@x402/next' {
  import type { x402ResourceServer as ResourceServer, RouteConfig } from '@x402/core/server';
  import type { NextRequest, NextResponse } from 'next/server';

  export type x402ResourceServer = ResourceServer;
  export const x402ResourceServer: typeof ResourceServer;
  export function withX402(
    handler: (request: NextRequest) => Promise<NextResponse>,
    route: RouteConfig,
    server: x402ResourceServer,
  ): (request: NextRequest) => Promise<NextResponse>;
}

declare module 'dockerfile-utils' {
  export function validate(dockerfile: string): unknown[];
}

declare module 'exa-js' {
  interface Found {
    readonly results: readonly object[];
  }
  export default class Exa {
    constructor(key: string, baseUrl: string);
    search(query: string, options: object): Promise<Found>;
    getContents(urls: readonly string[], options: object): Promise<Found>;
    findSimilar(url: string, options: object): Promise<Found>;
    answer(
      query: string,
      options: object,
    ): Promise<{ readonly answer: string | object; readonly citations: readonly object[] }>;
  }
}

declare module 'fontkit' {
  export function create(
    font: Buffer,
  ): { readonly characterSet: readonly number[] } | { readonly fonts: object };
}

declare module 'http-cache-semantics' {
  import type { IncomingHttpHeaders } from 'node:http';

  interface Request {
    readonly url: string;
    readonly method: string;
    readonly headers: IncomingHttpHeaders;
  }
  interface Response {
    readonly status: number;
    readonly headers: IncomingHttpHeaders;
  }
  export default class CachePolicy {
    constructor(request: Request, response: Response, options: { shared: boolean });
    storable(): boolean;
    satisfiesWithoutRevalidation(request: Request): boolean;
  }
}

declare module 'openapi-examples-validator' {
  export function validateExamples(
    document: object,
  ): Promise<{ readonly errors: unknown[]; readonly statistics: { readonly schemasWithExamples: number } }>;
}

declare module 'scslre' {
  export function analyse(expression: RegExp): { readonly reports: readonly unknown[] };
}

declare module 's3rver' {
  export default class S3rver {
    constructor(options: {
      address: string;
      port: number;
      silent: boolean;
      directory: string;
      configureBuckets: readonly { name: string; configs: readonly string[] }[];
    });
    run(): Promise<{ readonly port: number }>;
    close(): Promise<void>;
  }
}
