import type { Pool } from 'pg';
import { operations } from '@/lib/catalog';
import { about } from '@/lib/catalog/about';
import type { Throttle } from '@/lib/http/throttle';
import type { Job } from '@/lib/jobs/jobs';
import type { PausedOperations } from '@/lib/ledger/paused-operations';
import type { Payments } from '@/lib/payments/app-payments';
import { toCoins, usdcDecimals } from '@/lib/payments/money';
import type { FairLimit } from '@/lib/platform/concurrency/fair-limit';
import type { WithDatabase } from '@/lib/platform/database/database';
import type { Platform } from '@/lib/platform/platform';
import type { WithStore } from '@/lib/platform/storage';
import type { WithThreads } from '@/lib/platform/threads';
import type { WithUpstream } from '@/lib/platform/upstream/circuit-breakers';
import { failureKinds } from '@/lib/platform/upstream/failure';
import { configuredProviders } from '@/lib/platform/upstream/providers';
import { withheldOperations } from '@/lib/platform/upstream/withheld-operations';
import type { PrintingPool } from '@/lib/services/render/chromium/printing-pool';
import type { ReadingPool } from '@/lib/services/research/reader/reading-pool';
import { readBalances } from '../balances';

interface ShowBalancesDeps extends Pick<Platform, 'clock' | 'log' | 'metrics'> {
  readonly payments: Payments;
}

/**
 * Reads the balances of our addresses on each network and sets their gauges. A balance that cannot be read keeps its last
 * value.
 */
export async function showBalances(app: ShowBalancesDeps): Promise<void> {
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

interface QueuesDeps extends WithThreads, Pick<Platform, 'metrics'> {
  readonly printing: PrintingPool;
  readonly reading: ReadingPool;
  readonly offerLookups: FairLimit;
  readonly throttle: Throttle;
}

/** Shows how much waits in this process. */
export function showQueues(app: QueuesDeps): void {
  const { metrics } = app;
  const { unpaidAnswers, freeCalls } = app.throttle.waiting;
  metrics.queueLength.set({ queue: 'render' }, app.printing.load.waiting);
  metrics.queueLength.set({ queue: 'read' }, app.reading.load.waiting);
  metrics.queueLength.set({ queue: 'offer_lookups' }, app.offerLookups.load.waiting);
  metrics.queueLength.set({ queue: 'checks' }, app.threads.waiting);
  metrics.queueLength.set({ queue: 'unpaid_answers' }, unpaidAnswers);
  metrics.queueLength.set({ queue: 'free_calls' }, freeCalls);
}

interface ResourcesDeps
  extends Pick<WithDatabase & WithStore & Platform, 'pool' | 'statementPool' | 'storeHealth' | 'metrics'> {
  readonly printing: PrintingPool;
  readonly reading: ReadingPool;
}

/** Shows the browsers, the connections and the store of this process. */
export function showResources(app: ResourcesDeps): void {
  const { metrics, storeHealth, printing, reading } = app;
  const pools = [app.pool, app.statementPool];
  const connections = (countOf: (pool: Pool) => number) =>
    pools.reduce((sum, pool) => sum + countOf(pool), 0);
  metrics.browsersBusy.set({ pool: 'render' }, printing.load.running);
  metrics.browsersBusy.set({ pool: 'read' }, reading.load.running);
  metrics.databaseConnections.set(
    { state: 'used' },
    connections(({ totalCount, idleCount }) => totalCount - idleCount),
  );
  metrics.databaseConnections.set(
    { state: 'idle' },
    connections(({ idleCount }) => idleCount),
  );
  metrics.databaseConnections.set(
    { state: 'waiting' },
    connections(({ waitingCount }) => waitingCount),
  );
  metrics.storeUsable.set(storeHealth.isUsable ? 1 : 0);
  metrics.browsersUsable.set({ pool: 'render' }, printing.isFailing ? 0 : 1);
  metrics.browsersUsable.set({ pool: 'read' }, reading.isFailing ? 0 : 1);
}

interface OfferDeps extends WithUpstream, Pick<Platform, 'settings' | 'metrics'> {
  readonly payments: Payments;
  readonly pausedOperations: PausedOperations;
}

/** Shows which operations and networks this process offers, and what waits for each network. */
export function showOffer(app: OfferDeps): void {
  const { metrics, payments } = app;
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

interface CountFromZeroDeps extends Pick<Platform, 'settings' | 'metrics'> {
  readonly payments: Payments;
  readonly jobs: readonly Job[];
}

/** Starts counters that alerts watch at zero. Prometheus notices an increase only from a value that it has seen before. */
export function countFromZero(app: CountFromZeroDeps): void {
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
