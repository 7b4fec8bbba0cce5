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

/** Gives the metrics what they show. */
export function openMetrics(app: OperatorApp): MetricsExporter {
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
