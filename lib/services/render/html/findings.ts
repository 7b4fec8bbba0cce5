import type { Issue } from '@/lib/catalog/errors/api-error';

/** An error lists no more than this. */
const findingsMax = 3;

/** Thrown when there are enough findings for the error, so that the check can end. */
class Enough extends Error {}

/** What is wrong with a document: where, and which rule it breaks. It never repeats the input. */
export class Findings {
  readonly issues: Issue[] = [];

  /** @param path a position in the document, such as `html:3:14` (line and column) */
  add(path: string, rule: string): void {
    if (this.issues.some((issue) => issue.path === path && issue.rule === rule)) return;
    this.issues.push({ path, rule });
    if (this.issues.length >= findingsMax) throw new Enough();
  }

  /** Adds a finding after which the rest of the document cannot be checked. */
  stop(path: string, rule: string): never {
    this.add(path, rule);
    throw new Enough();
  }

  /** Runs a check until it ends or has found enough. */
  async collect(check: () => Promise<void>): Promise<void> {
    try {
      await check();
    } catch (error) {
      if (!(error instanceof Enough)) throw error;
    }
  }
}
