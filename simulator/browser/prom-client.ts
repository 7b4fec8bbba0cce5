/** What lib/platform/metrics uses of prom-client: in a browser nobody reads what is counted. */

class Metric {
  inc(): void {}
  set(): void {}
  observe(): void {}
  remove(): void {}
  reset(): void {}

  startTimer(): () => void {
    return () => undefined;
  }
}

export { Metric as Counter, Metric as Gauge, Metric as Histogram };

export class Registry {}
