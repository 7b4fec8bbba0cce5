import path from 'node:path';
import type { FullConfig, Reporter, Suite, TestCase, TestResult } from '@playwright/test/reporter';

/** Prints a line per test that fails as it fails, a line per file when it is through, and the count last. */
export default class CountingReporter implements Reporter {
  #root = '';
  readonly #left = new Map<string, { tests: number; failed: number; startedAt: number }>();
  readonly #outcomes = new Map<TestCase, 'passed' | 'failed' | 'skipped'>();

  onBegin(config: FullConfig, suite: Suite): void {
    this.#root = config.rootDir;
    for (const test of suite.allTests()) {
      const file = this.#file(test);
      const known = this.#left.get(file) ?? { tests: 0, failed: 0, startedAt: Date.now() };
      this.#left.set(file, { ...known, tests: known.tests + 1 });
    }
    console.log(`${suite.allTests().length} tests in ${this.#left.size} files`);
  }

  onTestEnd(test: TestCase, result: TestResult): void {
    const outcome =
      result.status === 'passed' ? 'passed' : result.status === 'skipped' ? 'skipped' : 'failed';
    this.#outcomes.set(test, outcome);
    if (outcome === 'failed') {
      console.log(`\nFAILED ${this.#file(test)}: ${test.titlePath().slice(3).join(' › ')}`);
      for (const error of result.errors) console.log(error.stack ?? error.message ?? error.value);
    }
    const file = this.#left.get(this.#file(test));
    if (!file) return;
    file.tests -= 1;
    if (outcome === 'failed') file.failed += 1;
    const seconds = ((Date.now() - file.startedAt) / 1000).toFixed(1);
    if (file.tests === 0)
      console.log(`${file.failed === 0 ? 'ok    ' : 'FAILED'} ${this.#file(test)} (${seconds} s)`);
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
    console.log(
      `${count('passed')} passed, ${count('failed')} failed${skipped ? `, ${skipped} skipped` : ''}`,
    );
  }

  printsToStdio(): boolean {
    return true;
  }

  #file(test: TestCase): string {
    return path.relative(this.#root, test.location.file);
  }
}
