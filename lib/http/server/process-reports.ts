import type { Worker } from 'node:cluster';
import { inTime } from '@/lib/platform/concurrency/in-time';
import { type ProcessReport, sumOfCounters } from '@/lib/platform/metrics/process-report';
import type { Platform } from '@/lib/platform/platform';
import type { Siblings } from '@/lib/platform/siblings';

/** How processes and their parent exchange what the processes have counted. */
type ReportMessage =
  /** A process wants the reports of all, and sends its own. */
  | { readonly reports: 'gather'; readonly id: number; readonly own: ProcessReport }
  /** The parent wants the report of a process. */
  | { readonly reports: 'wanted'; readonly id: number }
  | { readonly reports: 'given'; readonly id: number; readonly own: ProcessReport }
  | { readonly reports: 'gathered'; readonly id: number; readonly all: readonly ProcessReport[] };

function asReportMessage(message: unknown): ReportMessage | null {
  const isOne = typeof message === 'object' && message !== null && 'reports' in message;
  // Nothing but this file sends messages with such a field.
  return isOne ? (message as ReportMessage) : null;
}

/** The side of a process. */
export function siblingReports(): Pick<Siblings, 'gatherReports' | 'onReportRequest'> {
  const waiting = new Map<number, (reports: readonly ProcessReport[]) => void>();
  let lastId = 0;
  const send = (message: ReportMessage) => process.send?.(message);
  process.on('message', (raw) => {
    const message = asReportMessage(raw);
    if (message?.reports !== 'gathered') return;
    waiting.get(message.id)?.(message.all);
    waiting.delete(message.id);
  });
  return {
    gatherReports(own) {
      lastId += 1;
      const id = lastId;
      return new Promise((resolve) => {
        waiting.set(id, resolve);
        send({ reports: 'gather', id, own });
      });
    },
    onReportRequest: (report) =>
      process.on('message', (raw) => {
        const message = asReportMessage(raw);
        if (message?.reports !== 'wanted') return;
        const { id } = message;
        // A process that cannot report counts with its last report.
        report().then(
          (own) => send({ reports: 'given', id, own }),
          () => undefined,
        );
      }),
  };
}

/**
 * The side of the parent. It remembers the last report of every process: a counter must not fall because a process is
 * busy, or was replaced.
 */
export class ReportRelay {
  readonly #app: Pick<Platform, 'clock' | 'timings'>;
  readonly #last = new Map<Worker, ProcessReport>();
  #ended: Promise<ProcessReport> = Promise.resolve([]);
  readonly #waiting = new Map<number, { from: Set<Worker>; done: () => void }>();
  #lastId = 0;

  constructor(app: Pick<Platform, 'clock' | 'timings'>) {
    this.#app = app;
  }

  /** @param others the processes that listen, without the sender */
  receive(sender: Worker, raw: unknown, others: readonly Worker[]): void {
    const message = asReportMessage(raw);
    if (message?.reports === 'given') this.#note(sender, message.id, message.own);
    if (message?.reports !== 'gather') return;
    this.#last.set(sender, message.own);
    void this.#gather(others).then((all) => {
      if (sender.isConnected())
        sender.send({ reports: 'gathered', id: message.id, all } satisfies ReportMessage);
    });
  }

  /** Keeps what a process had counted when it last reported. */
  end(worker: Worker): void {
    const last = this.#last.get(worker);
    this.#last.delete(worker);
    for (const [id, { from }] of this.#waiting) if (from.has(worker)) this.#note(worker, id, null);
    if (last) this.#ended = this.#ended.then((ended) => sumOfCounters([ended, last]));
  }

  async #gather(others: readonly Worker[]): Promise<readonly ProcessReport[]> {
    this.#lastId += 1;
    const id = this.#lastId;
    const from = new Set(others.filter((worker) => worker.isConnected()));
    const all = new Promise<void>((resolve) => {
      this.#waiting.set(id, { from, done: resolve });
      if (from.size === 0) resolve();
      for (const worker of from) worker.send({ reports: 'wanted', id } satisfies ReportMessage);
    });
    await inTime(this.#app.clock, all, this.#app.timings.metrics.siblingMs, undefined);
    this.#waiting.delete(id);
    return [...this.#last.values(), await this.#ended];
  }

  #note(worker: Worker, id: number, report: ProcessReport | null): void {
    if (report) this.#last.set(worker, report);
    const waiting = this.#waiting.get(id);
    waiting?.from.delete(worker);
    if (waiting?.from.size === 0) waiting.done();
  }
}
