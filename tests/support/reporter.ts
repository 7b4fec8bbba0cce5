import path from 'node:path';
import type { FullConfig, Reporter, Suite, TestCase, TestResult } from '@playwright/test/reporter';

/** So many of the slowest tests are named at the end of a long run: where time can be won. */
const slowestShown = 20;

/**
 * Prints a line per test that fails as it fails, a line per file when it is through with the time that its tests took, the
 * slowest tests, and the count last.
 */
export default class CountingReporter implements Reporter {
  #root = '';
  readonly #left = new Map<string, { tests: number; failed: number; ms: number }>();
  readonly #times: { test: TestCase; ms: number }[] = [];
  readonly #outcomes = new Map<TestCase, 'passed' | 'failed' | 'skipped'>();

  onBegin(config: FullConfig, suite: Suite): void {
    this.#root = config.rootDir;
    for (const test of suite.allTests()) {
      const file = this.#file(test);
      const known = this.#left.get(file) ?? { tests: 0, failed: 0, ms: 0 };
      this.#left.set(file, { ...known, tests: known.tests + 1 });
    }
    console.log(`${suite.allTests().length} tests in ${this.#left.size} files`);
  }

  onTestEnd(test: TestCase, result: TestResult): void {
    const outcome =
      result.status === 'passed' ? 'passed' : result.status === 'skipped' ? 'skipped' : 'failed';
    this.#outcomes.set(test, outcome);
    this.#times.push({ test, ms: result.duration });
    if (outcome === 'failed') {
      console.log(`\nFAILED ${this.#name(test)}`);
      for (const error of result.errors) console.log(error.stack ?? error.message ?? error.value);
    }
    const file = this.#left.get(this.#file(test));
    if (!file) return;
    file.tests -= 1;
    file.ms += result.duration;
    if (outcome === 'failed') file.failed += 1;
    if (file.tests === 0)
      console.log(`${file.failed === 0 ? 'ok    ' : 'FAILED'} ${this.#file(test)} (${seconds(file.ms)})`);
  }

  /** What goes wrong outside of any test: a global setup that fails, a file that does not load. */
  onError(error: { stack?: string; message?: string }): void {
    console.log(error.stack ?? error.message);
    this.#outcomes.set({} as TestCase, 'failed');
  }

  async onExit(): Promise<void> {
    const count = (wanted: string) =>
      [...this.#outcomes.values()].filter((outcome) => outcome === wanted).length;
    const skipped = count('skipped');
    this.#printSlowest();
    console.log(
      `${count('passed')} passed, ${count('failed')} failed${skipped ? `, ${skipped} skipped` : ''}`,
    );
  }

  printsToStdio(): boolean {
    return true;
  }

  #printSlowest(): void {
    if (this.#times.length <= slowestShown) return;
    const slowest = this.#times.sort((one, other) => other.ms - one.ms).slice(0, slowestShown);
    console.log(`\nThe ${slowestShown} slowest tests`);
    for (const { test, ms } of slowest) console.log(`${seconds(ms).padStart(8)}  ${this.#name(test)}`);
    console.log('');
  }

  #name(test: TestCase): string {
    return `${this.#file(test)}: ${test.titlePath().slice(3).join(' › ')}`;
  }

  #file(test: TestCase): string {
    return path.relative(this.#root, test.location.file);
  }
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}
