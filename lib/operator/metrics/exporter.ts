import { AggregatorRegistry, collectDefaultMetrics } from 'prom-client';
import { operations } from '@/lib/catalog';
import { about } from '@/lib/catalog/about';
import { ApiError } from '@/lib/catalog/errors/api-error';
import type { ApiRequest, ApiResponse } from '@/lib/http/api-message';
import type { OperatorApp } from '@/lib/operator/operator-app';
import { requireToken } from '@/lib/operator/require-token';
import { toCoins, usdcDecimals } from '@/lib/payments/money';
import type { Clock } from '@/lib/platform/clock';
import { inTime } from '@/lib/platform/concurrency/in-time';
import { type ProcessReport, reportOf } from '@/lib/platform/metrics/report';
import type { Siblings } from '@/lib/platform/siblings';
import { withheldOperations } from '@/lib/platform/upstream/availability';
import { failureKinds } from '@/lib/platform/upstream/failure';
import { configuredProviders } from '@/lib/platform/upstream/providers';
import { readBalances } from '../balances';
import { showDatabaseFigures, showNoDatabase } from './database-figures';

/** Values that are read again when they are requested and too old. No caller waits long, and no two reads overlap. */
class Refreshed {
  readonly #clock: Clock;
  readonly #ageMaxMs: number;
  readonly #read: () => Promise<void>;
  #readAt = Number.NEGATIVE_INFINITY;
  #reading: Promise<void> | null = null;

  /** @param read never rejects */
  constructor(clock: Clock, ageMaxMs: number, read: () => Promise<void>) {
    this.#clock = clock;
    this.#ageMaxMs = ageMaxMs;
    this.#read = read;
  }

  /** @returns false when the values did not come within `waitMs`; they may still come */
  async refresh(waitMs: number): Promise<boolean> {
    if (this.#clock.monotonic() - this.#readAt >= this.#ageMaxMs) this.#begin();
    if (!this.#reading) return true;
    return inTime(
      this.#clock,
      this.#reading.then(() => true),
      waitMs,
      false,
    );
  }

  #begin(): void {
    this.#reading ??= this.#read().finally(() => {
      this.#reading = null;
      this.#readAt = this.#clock.monotonic();
    });
  }
}

/** Prints the metrics of an app, and of the other processes of its server. */
export class MetricsExporter {
  readonly #app: OperatorApp;
  readonly #siblings: Siblings | null;
  readonly #figures: Refreshed;
  readonly #balances: Refreshed;
  #isFirst = true;

