import { z } from 'zod';
import { CallRuns } from '@/lib/calls/advance-call';
import { CallAnswers } from '@/lib/calls/call-answers';
import { ApiError, retryAfterSeconds } from '@/lib/catalog/errors/api-error';
import apiHeaders from '@/lib/http/api-headers.json' with { type: 'json' };
import { type ApiRequest, type ApiResponse, toWebResponse, withHeaders } from '@/lib/http/api-message';
import { addressOfConnection, newClientAddressHeader } from '@/lib/http/client-address';
import { hasCredential } from '@/lib/http/credential-headers';
import { respondRefusal } from '@/lib/http/method-not-allowed';
import { handlePaidCall, type PaidCallDeps } from '@/lib/http/paid-call';
import { preflightHeaders } from '@/lib/http/preflight-headers';
import { isReadableUrl } from '@/lib/http/readable-url';
import { NodeApiRequest, sendApiResponse } from '@/lib/http/server/api-request';
import { repeatsHeader } from '@/lib/http/server/repeated-headers';
import { Throttle } from '@/lib/http/throttle';
import { RecoverySlots } from '@/lib/jobs/recovery';
import { MppRail } from '@/lib/payments/mpp/mpp-rail';
import { NetworkRegistry } from '@/lib/payments/network-registry';
import { NetworkWatch } from '@/lib/payments/network-watch';
import type { Payment } from '@/lib/payments/payment';
import { ReceiptIssuer } from '@/lib/payments/receipts/receipt-issuer';
import { X402Rail } from '@/lib/payments/x402/x402-rail';
import { systemClock } from '@/lib/platform/clock';
import { DataKeys } from '@/lib/platform/data-keys';
import { createLog } from '@/lib/platform/log';
import { Metrics } from '@/lib/platform/metrics/metrics';
import { OngoingProblems } from '@/lib/platform/ongoing-problem';
import { shareClock } from '@/lib/platform/shared-clock';
import { productionTimings } from '@/lib/platform/timings';
import { acceptInput } from './accept-input';
import { startBackground } from './background';
import { findDocument } from './documents';
import { isOpenable } from './network';
import { openSale, type Sold } from './sold';
import { isOpenableStore } from './store';
import type { FetchHandler, Paywall, PaywallOptions } from './types';

const secret = z
  .string()
  .refine((text) => Buffer.from(text, 'base64').length === 32, 'must be base64 of 32 bytes');

const schema = z.object({
  name: z.string().regex(/^[\x20-\x7e]{1,32}$/, 'must be at most 32 printable ASCII characters'),
  publicUrl: z
    .url({ protocol: /^https?$/ })
    .refine((url) => new URL(url).origin === url, 'must be an origin, without a path or slash'),
  secrets: z.tuple([secret], secret),
  networks: z.array(z.unknown()).min(1),
  refundsUrl: z.url().optional(),
  cors: z.boolean().default(false),
  trustedProxies: z.number().int().min(0).max(10).default(0),
});

/**
 * Opens a paywall. Nothing is started yet.
 * @throws Error when an option is malformed
 */
