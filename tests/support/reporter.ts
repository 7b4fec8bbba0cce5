import path from 'node:path';
import type { FullConfig, Reporter, Suite, TestCase, TestResult } from '@playwright/test/reporter';
import { type Phase, phases } from './phases';

/** Whether the run only lists its tests. */
const isListing = process.argv.includes('--list');

/** How many of the slowest tests are listed at the end of a long run. */
const slowestShown = 20;

/**
 * Prints a line for each failing test as it fails, and a line for each finished file with the time of its tests. At the end
 * come the times (the slowest tests, the folders, the phases of the run), and last the counts. With `--list`, it prints a line
 * for each test.
 */
export default class CountingReporter implements Reporter {
  #root = '';
  readonly #left = new Map<string, { tests: number; failed: number; ms: number }>();
  readonly #begun = new Map<TestCase, number>();
  readonly #times: { test: TestCase; ms: number }[] = [];
  #startedMs = 0;
  /** Totals of what tests count: annotations whose description is a number. */
  readonly #counts = new Map<string, number>();
  readonly #outcomes = new Map<TestCase, 'passed' | 'failed' | 'skipped'>();

  onBegin(config: FullConfig, suite: Suite): void {
    this.#root = config.rootDir;
    this.#startedMs = performance.now();
    for (const test of suite.allTests()) {
      const file = this.#file(test);
      const known = this.#left.get(file) ?? { tests: 0, failed: 0, ms: 0 };
      this.#left.set(file, { ...known, tests: known.tests + 1 });
    }
    if (isListing) {
      for (const test of suite.allTests()) console.log(this.#name(test));
      console.log(`${suite.allTests().length} tests in ${this.#left.size} files`);
      return;
    }
    const setUp = phases().find(({ name }) => name === 'Set-up of the stack');
    if (setUp) console.log(`${setUp.name} (${seconds(setUp.ms)})`);
    console.log(`${suite.allTests().length} tests in ${this.#left.size} files, ${config.workers} at a time`);
  }

  onTestBegin(test: TestCase): void {
    this.#begun.set(test, performance.now());
  }

  onTestEnd(test: TestCase, result: TestResult): void {
    const outcome =
      result.status === 'passed' ? 'passed' : result.status === 'skipped' ? 'skipped' : 'failed';
    this.#outcomes.set(test, outcome);
    // Includes all fixtures. The result's own duration leaves some out.
    const ms = performance.now() - (this.#begun.get(test) ?? performance.now());
    this.#times.push({ test, ms });
    for (const { type, description } of result.annotations) {
      const counted = Number(description);
      if (counted > 0) this.#counts.set(type, (this.#counts.get(type) ?? 0) + counted);
    }
    if (outcome === 'failed') {
      console.log(`\nFAILED ${this.#name(test)}`);
      for (const error of result.errors) console.log(error.stack ?? error.message ?? error.value);
    }
    const file = this.#left.get(this.#file(test));
    if (!file) return;
    file.tests -= 1;
    file.ms += ms;
    if (outcome === 'failed') file.failed += 1;
    if (file.tests === 0)
      console.log(`${file.failed === 0 ? 'ok    ' : 'FAILED'} ${this.#file(test)} (${seconds(file.ms)})`);
  }

  /** What tests print: seeds and counts. */
  onStdOut(chunk: string | Buffer): void {
    process.stdout.write(chunk);
  }

  /** Errors outside of any test: a failed global setup, a file that does not load. */
  onError(error: { stack?: string; message?: string }): void {
    console.log(error.stack ?? error.message);
    this.#outcomes.set({} as TestCase, 'failed');
  }

  async onExit(): Promise<void> {
    if (isListing) return;
    const count = (wanted: string) =>
      [...this.#outcomes.values()].filter((outcome) => outcome === wanted).length;
    const skipped = count('skipped');
    if (this.#times.length > slowestShown) this.#printTimes();
    for (const [what, counted] of this.#counts) console.log(`${what}: ${counted}`);
    console.log(
      `${count('passed')} passed, ${count('failed')} failed${skipped ? `, ${skipped} skipped` : ''}`,
    );
  }

  printsToStdio(): boolean {
    return true;
  }

  #printTimes(): void {
    const slowest = this.#times.toSorted((one, other) => other.ms - one.ms).slice(0, slowestShown);
    printTable(
      `The ${slowestShown} slowest tests`,
      slowest.map(({ test, ms }) => ({ name: this.#name(test), ms })),
    );
    const folders = new Map<string, number>();
    for (const { test, ms } of this.#times) {
      const folder = path.dirname(this.#file(test));
      folders.set(folder, (folders.get(folder) ?? 0) + ms);
    }
    printTable(
      'Folders, all workers together',
      [...folders].map(([name, ms]) => ({ name, ms })),
    );
    printTable('Phases', [...phases(), { name: 'Tests', ms: performance.now() - this.#startedMs }]);
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

function printTable(title: string, rows: readonly Phase[]): void {
  console.log(`\n${title}`);
  for (const { name, ms } of rows) console.log(`${seconds(ms).padStart(8)}  ${name}`);
}
