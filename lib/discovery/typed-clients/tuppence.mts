// {{about}}

// {{types}}

/** Where the calls are and where their arguments go. */
const routes = {
  // {{routes}}
} as const satisfies Readonly<Record<string, Route>>;

interface Route {
  readonly method: string;
  readonly paths: {
    readonly x402?: string;
    readonly mpp?: string;
    readonly account?: string;
    readonly free?: string;
  };
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
  /**
   * A secret that stays the same, such as the wallet's private key or the account token. Idempotency keys then follow from
   * the call and its input, so a program that runs again after a crash does not pay again. The secret itself is not sent.
   */
  readonly keySecret?: string | undefined;
  /** How long a lost response is asked for again, in milliseconds; 60 seconds unless set. */
  readonly patienceMs?: number;
}

export interface CallOptions {
  /**
   * One key for each thing you buy, the same key on every retry: the same call with the same key is charged once. Unless set,
   * it follows from `keySecret`, or is random without one.
   */
  readonly idempotencyKey?: string | undefined;
}

export interface Failure {
  readonly code: string;
  /** A more specific code, for example why a payment was refused. */
  readonly reason?: string | undefined;
  readonly message: string;
  /** What happened to the money. */
  readonly payment: string;
  /** What to do next. */
  readonly retry: string;
  readonly issues?: ReadonlyArray<{ readonly path: string; readonly rule: string }>;
  /** A minimal input that would be accepted. */
  readonly example?: unknown;
  /** With `insufficient_balance`: the account's balance, the price, and where to top up. */
  readonly account?: {
    readonly accountId: string;
    readonly balance: string;
    readonly price: string;
    readonly depositUrl: string;
  };
  /** With a refused payment: the wallet, the network (CAIP-2), and the price in USDC. */
  readonly payer?: string | undefined;
  readonly network?: string | undefined;
  readonly price?: string | undefined;
  readonly paidCallId?: string;
  readonly requestId?: string;
  /** The page about this error. */
  readonly docs?: string | undefined;
}

/** A call that failed. After `payment` `unknown` or `in_flight`, make the same call with `idempotencyKey` again. */
export class TuppenceError extends Error {
  readonly failure: Failure;
  /** Undefined if no response came back. */
  readonly status: number | undefined;
  readonly idempotencyKey: string;

  constructor(failure: Failure, status: number | undefined, idempotencyKey: string) {
    const issues = (failure.issues ?? []).map(({ path, rule }) => ` ${path}: ${rule}.`).join('');
    const topUp = failure.account ? ` Top up at ${failure.account.depositUrl}` : '';
    super(`${failure.reason ?? failure.code}: ${failure.message}${issues}${topUp}`);
    this.name = 'TuppenceError';
    this.failure = failure;
    this.status = status;
    this.idempotencyKey = idempotencyKey;
  }
}

const lost: Failure = {
  code: 'outcome_unknown',
  message:
    'No response came back. Make the same call again with the same idempotencyKey; it is not charged twice.',
  payment: 'unknown',
  retry: 'same_request',
};

const notSent: Failure = {
  code: 'not_sent',
  message:
    'The service cannot be reached. Nothing was sent, and nothing was charged. Check the address and the connection.',
  payment: 'none',
  retry: 'later',
};

const lostForFree: Failure = { ...lost, message: 'No response came back.', payment: 'none' };

/** Milliseconds. Longer than the longest call. */
const attemptMs = 90_000;
/** How long to wait for a service that cannot be reached, in milliseconds: it may be starting again. */
const restartMs = 5_000;

export class Tuppence {
  readonly #options: ClientOptions;

  constructor(options: ClientOptions = {}) {
    this.#options = options;
  }