export function createPaywall(options: PaywallOptions): Paywall {
  const checked = schema.safeParse(options);
  if (checked.error) throw new Error(`createPaywall: ${z.prettifyError(checked.error)}`);
  const { name, publicUrl, secrets, refundsUrl, cors, trustedProxies } = checked.data;
  const { store: storage } = options;
  const accepted = options.networks.filter(isOpenable);
  if (accepted.length < options.networks.length || !isOpenableStore(storage))
    throw new Error(
      'createPaywall: networks are made by evm() or solana(), and the store by memoryStore() or postgresStore()',
    );
  const isTest = accepted[0]?.isTest === true;
  if (accepted.some((one) => one.isTest !== isTest))
    throw new Error('createPaywall: networks where USDC has a value and test networks cannot be mixed');
  const twice = accepted.find((one, index) => accepted.findIndex(({ name }) => name === one.name) < index);
  if (twice) throw new Error(`createPaywall: networks has ${twice.name} twice`);

  const clock = shareClock(systemClock);
  const timings = productionTimings;
  const log = options.log ?? createLog({ LOG_LEVEL: 'warn' });
  const problems = new OngoingProblems(log, clock);
  const metrics = new Metrics();
  const keys = new DataKeys(secrets, isTest ? 'test' : 'main');
  const platform = { clock, timings, log, problems, metrics, siblings: null };
  const names = accepted.map((network) => network.name);
  const solana = accepted.flatMap((network) => network.solana ?? [])[0] ?? null;
  const takesMpp = accepted.some((network) => network.solana === null);
  const store = storage.open({ ...platform, keys, networks: names, isTest });

  const networks = new NetworkRegistry(accepted.map((network) => network.open(platform, store.journal)));
  for (const { network } of networks.all()) networks.report(network.name, ['not checked yet']);
  const watch = new NetworkWatch(platform, networks, []);
  const settings = { PUBLIC_URL: publicUrl, TRUSTED_PROXIES: trustedProxies };
  const issuer = new ReceiptIssuer({ settings, clock, keyRecord: store.receiptKeys });
  const seller = {
    name,
    publicUrl,
    refunds: refundsUrl,
    flowOf: () => 'upfront' as const,
    takesSignIns: false,
  };
  const [newest, ...older] = keys.derive('mpp-challenge');
  const hex = (key: Buffer) => key.toString('hex');
  const realm = {
    name: new URL(publicUrl).hostname,
    secrets: [hex(newest), ...older.map(hex)] as const,
    credentialHeader: 'Authorization' as const,
  };
  const rails = {
    x402: new X402Rail({ clock, keys, seller, issuer, solana }, networks, []),
    mpp: new MppRail(platform, networks, realm, seller),
  };
  const settlerOf = ({ network }: Pick<Payment, 'network'>) => networks.byName(network)?.settler ?? null;
  const payments = {
    settlerOf,
    openSettlerOf: (payment: Payment) => (networks.isOffered(payment.network) ? settlerOf(payment) : null),
    watch,
  };
  const answers = new CallAnswers({
    receipts: issuer,
    caip2Of: (network) => networks.byName(network)?.network.caip2 ?? null,
    publicUrl,
    clock,
    log,
  });
  const { calls } = store;
  const runs = new CallRuns({ ...platform, calls, payments, answers });
  const sold = new Map<string, Sold>();
  const buying = {
    ...platform,
    calls,
    payments,
    runs,
    findCallService: (id: string) => sold.get(id)?.service ?? null,
    recovery: new RecoverySlots(),
  };
  const clientAddressHeader = newClientAddressHeader();
  const throttle = new Throttle(platform);
  const deps: PaidCallDeps = {
    ...platform,
    settings,
    processing: {
      clock,
      timings,
      buying,
      payments: { networks },
      pausedOperations: { includes: () => false },
      acceptInput,
      answerSignedIn: null,
      sourceOf: () => null,
    },
    throttle,
    rateLimits: unlimited,
    refusalHistory: null,
    clientAddressHeader,
  };

  let running: Promise<() => Promise<void>> | null = null;
  let stopping: Promise<void> | null = null;
  const start = async () => {
    if (stopping) throw new Error('this paywall was stopped');
    running ??= startBackground({
      platform,
      store,
      networks: { features: [], networks, watch },
      calls: buying,
      runs,
    });
    await running.catch((error: unknown) => {
      running = null;
      throw error;
    });
  };

  const routes: Route[] = [];
  /** Answers a request to something that is sold, or about it; null for other paths. Never rejects. */
  const answer: Answer = async (request, among = routes, isMalformed = false) => {
    const answered = await answerOwn(request, among, isMalformed);
    return answered && cors ? withHeaders(answered, apiHeaders) : answered;
  };
  const answerOwn = async (
    request: ApiRequest,
    among: readonly Route[],
    isMalformed: boolean,
  ): Promise<ApiResponse | null> => {
    const { pathname } = new URL(request.url);
    const document = findDocument(pathname);
    const route = document ? undefined : among.find(({ pattern }) => pattern.test(pathname));
    if (!route && !document) return null;
    if (isMalformed || !isReadableUrl(pathname))
      return respondRefusal(deps, request, new ApiError('malformed_request'));
    if (cors && request.method === 'OPTIONS') return { status: 204, headers: preflightHeaders, body: null };
    try {
      await start();
      // Those who pay go first, as at the service.
      if (!hasCredential(request.headers)) await throttle.admitUnpaid();
      if (route)
        return await handlePaidCall(
          deps,
          route.sold.service,
          rails[route.rail],
          request,
          paramsIn(route, pathname),
        );
      return (await document?.({ sold: [...sold.values()], networks, seller, issuer })) ?? null;
    } catch (cause) {
      // An earlier, identical request may have been charged.
      const code = hasCredential(request.headers) ? 'ledger_unavailable' : 'service_unavailable';
      return respondRefusal(deps, request, new ApiError(code, { retryAfterSeconds, cause }));
    }
  };
  const notFound = (request: ApiRequest) => respondRefusal(deps, request, new ApiError('not_found'));
  const fetchAmong =
    (among: readonly Route[]): FetchHandler =>
    async (received) => {
      const { method, url, body, signal } = received;
      const headers = ownIds({ get: (wanted) => received.headers.get(wanted) });
      const request = { method, url, body, signal, headers };
      return toWebResponse((await answer(request, among)) ?? notFound(request));
    };
  const end = async () => {
    const started = await running?.catch(() => null);
    if (started) await started();
    else await store.close();
  };

  return {
    sell(sale) {
      const entry = openSale(sale, { clock, takesMpp });
      const { id, paths } = entry.operation;
      const own = [
        { rail: 'x402' as const, path: paths.x402 },
        ...(paths.mpp === undefined ? [] : [{ rail: 'mpp' as const, path: paths.mpp }]),
      ].map((one): Route => ({ ...one, pattern: patternOf(one.path), sold: entry }));
      if (sold.has(id)) throw new Error(`${id} is sold already`);
      const taken = own.find(
        (one) =>
          findDocument(one.path) || [...routes, ...own].some((other) => other !== one && overlap(one, other)),
      );
      if (taken) throw new Error(`${taken.path} is sold already`);
      sold.set(id, entry);
      routes.push(...own);
      return fetchAmong(own);
    },
    fetch: fetchAmong(routes),
    listener(req, res, next) {
      const received = new NodeApiRequest(req, res);
      const address = addressOfConnection(settings, req);
      const headers = {
        get: (wanted: string) => (wanted === clientAddressHeader ? address : received.headers.get(wanted)),
      };
      const request: ApiRequest = {
        ...{ headers: ownIds(headers), method: received.method, url: received.url, body: received.body },
        get signal() {
          return received.signal;
        },
      };
      void answer(request, routes, repeatsHeader(req)).then((found) => {
        if (!found && next) return next();
        try {
          sendApiResponse(req, res, found ?? notFound(request), {});
        } catch (cause) {
          // The host has answered meanwhile, such as with a limit of its own.
          problems.reportRequest('error', { cause }, 'a response was not sent');
          res.destroy();
        }
      });
    },
    start,
    stop() {
      stopping ??= end();
      return stopping;
    },
  };
}

