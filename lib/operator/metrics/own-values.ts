import { operations } from '@/lib/catalog';
import { about } from '@/lib/catalog/about';
import type { OperatorApp } from '@/lib/operator/operator-app';
import { withheldOperations } from '@/lib/platform/upstream/availability';
import { failureKinds } from '@/lib/platform/upstream/failure';
import { configuredProviders } from '@/lib/platform/upstream/providers';

/** Shows values that this process knows without any request: its queues, its connections, and what it offers. */
export function showOwnValues(app: OperatorApp): void {
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
export function countFromZero(app: OperatorApp): void {
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
