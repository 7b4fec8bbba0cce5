import { CallRuns } from '@/lib/calls/advance-call';
import { CallAnswers } from '@/lib/calls/call-answers';
import { ApiError } from '@/lib/catalog/errors/api-error';
import type { OtherName } from '@/lib/catalog/other-paths';
import { handleMcp } from '@/lib/discovery/mcp/endpoint';
import { acceptInput } from '@/lib/http/accept-input';
import apiHeaders from '@/lib/http/api-headers.json' with { type: 'json' };
import type { ApiRequest, ApiResponse } from '@/lib/http/api-message';
import { answerSignedIn } from '@/lib/http/bought-before';
import { newClientAddressHeader } from '@/lib/http/client-address';
import { countRequest } from '@/lib/http/count-requests';
import { type FreeAnswer, handleFreeCall } from '@/lib/http/free-call';
import { findFreeHandler } from '@/lib/http/free-operations';
import type { HttpApp, ServedApp } from '@/lib/http/http-app';
import { handlePaidCall, type PaidCallDeps } from '@/lib/http/paid-call';
import { pathNotFound } from '@/lib/http/paths-of-api';
import { RateLimits } from '@/lib/http/rate-limit';
import { RefusalHistory } from '@/lib/http/refusal-history';
import { Throttle } from '@/lib/http/throttle';
import { type JobsApp, jobs, openJobs } from '@/lib/jobs/jobs';
import { RecoverySlots } from '@/lib/jobs/recovery';
import { PausedOperations } from '@/lib/ledger/paused-operations';
import { callStore } from '@/lib/ledger/postgres-call-store';
import { auditJob } from '@/lib/operator/audit/daily';
import { type OperatorConsole, openConsole } from '@/lib/operator/console';
import { runAllJobs } from '@/lib/operator/cron';
import { keptServiceFigures, type ServiceFigures } from '@/lib/operator/figures/service-figures';
import { showDatabaseFigures, showNoDatabase } from '@/lib/operator/metrics/database-figures';
import { MetricsExporter } from '@/lib/operator/metrics/exporter';
import {
  countFromZero,
  showBalances,
  showOffer,
  showQueues,
  showResources,
} from '@/lib/operator/metrics/own-values';
import type { OperatorApp } from '@/lib/operator/operator-app';
import { refundsJob } from '@/lib/operator/refunds/follow';
import { refundStore } from '@/lib/operator/refunds/stored-refunds';
import { providersJob } from '@/lib/operator/try-providers';
import { didDocument, jsonWebKeySet } from '@/lib/payments/receipts/did';
import { ReceiptIssuer } from '@/lib/payments/receipts/receipt-issuer';
import { type PublicReceiptKey, receiptKeyRecord } from '@/lib/payments/receipts/receipt-keys';
import type { SendToRpc } from '@/lib/payments/rpc/send-to-rpc';
import { type Clock, systemClock } from '@/lib/platform/clock';
import type { KeptValue } from '@/lib/platform/concurrency/kept-value';
import { DataKeys } from '@/lib/platform/data-keys';
import { openDatabase } from '@/lib/platform/database/database';
import { Instance } from '@/lib/platform/database/instance';
import { createLog, type Logger } from '@/lib/platform/log';
import { Metrics } from '@/lib/platform/metrics/metrics';
import { OngoingProblems } from '@/lib/platform/ongoing-problem';
import type { Settings } from '@/lib/platform/settings';
import { shareClock } from '@/lib/platform/shared-clock';
import type { Siblings } from '@/lib/platform/siblings';
import { openStore } from '@/lib/platform/storage';
import { openThreads } from '@/lib/platform/threads';
import { productionTimings, type Timings } from '@/lib/platform/timings';
import { sourceOf } from '@/lib/platform/upstream/availability';
import { CircuitBreakers } from '@/lib/platform/upstream/circuit-breakers';
import { withheldOperations } from '@/lib/platform/upstream/withheld-operations';
import { openOfferLookups } from '@/lib/services/flights/offer-lookups';
import { ResponseSignals } from '@/lib/services/forms/response-signals';
import { openPrintingPool } from '@/lib/services/render/chromium/printing-pool';
import { directoryType, openBotIdentity } from '@/lib/services/research/reader/bot-identity';
import { openReadingPool } from '@/lib/services/research/reader/reading-pool';
import { UnreadSites } from '@/lib/services/research/unread-sites';
import { LinkTraffic } from '@/lib/services/uploads/link-traffic';
import { openCallServices } from './call-services';
import type { OpenedFeature } from './feature';
import { watchers } from './features';
import { openPayments } from './open-payments';
import { closeApp, startApp } from './start';

