import type { Issue } from '@/lib/errors/api-error';

/** As many as an answer names. */
const findingsMax = 3;

/** Thrown when as much was found as is told; nothing further needs to be looked at. */
class Enough extends Error {}

/** What is wrong with a document: where, and which rule it breaks. Holds nothing of what was sent. */
export class Findings {
  readonly issues: Issue[] = [];

  /** @param path a place in the document, such as `html:3:14` (line and column) */
  add(path: string, rule: string): void {
    if (this.issues.some((issue) => issue.path === path && issue.rule === rule)) return;
    this.issues.push({ path, rule });
    if (this.issues.length >= findingsMax) throw new Enough();
  }

  /** A finding after which the rest cannot be judged. */
  stop(path: string, rule: string): never {
    this.add(path, rule);
    throw new Enough();
  }

  /** Runs a check until its end or until enough was found. */
  async collect(check: () => Promise<void>): Promise<void> {
    try {
      await check();
    } catch (error) {
      if (!(error instanceof Enough)) throw error;
    }
  }
}
