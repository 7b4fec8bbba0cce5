import cluster, { type Worker } from 'node:cluster';
import { RateLimiterClusterMaster } from 'rate-limiter-flexible';
import { backoffMs } from '@/lib/platform/backoff';
import type { Platform } from '@/lib/platform/platform';
import type { Siblings } from '@/lib/platform/siblings';
import { warnOfMisspelt } from '@/lib/platform/warn-of-misspelt';
import { ReportRelay, siblingReports } from './process-reports';

/** Set by the parent: the number of a process. */
const numberVariable = 'TUPPENCE_PROCESS';

/** How many `alive` messages a process may miss before it counts as hanging. */
const missedMax = 6;

type ParentApp = Pick<Platform, 'settings' | 'clock' | 'timings' | 'log'>;

/**
 * Serves in this process or, with PROCESSES above 1, in that many processes on the same port. This one is then their
 * parent, which starts and replaces them and does nothing else. Every process is a complete server with its own
 * instance in the database (docs/decisions/processes.md).
 * @param environment of this process
 * @param serveHere serves in this process; it gets the siblings, if there are any
 */
export async function runProcesses(
  app: ParentApp,
  environment: Record<string, string | undefined>,
  serveHere: (siblings: Siblings | null) => Promise<void>,
): Promise<void> {
  const number = environment[numberVariable];
  if (number !== undefined) {
    tellAlive(app);
    return serveHere(siblingsOf(Number(number)));
  }
  warnOfMisspelt(app.log, environment);
  if (app.settings.PROCESSES === 1) return serveHere(null);
  new Parent(app).start();
}

/** Messages between a process and its parent. The parent forwards those that are for the siblings. */
interface Message {
  readonly tuppence: 'alive' | 'stop' | 'paying' | 'queued' | 'settled';
  /** Of the charge that was queued or settled. */
  readonly network?: string;
}

const forSiblings: readonly Message['tuppence'][] = ['paying', 'queued', 'settled'];

/** Other messages come from Node and from the limiters. */
function isOurs(message: unknown): message is Message {
  return typeof message === 'object' && message !== null && 'tuppence' in message;
}

/** Tells the parent, over and over, that this process is not hanging. */
function tellAlive(app: ParentApp): void {
  tell({ tuppence: 'alive' });
  app.clock.after(app.timings.processes.aliveMs, () => tellAlive(app));
}

function siblingsOf(number: number): Siblings {
  const on = (what: Message['tuppence'], listener: (network: string) => void) =>
    process.on('message', (message) => {
      if (isOurs(message) && message.tuppence === what) listener(message.network ?? '');
    });
  return {
    number,
    tellPaying: () => tell({ tuppence: 'paying' }),
    onPaying: (listener) => on('paying', listener),
    tellQueued: oncePerTick((network) => tell({ tuppence: 'queued', network })),
    onQueued: (listener) => on('queued', listener),
    tellSettled: oncePerTick((network) => tell({ tuppence: 'settled', network })),
    onSettled: (listener) => on('settled', listener),
    onStop: (listener) => on('stop', listener),
    ...siblingReports(),
  };
}

function tell(message: Message): void {
  // The parent may be gone.
  if (process.connected) process.send?.(message);
}

/** Charges are queued in batches and settled in batches. The siblings are told once per batch, after its last charge. */
function oncePerTick(tellOf: (network: string) => void): (network: string) => void {
  const pending = new Set<string>();
  return (network) => {
    if (pending.has(network)) return;
    pending.add(network);
    setImmediate(() => {
      pending.delete(network);
      tellOf(network);
    });
  };
}

class Parent {
  readonly #app: ParentApp;
  /** Each with the number of `alive` messages that it has missed in a row. */
  readonly #running = new Map<Worker, number>();
  /** Processes that accept connections. Only these are sent messages. */
  readonly #listening = new WeakSet<Worker>();
  readonly #reports: ReportRelay;
  #haveListened = false;
  #exitCode: number | null = null;

