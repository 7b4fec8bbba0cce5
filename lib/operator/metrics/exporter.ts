import { AggregatorRegistry, collectDefaultMetrics } from 'prom-client';
import { ApiError } from '@/lib/catalog/errors/api-error';
import type { ApiRequest, ApiResponse } from '@/lib/http/api-message';
import type { OperatorApp } from '@/lib/operator/operator-app';
import { requireToken } from '@/lib/operator/require-token';
import { type ProcessReport, reportOf } from '@/lib/platform/metrics/report';
import type { Siblings } from '@/lib/platform/siblings';
import { showBalances } from './balances';
import { showDatabaseFigures, showNoDatabase } from './database-figures';
import { countFromZero, showOwnValues } from './own-values';
import { Refreshed } from './refreshed';

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
