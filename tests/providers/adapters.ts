import { randomUUID } from 'node:crypto';
import { ApiError } from '@/lib/catalog/errors/api-error';
import type { ErrorCode } from '@/lib/catalog/errors/codes';
import type { Input, Operation, Output } from '@/lib/catalog/operation';
import type { ProviderName } from '@/lib/catalog/providers';
import { CircuitBreakers } from '@/lib/platform/upstream/circuit-breakers';
import { openOfferLookups } from '@/lib/services/flights/offer-lookups';
import { openReadingPool } from '@/lib/services/research/reader/reading-pool';
import { UnreadSites } from '@/lib/services/research/unread-sites';
import type { Preparation, Service } from '@/lib/services/service';
import { startSandboxProviders } from '@/local/sandbox/server';
import { testPlatform } from '../support/platform';

/** What the adapters of the providers need. No browser is started unless a page is read. */
function openDeps(settings: Readonly<Record<string, string>>) {
  const platform = testPlatform(settings);
  return {
    ...platform,
    circuitBreakers: new CircuitBreakers(platform),
    reading: openReadingPool(platform),
    unreadSites: new UnreadSites(platform),
    offerLookups: openOfferLookups(platform),
  };
}
type AdapterDeps = ReturnType<typeof openDeps>;

/** Calls of providers without a payment. */
export interface Calls {
  /** Delivers a call, as after its payment. The input is that of a caller: defaults are filled in. */
  deliver<Op extends Operation>(service: Service<Op, AdapterDeps>, body: object): Promise<Output<Op>>;
  /** Admits a call, as before its payment. */
  admit<Op extends Operation>(service: Service<Op, AdapterDeps>, body: object): Promise<unknown>;
  /** The errors in the log. */
  readonly alarms: readonly string[];
  /** For how long a provider is not called at all. */
  pausedForMs(provider: ProviderName): number;
  /** Prepares a call, as before its payment. */
  prepare<Op extends Operation>(service: Service<Op, AdapterDeps>, params: object): Promise<unknown>;
}

/** The adapters with these settings. */
export function openAdapters(settings: Readonly<Record<string, string>>): Calls {
  const app = openDeps(settings);
  const alarms: string[] = [];
  Object.assign(app.log, { error: (_: unknown, text: string) => alarms.push(text) });
  const call: Preparation = {
    paidCallId: 'pc_test',
    payer: randomUUID(),
    onlyOn: null,
    now: new Date(),
    isNewcomer: false,
    countWork: () => undefined,
  };
  const paid = { ...call, transactionHash: null, prepared: null };
  return {
    alarms,
    pausedForMs: (provider) => app.circuitBreakers.openForMs(provider),
    deliver: async (service, body) => service.deliver(app, inputOf(service.operation, body), paid),
    admit: async (service, body) =>
      service.admit?.(app, inputOf(service.operation, body), {
        ...call,
        requester: { address: '', owner: null, priority: 'free' },
      }),
    prepare: async (service, params) => service.prepare?.(app, inputOf(service.operation, params), call),
  };
}

/** Adapters in front of the sandbox providers. */
export interface Adapters extends Calls {
  /** The settings that lead to the sandbox. */
  readonly settings: Readonly<Record<string, string>>;
  /** The base URL of a provider's sandbox, for its official client. */
  urlOf(provider: string): string;
  /** How many requests to the sandbox contained a text. */
  asked(text: string): Promise<number>;
  stop(): Promise<void>;
}

/** Starts the sandbox providers in this process, and adapters in front of them. */
export async function startAdapters(): Promise<Adapters> {
  const sandbox = await startSandboxProviders();
  return {
    ...openAdapters(sandbox.serverEnv),
    settings: sandbox.serverEnv,
    urlOf: (provider) => `${sandbox.url}/${provider}`,
    async asked(text) {
      const answer = await fetch(`${sandbox.url}/requests?containing=${encodeURIComponent(text)}`);
      const { count } = (await answer.json()) as { count: number };
      return count;
    },
    stop: () => sandbox.stop(),
  };
}

function inputOf<Op extends Operation>({ params, body, takesBody }: Op, told: object): Input<Op> {
  // The operation's own schemas parsed it.
  return (takesBody ? body.parse(told) : params.parse(told)) as Input<Op>;
}

/** How a call failed: what its caller is told. */
export async function failureOf(call: Promise<unknown>): Promise<{ code: ErrorCode; reason?: string }> {
  const error = await call.then(
    () => new Error('It was delivered.'),
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof ApiError)) throw error;
  return { code: error.code, reason: error.reason };
}

/** The fields of an input that a catalog refuses, before anything is paid. */
export function refusedFields({ body }: Operation, told: object): string[] {
  const { error } = body.safeParse(told);
  return error?.issues.map(({ path }) => path.join('.')) ?? [];
}