  constructor(app: ParentApp) {
    this.#app = app;
    this.#reports = new ReportRelay(app);
  }

  start(): void {
    const { PROCESSES } = this.#app.settings;
    // Keeps the rate limit counts of all processes.
    new RateLimiterClusterMaster();
    cluster.on('message', (sender, message) => {
      this.#reports.receive(sender, message, this.#othersListening(sender));
      if (!isOurs(message)) return;
      if (forSiblings.includes(message.tuppence)) this.#tellAll(message, sender);
      if (message.tuppence === 'alive' && this.#running.has(sender)) this.#running.set(sender, 0);
    });
    cluster.on('listening', (worker) => {
      this.#listening.add(worker);
      this.#haveListened = true;
    });
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => this.#stop(0));
    this.#app.log.info({ processes: PROCESSES }, 'starting processes');
    this.#app.clock.after(this.#app.timings.processes.aliveMs, () => this.#watch());
    for (let number = 1; number <= PROCESSES; number += 1) this.#fork(number, 0);
  }

  /**
   * Kills processes that hang. It counts its own ticks rather than time, so that no process is killed because the whole
   * machine stood still.
   */
  #watch(): void {
    for (const [worker, missed] of this.#running) {
      this.#running.set(worker, missed + 1);
      if (missed < missedMax) continue;
      this.#app.log.error({ pid: worker.process.pid }, 'a process that hangs is killed');
      worker.process.kill('SIGKILL');
    }
    this.#app.clock.after(this.#app.timings.processes.aliveMs, () => this.#watch());
  }

  /** @param failures how many processes with this number have ended early, one after the other */
  #fork(number: number, failures: number): void {
    if (this.#exitCode !== null) return;
    const startedAt = this.#app.clock.monotonic();
    const worker = cluster.fork({ [numberVariable]: String(number) });
    this.#running.set(worker, 0);
    // A message to a process that has just ended; `exit` follows.
    worker.on('error', () => undefined);
    worker.once('exit', (code, signal) => {
      this.#running.delete(worker);
      this.#reports.end(worker);
      if (this.#exitCode !== null) return this.#exitAfterLast();
      // It has logged what is wrong. The others would fail in the same way.
      if (!this.#haveListened && code !== 0 && code !== null) return this.#stop(1);
      const livedMs = this.#app.clock.monotonic() - startedAt;
      this.#replace(number, livedMs < this.#app.timings.processes.steadyMs ? failures + 1 : 1, {
        code,
        signal,
      });
    });
  }

  /** Replaces a process: at once the first time, then less and less often if it keeps ending early. */
  #replace(number: number, failures: number, end: { code: number | null; signal: string | null }): void {
    const { restartFirstMs: firstMs, restartMaxMs: maxMs } = this.#app.timings.processes;
    const afterMs = failures === 1 ? 0 : backoffMs({ firstMs, maxMs }, failures - 2);
    this.#app.log.error({ process: number, ...end, afterMs }, 'a process ended and will be replaced');
    this.#app.clock.after(afterMs, () => this.#fork(number, failures));
  }

  /** Every process finishes its requests and ends, then this one. */
  #stop(exitCode: number): void {
    if (this.#exitCode !== null) return;
    this.#exitCode = exitCode;
    this.#tellAll({ tuppence: 'stop' }, null);
    for (const worker of this.#running.keys()) if (!this.#listening.has(worker)) worker.kill();
    this.#exitAfterLast();
  }

  #exitAfterLast(): void {
    if (this.#running.size > 0) return;
    this.#app.log.info('stopped');
    process.exit(this.#exitCode ?? 0);
  }

  #othersListening(sender: Worker): Worker[] {
    return [...this.#running.keys()].filter((worker) => worker !== sender && this.#listening.has(worker));
  }

  #tellAll(message: Message, except: Worker | null): void {
    for (const worker of this.#running.keys()) {
      if (worker !== except && worker.isConnected()) worker.send(message);
    }
  }
}