  constructor(app: OperatorApp, siblings: Siblings | null) {
    const { clock, timings } = app;
    this.#app = app;
    this.#siblings = siblings;
    this.#figures = new Refreshed(clock, timings.metrics.figuresAgeMs, () => showDatabaseFigures(app));
    this.#balances = new Refreshed(clock, timings.metrics.balancesAgeMs, () => showBalances(app));
    countFromZero(app);
    siblings?.onReportRequest(() => this.#report());
  }

  /**
   * Answers `GET /metrics` for requests with METRICS_TOKEN, or with OPERATOR_TOKEN while METRICS_TOKEN is not set. Without
   * both settings this path does not exist.
   * @throws ApiError not_found (404), unauthorized (401), rate_limited (429)
   */
  async respond(request: ApiRequest): Promise<ApiResponse> {
    const { settings, timings, metrics } = this.#app;
    const token = settings.METRICS_TOKEN ?? settings.OPERATOR_TOKEN;
    if (token === undefined) throw new ApiError('not_found');
    await requireToken(this.#app, request, token);
    const { waitMs } = timings.metrics;
    const [reports, hasFigures] = await Promise.all([
      this.#reports(),
      this.#figures.refresh(waitMs),
      this.#balances.refresh(waitMs),
    ]);
    if (!hasFigures) showNoDatabase(this.#app);
    const { ofDatabase } = metrics;
    return {
      status: 200,
      headers: { 'Content-Type': ofDatabase.contentType, 'Cache-Control': 'private, no-store' },
      body: `${await AggregatorRegistry.aggregate([...reports]).metrics()}\n${await ofDatabase.metrics()}`,
    };
  }

  async #reports(): Promise<readonly ProcessReport[]> {
    const own = await this.#report();
    return this.#siblings ? this.#siblings.gatherReports(own) : [own];
  }

  #report(): Promise<ProcessReport> {
    const { ofProcess } = this.#app.metrics;
    // Collecting Node's own values costs a little from then on, so it starts only with the first request.
    if (this.#isFirst) collectDefaultMetrics({ register: ofProcess });
    this.#isFirst = false;
    showOwnValues(this.#app);
    return reportOf(ofProcess);
  }
}

/**
 * Reads the balances of our addresses on each network and sets their gauges. A balance that cannot be read keeps its last
 * value.
 */
async function showBalances(app: OperatorApp): Promise<void> {
  for (const { offer, balances, problem } of await readBalances(app)) {
    const { name: network } = offer.network;
    if (balances === null) {
      app.log.warn({ network, problem }, 'balances could not be read');
      continue;
    }
    for (const { signer, atomic } of balances.gas)
      app.metrics.signerBalance.set({ network, signer }, toCoins(network, atomic));
    app.metrics.treasuryUsdc.set({ network }, Number(balances.treasuryAtomic) / 10 ** usdcDecimals);
  }
}

/** Shows values that this process knows without any request: its queues, its connections, and what it offers. */
function showOwnValues(app: OperatorApp): void {
  const { metrics, payments, pool } = app;
  const { unpaidAnswers, freeCalls } = app.throttle.waiting;
  const [printing, reading, lookups] = [app.printing.load, app.reading.load, app.offerLookups.load];
  metrics.queueLength.set({ queue: 'render' }, printing.waiting);
  metrics.queueLength.set({ queue: 'read' }, reading.waiting);
  metrics.queueLength.set({ queue: 'offer_lookups' }, lookups.waiting);
  metrics.queueLength.set({ queue: 'checks' }, app.threads.waiting);
  metrics.queueLength.set({ queue: 'unpaid_answers' }, unpaidAnswers);
  metrics.queueLength.set({ queue: 'free_calls' }, freeCalls);
  metrics.browsersBusy.set({ pool: 'render' }, printing.running);
  metrics.browsersBusy.set({ pool: 'read' }, reading.running);
  metrics.databaseConnections.set({ state: 'used' }, pool.totalCount - pool.idleCount);
  metrics.databaseConnections.set({ state: 'idle' }, pool.idleCount);
  metrics.databaseConnections.set({ state: 'waiting' }, pool.waitingCount);
  metrics.storeUsable.set(app.storeHealth.isUsable ? 1 : 0);
  metrics.browsersUsable.set({ pool: 'render' }, app.printing.isFailing ? 0 : 1);
  metrics.browsersUsable.set({ pool: 'read' }, app.reading.isFailing ? 0 : 1);
  const withheld = withheldOperations(app);
  for (const { id: operation, providers } of operations) {
    metrics.operationPaused.set({ operation }, app.pausedOperations.includes(operation) ? 1 : 0);
    if (providers) metrics.operationWithheld.set({ operation }, withheld.includes(operation) ? 1 : 0);
  }
  for (const { network, settler } of payments.networks.all()) {
    const { waiting, pending } = settler.load;
    metrics.networkOffered.set({ network: network.name }, payments.networks.isOffered(network.name) ? 1 : 0);
    const isStopped = payments.watch.tokenProblems(network.name).length > 0;
    metrics.tokenStopsPayments.set({ network: network.name }, isStopped ? 1 : 0);
    metrics.settlementsWaiting.set({ network: network.name }, waiting);
    metrics.settlementsPending.set({ network: network.name }, pending);
  }
}

/** Starts counters that alerts watch at zero. Prometheus notices an increase only from a value that it has seen before. */
function countFromZero(app: OperatorApp): void {
  const { metrics, payments } = app;
  metrics.buildInfo.set({ version: about.version, node: process.versions.node }, 1);
  for (const { name: job } of app.jobs)
    for (const result of ['done', 'failed']) metrics.jobRuns.inc({ job, result }, 0);
  for (const provider of configuredProviders(app))
    for (const kind of failureKinds) metrics.providerFailures.inc({ provider, kind }, 0);
  for (const { network, rpcUrls } of payments.networks.all()) {
    const { name } = network;
    for (const event of ['prepared', 'mined', 'dropped'])
      metrics.settlements.inc({ network: name, event }, 0);
    for (const index of rpcUrls.keys())
      for (const result of ['answered', 'failed'])
        metrics.rpcRequests.inc({ network: name, rpc: String(index + 1), result }, 0);
    for (const counter of [metrics.gas, metrics.fees, metrics.feesInVain]) counter.inc({ network: name }, 0);
  }
}