export interface AppOptions {
  readonly settings: Settings;
  /** The clock of the machine. Once the app is started, the clock of the database replaces it. */
  readonly clock?: Clock;
  readonly timings?: Timings;
  readonly log?: Logger;
  /** The other processes that a common parent has started; null when there are none. */
  readonly siblings?: Siblings | null;
  /** How requests reach the RPCs of the chains; over HTTP if not given. */
  readonly sendToRpc?: SendToRpc;
}

/** The whole service: everything that its parts need, and the entry points for hosts. */
export interface App extends OperatorApp, ServedApp {
  /** For the pages of the operator's console. */
  readonly console: OperatorConsole;
  /** How the calls of the last days went, for everybody. */
  readonly serviceFigures: KeptValue<ServiceFigures>;
  /** Closes an app that was not started. */
  close(): Promise<void>;
}

/**
 * Builds an app. This is the only place that puts its parts together. Below it nothing reads the environment or the
 * wall clock, and nothing is global, so several apps can run in one process. Nothing is started yet.
 */
export function createApp({
  settings,
  clock: machineClock = systemClock,
  timings = productionTimings,
  siblings = null,
  log = createLog(settings, siblings),
  sendToRpc,
}: AppOptions): App {
  const clock = shareClock(machineClock);
  const problems = new OngoingProblems(log, clock);
  const keys = new DataKeys(settings.DATA_KEY, settings.NETWORKS);
  const platform = { settings, clock, timings, log, problems, siblings, keys, metrics: new Metrics() };
  const database = openDatabase(platform);
  const withDatabase = {
    ...platform,
    ...database,
    instance: new Instance({ ...platform, ...database }, clock),
  };
  const services = {
    ...withDatabase,
    ...openStore(platform),
    threads: openThreads(platform),
    circuitBreakers: new CircuitBreakers(platform),
    printing: openPrintingPool(platform),
    reading: openReadingPool(platform),
    unreadSites: new UnreadSites(platform),
    offerLookups: openOfferLookups(platform),
    responseSignals: new ResponseSignals(platform),
    linkTraffic: new LinkTraffic(withDatabase),
  };
  const factor = settings.RATE_LIMIT_FACTOR;
  const receipts = new ReceiptIssuer({ ...platform, keyRecord: receiptKeyRecord(withDatabase) });
  const payments = openPayments(services, receipts, sendToRpc);
  const calls = callStore(withDatabase);
  const refunds = refundStore(withDatabase);
  const answers = new CallAnswers({
    ...platform,
    receipts,
    caip2Of: (network) => payments.networks.byName(network)?.network.caip2 ?? null,
    publicUrl: settings.PUBLIC_URL,
  });
  const runs = new CallRuns({ ...platform, calls, payments, answers });
  const http: HttpApp & JobsApp = {
    ...services,
    payments,
    receipts,
    pausedOperations: new PausedOperations(services),
    throttle: new Throttle(platform, siblings),
    rateLimits: new RateLimits(factor, siblings !== null),
    refusalHistory: factor === 0 ? null : new RefusalHistory(factor),
    calls,
    runs,
    findCallService: openCallServices(services),
    clientAddressHeader: newClientAddressHeader(),
    recovery: new RecoverySlots(),
  };
  const opened: readonly OpenedFeature[] = payments.features;
  const audits = auditJob(opened.flatMap(({ auditChecks }) => auditChecks));
  const parts: OperatorApp = {
    ...http,
    features: payments.features,
    refunds,
    jobs: openJobs(http, [...jobs, refundsJob(refunds), providersJob, audits]),
  };
  const exporter = openMetrics(parts);
  const answerFree = (operation: string, request: ApiRequest, work: () => Promise<FreeAnswer>) =>
    countRequest(parts, { operation, rail: 'none' }, request, () => handleFreeCall(parts, request, work));
  const paidCalls: PaidCallDeps = {
    ...parts,
    processing: {
      ...parts,
      buying: parts,
      acceptInput: (...given) => acceptInput(parts, ...given),
      answerSignedIn: (unpaid) => answerSignedIn({ ...parts, buying: parts }, unpaid),
      sourceOf: (operation) => sourceOf(parts, operation),
    },
  };
  const app: App = {
    ...parts,
    watchers: watchers.flatMap((open) => open(platform) ?? []),
    console: openConsole(parts),
    serviceFigures: keptServiceFigures(parts),
    answer: (endpoint, request, params, admission) => {
      switch (endpoint.kind) {
        case 'paid': {
          const { rail, path: route } = endpoint;
          const { id: operation } = endpoint.operation;
          const service = app.findCallService(operation);
          if (!service) throw new Error(`no service for ${operation}`);
          return countRequest(app, { operation, rail, route }, request, () =>
            handlePaidCall(paidCalls, service, payments.rails[rail], request, params, admission),
          );
        }
        case 'free': {
          const { id } = endpoint.operation;
          const handler = findFreeHandler(id);
          if (!handler) throw new Error(`no handler for ${id}`);
          return answerFree(id, request, () => handler(app, request, params));
        }
        case 'other': {
          const { name } = endpoint;
          return name === 'mcp'
            ? countRequest(app, { operation: name, rail: 'none' }, request, () => handleMcp(app, request))
            : answerFree(name, request, () => answerOther(app, exporter, payments.features, name, request));
        }
      }
    },
    answerMissing: (request) =>
      answerFree('not_found', request, async () => {
        throw pathNotFound(new URL(request.url).pathname);
      }),
    start: (options) => startApp(app, options),
    close: () => closeApp(app),
  };
  return app;
}

