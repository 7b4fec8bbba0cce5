import { AggregatorRegistry, collectDefaultMetrics } from 'prom-client';
import { ApiError } from '@/lib/catalog/errors/api-error';
import type { ApiRequest, ApiResponse } from '@/lib/http/api-message';
import type { RateLimits } from '@/lib/http/rate-limit';
import { requireToken } from '@/lib/operator/require-token';
import type { Clock } from '@/lib/platform/clock';
import { inTime } from '@/lib/platform/concurrency/in-time';
import { type ProcessReport, reportOf } from '@/lib/platform/metrics/process-report';
import type { Platform } from '@/lib/platform/platform';
import type { Siblings } from '@/lib/platform/siblings';

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
  readonly #figures: Refreshed;
  readonly #balances: Refreshed;
  #isFirst = true;

  constructor(app: ExporterDeps, sources: MetricSources, siblings: Siblings | null) {
    const { clock, timings } = app;
    this.#app = app;
    this.#sources = sources;
    this.#siblings = siblings;
    this.#figures = new Refreshed(clock, timings.metrics.figuresAgeMs, sources.readFigures);
    this.#balances = new Refreshed(clock, timings.metrics.balancesAgeMs, sources.readBalances);
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
    if (!hasFigures) this.#sources.showNoFigures();
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
    this.#sources.showOwnValues();
    return reportOf(ofProcess);
  }
}
