import type { Clock } from '@/lib/platform/clock';
import {
  FairQueue,
  largest,
  type Owner,
  type Party,
  type Payer,
  type QueueBounds,
  type Waiting,
} from './fair-queue';

/** A job's place in the queue. Jobs without owners run in order. */
export interface Place extends Owner {
  /** Lower goes first, no matter how long others have waited; 0 by default. */
  readonly rank?: number;
  /** In the unit of `waitingWeightMax`; 1 by default. */
  readonly weight?: number;
  /** Called when the job has to wait, with a function that changes its rank while it waits. */
  readonly onWait?: (setRank: (rank: number) => void) => void;
}

interface Patience {
  readonly clock: Pick<Clock, 'after'>;
  /** How long a job may wait, in milliseconds. */
  readonly waitMs: number;
  /**
   * How long a job waits, in milliseconds, before jobs of owners with more than their share are revoked. Without it no
   * job is revoked.
   */
  readonly revokeAfterMs?: number;
}

export interface FairLimitOptions extends QueueBounds {
  /** How many jobs run at a time; a function if that changes. */
  readonly size: number | (() => number);
  /** Without it, a job waits for as long as it takes. */
  readonly patience?: Patience;
}

/** Permission to run one job. */
export interface Lease {
  /** Aborted when the job has to end, because others wait and its owner has more than its share. */
  readonly revoked: AbortSignal;
  /** Call when the job has ended, revoked or not. */
  release(): void;
}

/** How many jobs wait, and how many run. */
export interface Load {
  readonly waiting: number;
  readonly running: number;
}

/** The queue has no room for the work, so the work was not started. */
export class QueueFull extends Error {
  override readonly name = 'QueueFull';
}

class Running implements Lease {
  readonly payer: Payer;
  readonly #end: (running: Running) => void;
  #revocation: AbortController | null = null;
  isRevoked = false;

  constructor(payer: Payer, end: (running: Running) => void) {
    this.payer = payer;
    this.#end = end;
  }

  /** Made when somebody asks, because most jobs are never revoked, and a signal costs more than the rest of a turn. */
  get revoked(): AbortSignal {
    this.#revocation ??= new AbortController();
    if (this.isRevoked) this.#revocation.abort();
    return this.#revocation.signal;
  }

  revoke(): void {
    this.isRevoked = true;
    this.#revocation?.abort();
  }

  release(): void {
    this.#end(this);
  }
}

/**
 * Limits how many jobs run at once; with one slot it is a lock. Those that wait are in a fair queue. A payer alone may use every
 * slot. Where jobs can be revoked, nobody keeps more than a share, which is half of the slots, while others wait
 * (docs/decisions/unpaid-work.md).
 */
export class FairLimit {
  readonly #options: FairLimitOptions;
  readonly #queue: FairQueue;
  readonly #running = new Set<Running>();

  constructor(options: FairLimitOptions) {
    this.#options = options;
    this.#queue = new FairQueue(options, ({ isLimited, running }) => !isLimited || running < this.#share);
  }

  get load(): Load {
    return { waiting: this.#queue.size, running: this.#running.size };
  }

  /**
   * Runs work when it is its turn.
   * @throws QueueFull when the queue is full, or the wait took too long
   */
  async run<T>(work: () => Promise<T>, place: Place = {}): Promise<T> {
    const lease = await this.enter(place);
    if (!lease) throw new QueueFull('too much work waits');
    try {
      return await work();
    } finally {
      lease.release();
    }
  }

  /** @returns permission to run a job; null when the queue is full, or the wait took too long */
  enter(place: Place = {}): Promise<Lease | null> {
    return new Promise((resolve) => {
      let stopTimers = () => {};
      const job: Waiting = {
        payer: this.#queue.payerOf(place, place.rank),
        weight: place.weight ?? 1,
        isWaiting: false,
        end: (mayStart) => {
          stopTimers();
          const lease = mayStart ? this.#start(job.payer) : null;
          this.#queue.remove(job);
          resolve(lease);
        },
      };
      this.#queue.add(job);
      this.#startWaiting();
      this.#makeRoom(job);
      if (!job.isWaiting) return;
      stopTimers = this.#startTimers(job);
      place.onWait?.((rank) => this.#queue.move(job, rank));
    });
  }

  /** Whether another job of this owner would be accepted. */
  hasRoomFor(owner: Owner): boolean {
    const trial: Waiting = { payer: this.#queue.payerOf(owner), weight: 1, isWaiting: false, end: () => {} };
    this.#queue.add(trial);
    // No other job may start: it would have.
    const hasRoom = this.#findNext() !== null || this.#queue.findExcess(trial) !== trial;
    this.#queue.remove(trial);
    return hasRoom;
  }

  get #size(): number {
    const { size } = this.#options;
    return typeof size === 'number' ? size : size();
  }

  get #share(): number {
    return Math.max(1, Math.floor(this.#size / 2));
  }

  #findNext(): Waiting | null {
    return this.#queue.size > 0 && this.#running.size < this.#size ? this.#queue.next() : null;
  }

  #startWaiting(): void {
    for (let next = this.#findNext(); next; next = this.#findNext()) next.end(true);
  }

  #makeRoom(newest: Waiting): void {
    for (let excess = this.#excess(newest); excess; excess = this.#excess(newest)) excess.end(false);
  }

  #excess(newest: Waiting): Waiting | null {
    return newest.isWaiting ? this.#queue.findExcess(newest) : null;
  }

  #start(payer: Payer): Lease {
    this.#queue.countIn(payer);
    const running = new Running(payer, this.#release);
    this.#running.add(running);
    return running;
  }

  readonly #release = (running: Running): void => {
    if (!this.#running.delete(running)) return;
    if (!running.isRevoked) this.#queue.countOut(running.payer);
    this.#startWaiting();
  };

  #startTimers(job: Waiting): () => void {
    const { patience } = this.#options;
    if (!patience) return () => {};
    const { clock, waitMs, revokeAfterMs } = patience;
    const cancelWait = clock.after(waitMs, () => job.end(false));
    let cancelRevocation = () => {};
    const revokeLater = (ms: number) => {
      cancelRevocation = clock.after(ms, () => {
        this.#revokeFor(job.payer);
        revokeLater(ms);
      });
    };
    if (revokeAfterMs !== undefined) revokeLater(revokeAfterMs);
    return () => {
      cancelWait();
      cancelRevocation();
    };
  }

  /** Revokes a job of the payer that is furthest above its share, for a payer that waits with less than a share. */
  #revokeFor(waiting: Payer): void {
    const share = this.#share;
    const isAboveShare = ({ payer, isRevoked }: Running): boolean => {
      if (isRevoked) return false;
      const isSameGroup = payer.group === waiting.group;
      const [theirs, own] = isSameGroup ? [payer, waiting] : [payer.group, waiting.group];
      return theirs.running > share && own.running < share;
    };
    const running = [...this.#running];
    const ending = running.filter(({ isRevoked }) => isRevoked).length;
    const belowShare = this.#queue.payers.filter((payer) => payer.jobs.length > 0 && payer.running < share);
    if (ending >= belowShare.length) return;
    // The latest job of a payer loses the least work.
    const victim = largest(running.filter(isAboveShare), ({ payer }) => payer.running);
    if (!victim) return;
    const { payer } = victim;
    const above: Party = payer.group === waiting.group ? payer : payer.group;
    above.isLimited = true;
    this.#queue.countOut(payer);
    victim.revoke();
  }
}