  /** Makes a call until its outcome is known: a lost response is asked for again under the same key. */
  async #call<Output>(name: keyof typeof routes, input: object, options: CallOptions = {}): Promise<Output> {
    const { patienceMs = 60_000, fetch: send = fetch, keySecret } = this.#options;
    const idempotencyKey =
      options.idempotencyKey ??
      (keySecret === undefined ? crypto.randomUUID() : await keyOf(keySecret, name, input));
    const route: Route = routes[name];
    const [url, init] = this.#request(route, { ...input }, idempotencyKey);
    const isPaid = route.paths.free === undefined;
    // A free call that changes something is not made twice.
    const isRepeatable = isPaid || route.method === 'GET' || route.takesBody;
    const startMs = Date.now();
    let endMs = startMs + patienceMs;
    let wasSent = false;
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
        const isUnsent: boolean = !wasSent && isNotSent(cause);
        wasSent ||= !isUnsent;
        if (isUnsent) endMs = Math.min(endMs, startMs + restartMs);
        else endMs = startMs + patienceMs;
        error = new TuppenceError(
          isUnsent ? notSent : isPaid ? lost : lostForFree,
          undefined,
          idempotencyKey,
        );
        if (isUnsent && Date.now() + waitMs <= endMs) {
          await new Promise((resolve) => setTimeout(resolve, waitMs));
          continue;
        }
      }
      if (!isRepeatable || error.failure.retry !== 'same_request' || Date.now() + waitMs > endMs) throw error;
      await new Promise((resolve) => setTimeout(resolve, waitMs));
    }
  }

  #request(route: Route, input: Record<string, unknown>, idempotencyKey: string): [string, RequestInit] {
    const { baseUrl = 'https://api.example.com', rail = 'x402', accountToken } = this.#options;
    const template = route.paths.free ?? route.paths[accountToken === undefined ? rail : 'account'];
    if (template === undefined) {
      const ways = Object.keys(route.paths).map((name) =>
        name === 'account' ? 'accountToken' : `rail: '${name}'`,
      );
      throw new Error(`This call cannot be paid in this way. It can be paid with ${ways.join(' or ')}.`);
    }
    const url = new URL(
      template.replaceAll(/\{(\w+)\}/g, (_, field: string) => encodeURIComponent(String(input[field]))),
      baseUrl,
    );
    const body: Record<string, unknown> = {};
    let token = accountToken;
    for (const [field, value] of Object.entries(input)) {
      const place = route.places[field];
      if (place === 'query' && value !== undefined) url.searchParams.set(field, String(value));
      else if (place === 'token') token = String(value);
      else if (place !== 'path') body[field] = value;
    }
    const headers = new Headers({ Accept: 'application/json' });
    if (token !== undefined) headers.set('Authorization', `Bearer ${token}`);
    if (route.paths.free === undefined) headers.set('Idempotency-Key', idempotencyKey);
    if (route.takesBody) headers.set('Content-Type', 'application/json');
    return [
      url.href,
      { method: route.method, headers, body: route.takesBody ? JSON.stringify(body) : undefined },
    ];
  }

  // {{methods}}
}

/**
 * Whether no whole response came back: fetch throws TypeError for a broken connection and DOMException after a timeout, and
 * JSON.parse throws SyntaxError for half a body.
 */
function isLost(cause: unknown): boolean {
  return cause instanceof TypeError || cause instanceof SyntaxError || cause instanceof DOMException;
}

/** Whether the connection was never made, so that nothing was sent. */
function isNotSent(cause: unknown): boolean {
  const { code, message = '' } = ((cause as Error).cause ?? {}) as { code?: string; message?: string };
  // fetch names a port that it never connects to in words.
  return ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT', 'bad port'].includes(
    code ?? message,
  );
}

/** The key of a call, which nobody can guess without the secret. */
async function keyOf(secret: string, name: string, input: object): Promise<string> {
  const bytes = new TextEncoder();
  const key = await crypto.subtle.importKey(
    'raw',
    bytes.encode(secret),
    { name: 'HMAC', hash: 'SHA-256' },
    false,
    ['sign'],
  );
  const code = await crypto.subtle.sign('HMAC', key, bytes.encode(JSON.stringify([name, input])));
  return Array.from(new Uint8Array(code), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** The failure in an error body. In a 402 of a payment protocol, the facts are beside the protocol's own fields. */
function failureIn(body: unknown): Failure {
  const { error, detail, ...facts } = body as {
    error?: Failure | string;
    detail?: string;
  } & Partial<Failure>;
  if (typeof error === 'object') return error;
  return {
    code: 'payment_required',
    reason: facts.reason ?? error,
    message: facts.message ?? detail ?? 'The service asks for a payment.',
    payment: 'none',
    retry: facts.retry ?? 'pay',
    payer: facts.payer,
    network: facts.network,
    price: facts.price,
    docs: facts.docs,
  };
}
