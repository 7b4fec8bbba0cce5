/** The part of the TypeScript client that is the same for all calls, up to the methods of its class. */
export function typescriptRuntime(publicUrl: string): string {
  return `interface Route {
  readonly method: string;
  readonly paths: { readonly x402?: string; readonly mpp?: string; readonly account?: string; readonly free?: string };
  readonly places: Readonly<Record<string, string>>;
  readonly takesBody: boolean;
}

export interface ClientOptions {
  /** Origin of the service. */
  readonly baseUrl?: string;
  /** A fetch that pays, from an official client. Not needed for free calls and accounts. */
  readonly fetch?: typeof fetch;
  /** The protocol of that fetch; x402 unless set. */
  readonly rail?: 'x402' | 'mpp';
  /** The token of a prepaid account, which then pays instead. */
  readonly accountToken?: string;
  /** How long a lost response is asked for again, in milliseconds; 60 seconds unless set. */
  readonly patienceMs?: number;
}

export interface CallOptions {
  /**
   * Identifies the call. Give one that you have stored to get the response of a call after a crash: the same call with the
   * same key is charged once. A random one unless set.
   */
  readonly idempotencyKey?: string;
}

export interface Failure {
  readonly code: string;
  readonly message: string;
  /** What happened to the money. */
  readonly payment: string;
  /** What to do next. */
  readonly retry: string;
  readonly issues?: ReadonlyArray<{ readonly path: string; readonly rule: string }>;
  readonly paidCallId?: string;
}

/** A call that failed. After \`payment\` \`unknown\` or \`in_flight\`, make the same call with \`idempotencyKey\` again. */
export class TuppenceError extends Error {
  readonly failure: Failure;
  /** Undefined if no response came back. */
  readonly status: number | undefined;
  readonly idempotencyKey: string;

  constructor(failure: Failure, status: number | undefined, idempotencyKey: string) {
    super(\`\${failure.code}: \${failure.message}\`);
    this.name = 'TuppenceError';
    this.failure = failure;
    this.status = status;
    this.idempotencyKey = idempotencyKey;
  }
}

const lost: Failure = {
  code: 'outcome_unknown',
  message: 'No response came back. Make the same call again with the same idempotencyKey; it is not charged twice.',
  payment: 'unknown',
  retry: 'same_request',
};

const lostForFree: Failure = { ...lost, message: 'No response came back.', payment: 'none' };

/** Milliseconds. Longer than the longest call. */
const attemptMs = 90_000;

export class Tuppence {
  readonly #options: ClientOptions;

  constructor(options: ClientOptions = {}) {
    this.#options = options;
  }

  /** Makes a call until its outcome is known: a lost response is asked for again under the same key. */
  async #call<Output>(name: keyof typeof routes, input: object, options: CallOptions = {}): Promise<Output> {
    const { idempotencyKey = crypto.randomUUID() } = options;
    const { patienceMs = 60_000, fetch: send = fetch } = this.#options;
    const route: Route = routes[name];
    const [url, init] = this.#request(route, { ...input }, idempotencyKey);
    const isPaid = route.paths.free === undefined;
    // A free call that changes something is not made twice.
    const isRepeatable = isPaid || route.method === 'GET' || route.takesBody;
    const endMs = Date.now() + patienceMs;
    for (;;) {
      let error: TuppenceError;
      let waitMs = 1_000;
      try {
        const response = await send(url, { ...init, signal: AbortSignal.timeout(attemptMs) });
        const body: unknown = JSON.parse(await response.text());
        // The service checks its responses against the schemas that these types are made from.
        if (response.ok) return body as Output;
        error = new TuppenceError(failureIn(body), response.status, idempotencyKey);
        waitMs = 1_000 * Number(response.headers.get('Retry-After') ?? 1);
      } catch (cause) {
        if (!isLost(cause)) throw cause;
        error = new TuppenceError(isPaid ? lost : lostForFree, undefined, idempotencyKey);
      }
      if (!isRepeatable || error.failure.retry !== 'same_request' || Date.now() + waitMs > endMs) throw error;
      await new Promise((resolve) => setTimeout(resolve, waitMs));
    }
  }

  #request(route: Route, input: Record<string, unknown>, idempotencyKey: string): [string, RequestInit] {
    const { baseUrl = ${JSON.stringify(publicUrl)}, rail = 'x402', accountToken } = this.#options;
    const template = route.paths.free ?? route.paths[accountToken === undefined ? rail : 'account'];
    if (template === undefined) throw new Error('This call cannot be paid in this way.');
    const url = new URL(template.replaceAll(/\\{(\\w+)\\}/g, (_, field: string) => encodeURIComponent(String(input[field]))), baseUrl);
    const body: Record<string, unknown> = {};
    let token = accountToken;
    for (const [field, value] of Object.entries(input)) {
      const place = route.places[field];
      if (place === 'query' && value !== undefined) url.searchParams.set(field, String(value));
      else if (place === 'token') token = String(value);
      else if (place !== 'path') body[field] = value;
    }
    const headers = new Headers({ Accept: 'application/json' });
    if (token !== undefined) headers.set('Authorization', \`Bearer \${token}\`);
    if (route.paths.free === undefined) headers.set('Idempotency-Key', idempotencyKey);
    if (route.takesBody) headers.set('Content-Type', 'application/json');
    return [url.href, { method: route.method, headers, body: route.takesBody ? JSON.stringify(body) : undefined }];
  }
`;
}

/** The helpers after the class. */
export const typescriptEnd = `
/**
 * Whether no whole response came back: fetch throws TypeError for a broken connection and DOMException after a timeout, and
 * JSON.parse throws SyntaxError for half a body.
 */
function isLost(cause: unknown): boolean {
  return cause instanceof TypeError || cause instanceof SyntaxError || cause instanceof DOMException;
}

/** The failure in an error body. In a 402 of a payment protocol, nothing was charged, and its reason is a text. */
function failureIn(body: unknown): Failure {
  const { error, detail } = body as { error?: Failure | string; detail?: string };
  if (typeof error === 'object') return error;
  const message = error ?? detail ?? 'The service asks for a payment.';
  return { code: 'payment_required', message, payment: 'none', retry: 'pay' };
}
`;