async function answerOther(
  app: App,
  exporter: MetricsExporter,
  features: readonly OpenedFeature[],
  name: Exclude<OtherName, 'mcp'>,
  request: ApiRequest,
): Promise<FreeAnswer> {
  switch (name) {
    case 'readiness':
      return readiness(app);
    case 'cron':
      return runAllJobs(app, request);
    case 'metrics':
      return exporter.respond(request);
    case 'status':
      return publicDocument(app.serviceFigures.get(), 'application/json');
    case 'did_document':
      return publishKeys(app, 'application/did+json', didDocument);
    case 'key_set':
      return publishKeys(app, 'application/jwk-set+json', jsonWebKeySet);
    case 'bot_keys': {
      const directory = openBotIdentity(app)?.directory();
      if (!directory) throw pathNotFound(new URL(request.url).pathname);
      const { body, headers } = directory;
      return {
        status: 200,
        headers: {
          ...apiHeaders,
          ...headers,
          'Content-Type': directoryType,
          'Cache-Control': 'public, max-age=60',
        },
        body,
      };
    }
    default: {
      const answer = features.flatMap(({ routes }) => routes[name] ?? [])[0];
      if (!answer) throw new Error(`no feature answers ${name}`);
      return answer(app, request);
    }
  }
}

/** The keys that verify receipts and offers, as a document of this type. */
function publishKeys(
  { settings, receipts }: HttpApp,
  type: string,
  write: (publicUrl: string, keys: readonly PublicReceiptKey[]) => unknown,
): Promise<ApiResponse> {
  const document = receipts.publishedKeys().then((keys) => write(settings.PUBLIC_URL, keys));
  return publicDocument(document, type);
}

/** A document that everybody may read and keep for a minute, made from what the database has. */
async function publicDocument(reading: Promise<unknown>, type: string): Promise<ApiResponse> {
  const document = await reading.catch((cause: unknown) => {
    throw new ApiError('service_unavailable', { message: 'The database does not respond.', cause });
  });
  return {
    status: 200,
    headers: { ...apiHeaders, 'Content-Type': type, 'Cache-Control': 'public, max-age=60' },
    body: JSON.stringify(document),
  };
}

/**
 * `GET /health/ready`: whether this instance can take paid calls now, and on which networks. A part that only some calls need
 * is named in `degraded`: those calls are refused uncharged, and a balancer keeps sending the others.
 */
async function readiness(app: HttpApp) {
  const { pausedOperations, db } = app;
  const { networks, watch } = app.payments;
  await db.$queryRaw`SELECT`.catch((cause: unknown) => {
    throw new ApiError('service_unavailable', { message: 'The database does not respond.', cause });
  });
  if (networks.offered().length === 0) {
    const stopped = networks.all().flatMap(({ network }) => watch.tokenProblems(network.name));
    const message = ['No network is available', ...stopped].join(': ');
    throw new ApiError('service_unavailable', { message: `${message}.` });
  }
  const paused = pausedOperations.all.map(({ operation }) => operation);
  const degraded = [
    ...(app.storeHealth.isUsable ? [] : ['file_store']),
    ...(app.printing.isFailing ? ['renderer'] : []),
    ...(app.reading.isFailing ? ['reader'] : []),
    ...withheldOperations(app),
  ];
  const offered = networks.all().map(({ network }) => [network.name, networks.isOffered(network.name)]);
  const stopped = networks
    .all()
    .map(({ network }) => [network.name, watch.tokenProblems(network.name)] as const)
    .filter(([, problems]) => problems.length > 0);
  return {
    body: {
      status: 'ready',
      networks: Object.fromEntries(offered),
      ...(stopped.length === 0 ? {} : { tokenProblems: Object.fromEntries(stopped) }),
      ...(paused.length === 0 ? {} : { paused }),
      ...(degraded.length === 0 ? {} : { degraded }),
    },
  };
}

/** Gives the metrics what they show. */
function openMetrics(app: OperatorApp): MetricsExporter {
  countFromZero(app);
  const sources = {
    readFigures: () => showDatabaseFigures(app),
    showNoFigures: () => showNoDatabase(app),
    readBalances: () => showBalances(app),
    showOwnValues() {
      showQueues(app);
      showResources(app);
      showOffer(app);
    },
  };
  return new MetricsExporter(app, sources, app.siblings);
}
