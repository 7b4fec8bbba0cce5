import { AggregatorRegistry, collectDefaultMetrics } from 'prom-client';
import { ApiError } from '@/lib/catalog/errors/api-error';
import type { ApiRequest, ApiResponse } from '@/lib/http/api-message';
import type { RateLimits } from '@/lib/http/rate-limit';
import { requireToken } from '@/lib/operator/require-token';
import { inTime } from '@/lib/platform/concurrency/in-time';
import { KeptValue } from '@/lib/platform/concurrency/kept-value';
import { type ProcessReport, reportOf } from '@/lib/platform/metrics/process-report';
import type { Platform } from '@/lib/platform/platform';
import type { Siblings } from '@/lib/platform/siblings';

interface ExporterDeps extends Pick<Platform, 'settings' | 'clock' | 'timings' | 'log' | 'metrics'> {
  readonly rateLimits: RateLimits;
  readonly clientAddressHeader: string;
}

/** Set the gauges of values that are read when they are asked for. */
export interface MetricSources {
  /** Reads figures from the database. Never rejects. */
  readFigures(): Promise<void>;
  /** While the database does not respond. */
  showNoFigures(): void;
  /** Asks the networks for balances. Never rejects. */
  readBalances(): Promise<void>;
  showOwnValues(): void;
}

/** Prints the metrics of an app, and of the other processes of its server. */
export class MetricsExporter {
  readonly #app: ExporterDeps;
  readonly #sources: MetricSources;
  readonly #siblings: Siblings | null;
  readonly #figures: KeptValue<void>;
  readonly #balances: KeptValue<void>;
  #isFirst = true;

  constructor(app: ExporterDeps, sources: MetricSources, siblings: Siblings | null) {
    const { clock, timings } = app;
    this.#app = app;
    this.#sources = sources;
    this.#siblings = siblings;
    this.#figures = new KeptValue(clock, timings.metrics.figuresAgeMs, sources.readFigures);
    this.#balances = new KeptValue(clock, timings.metrics.balancesAgeMs, sources.readBalances);
    siblings?.onReportRequest(() => this.#report());
  }

  /**
   * Answers `GET /metrics` for requests with METRICS_TOKEN, or with OPERATOR_TOKEN while METRICS_TOKEN is not set. Without
   * both settings this path does not exist.
   * @throws ApiError not_found (404), unauthorized (401), rate_limited (429)
   */
  async respond(request: ApiRequest): Promise<ApiResponse> {
    const { settings, metrics } = this.#app;
    const token = settings.METRICS_TOKEN ?? settings.OPERATOR_TOKEN;
    if (token === undefined) throw new ApiError('not_found');
    await requireToken(this.#app, request, token);
    const [reports, hasFigures] = await Promise.all([
      this.#reports(),
      this.#isRead(this.#figures),
      this.#isRead(this.#balances),
    ]);
    if (!hasFigures) this.#sources.showNoFigures();
    const { ofDatabase } = metrics;
    return {
      status: 200,
      headers: { 'Content-Type': ofDatabase.contentType, 'Cache-Control': 'private, no-store' },
      body: `${await AggregatorRegistry.aggregate([...reports]).metrics()}\n${await ofDatabase.metrics()}`,
    };
  }

  /** Reads values again if they are too old. @returns false when they did not come in time; they may still come */
  #isRead(values: KeptValue<void>): Promise<boolean> {
    const { clock, timings } = this.#app;
    const reading = values.get().then(() => true);
    return inTime(clock, reading, timings.metrics.waitMs, false);
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
    this.#sources.showOwnValues();
    return reportOf(ofProcess);
  }
}
