import type { Registry } from 'prom-client';

/** The values of one process, as plain data that can be sent to another one. */
export type ProcessReport = Awaited<ReturnType<Registry['getMetricsAsJSON']>>;

/** Reports a process's values. What was not measured is left out, because plain data has no NaN. */
export async function reportOf(registry: Registry): Promise<ProcessReport> {
  const metrics = await registry.getMetricsAsJSON();
  return metrics.map((metric) => ({
    ...metric,
    values: metric.values.filter(({ value }) => Number.isFinite(value)),
  }));
}

/** Adds up the counters of processes that have ended. Their gauges no longer mean anything. */
export async function sumOfCounters(reports: readonly ProcessReport[]): Promise<ProcessReport> {
  // Loaded here, because most parents of processes never need it.
  const { AggregatorRegistry } = await import('prom-client');
  // The package's types declare metric types as numbers, but they are words.
  const isCounting = ({ type }: ProcessReport[number]) => ['counter', 'histogram'].includes(String(type));
  const counters = reports.map((report) => report.filter(isCounting));
  return AggregatorRegistry.aggregate(counters).getMetricsAsJSON();
}