/** Headers without the id that a client gives its request: ids are ours. */
function ownIds({ get }: Pick<Headers, 'get'>): Pick<Headers, 'get'> {
  return { get: (wanted) => (wanted === 'request-id' ? null : get(wanted)) };
}

type Answer = (
  request: ApiRequest,
  among?: readonly Route[],
  isMalformed?: boolean,
) => Promise<ApiResponse | null>;

/** A path with what is sold there. */
interface Route {
  readonly rail: 'x402' | 'mpp';
  readonly path: string;
  readonly pattern: RegExp;
  readonly sold: Sold;
}

/** Whether a path can be that of both. */
function overlap(one: Route, other: Route): boolean {
  const [own, others] = [one.path.split('/'), other.path.split('/')];
  return (
    own.length === others.length &&
    own.every(
      (segment, index) =>
        segment === others[index] || [segment, others[index]].some((part) => part?.startsWith('{')),
    )
  );
}

function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`);
}

/** The parameters in a path, decoded. */
function paramsIn({ pattern }: Route, pathname: string): Record<string, string> {
  const groups = Object.entries(pattern.exec(pathname)?.groups ?? {});
  return Object.fromEntries(groups.map(([name, value]) => [name, decodeURIComponent(value)]));
}

/** Nobody is counted: what stands before the app limits requests. */
const unlimited: PaidCallDeps['rateLimits'] = {
  countFreeCall: async () => ({ headers: {}, refusal: null }),
  countWrongToken: async () => ({ headers: {}, refusal: null }),
  noteBytes: async () => undefined,
};
