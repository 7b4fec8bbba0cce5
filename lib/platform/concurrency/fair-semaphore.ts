import type { Clock } from '@/lib/platform/clock';
import { ownerKey } from '@/lib/platform/owner-key';

/** Who a job is for. */
interface Customer {
  readonly payer: string;
  /** The only network on which the address identifies the payer; null when it does on every network. */
  readonly onlyOn: string | null;
}

/** The client of a job. */
export interface Client extends Customer {
  /** Whether, as far as known, this payer has never been charged. */
  readonly isNewcomer: boolean;
  /** Reports the work of a job, in milliseconds of browser time; reports nothing for a revoked job. */
  readonly countWork: (amount: number) => void;
}

/** A payer whose call is charged, so the work counts against no budget. */
export function paying({ payer, onlyOn }: Customer): Client {
  return { payer, onlyOn, isNewcomer: false, countWork: () => undefined };
}

/** The owner of a job. Groups take turns, and so do payers within a group. */
export interface Owner {
  readonly payer: string;
  readonly group: string;
}

/** Wallets cost nothing, so all payers who have never been charged share one group. */
const newcomers = 'newcomers';

/** A payer who has been charged before is their own group. */
export function ownerOf({ payer: address, onlyOn, isNewcomer }: Omit<Client, 'countWork'>): Owner {
  const payer = ownerKey(address, onlyOn);
  return { payer, group: isNewcomer ? newcomers : `payer:${payer}` };
}

export interface FairSemaphoreOptions {
  /** How many jobs run at a time. */
  readonly size: number;
  /** How many more may wait. One payer may take up half of these places, rounded up. */
  readonly waitingMax: number;
  /** How long a job may wait, in milliseconds. */
  readonly waitMs: number;
  /**
   * How long a job waits, in milliseconds, before jobs of owners with more than their share are revoked. Without it no
   * job is revoked.
   */
  readonly revokeAfterMs?: number;
}

/** Permission to run one job. */
export interface Lease {
  /** Aborted when the job has to end, because others wait and its owner has more than its share. */
  readonly revoked: AbortSignal;
  /** Call when the job has ended, revoked or not. */
  release(): void;
}

/** A group or a payer. */
interface Party {
  readonly key: string;
  /** Running jobs that are not revoked. */
  running: number;
  /** When it was last served, or when it first came: twice the number of turns by then. */
  servedAt: number;
  /** Whether it is limited to its share until it has no more jobs, because others had to wait for it to give up a slot. */
  isLimited: boolean;
}

interface Group extends Party {
  readonly payers: Map<string, Payer>;
}

interface Payer extends Party {
  readonly group: Group;
  /** Resolvers of the waiting jobs, earliest first. */
  readonly waiting: ((lease: Lease | null) => void)[];
}

interface Running {
  readonly payer: Payer;
  readonly revocation: AbortController;
}

/** Whose waiting job has to be rejected before another job can wait; null when nobody's. */
type Room = { readonly turnedAway: Payer | null };

/**
 * A semaphore with a bounded, fair queue. A free slot goes to the payer with the fewest running jobs, and among equals to the
 * one served longest ago. A payer alone may use every slot. While others wait, nobody keeps more than a share, which is half of
 * the slots. A full queue rejects the latest job of the payer with the most waiting jobs (docs/decisions/unpaid-work.md).
 */
export class FairSemaphore {
  readonly #clock: Pick<Clock, 'after'>;
  readonly #options: FairSemaphoreOptions;
  readonly #share: number;
  readonly #waitingOfPayerMax: number;
  readonly #groups = new Map<string, Group>();
  readonly #running = new Set<Running>();
  #served = 0;

  constructor(clock: Pick<Clock, 'after'>, options: FairSemaphoreOptions) {
    this.#clock = clock;
    this.#options = options;
    this.#share = Math.max(1, Math.floor(options.size / 2));
    this.#waitingOfPayerMax = Math.ceil(options.waitingMax / 2);
  }

  /** Whether another job of this owner would be accepted. */
  hasRoomFor(owner: Owner): boolean {
    return this.#mayStart(owner) || this.#findRoom(owner) !== null;
  }

  /** @returns permission to run a job; null when the queue is full, or the wait took too long */
  async enter(owner: Owner): Promise<Lease | null> {
    if (this.#mayStart(owner)) return this.#start(this.#payerOf(owner));
    const room = this.#findRoom(owner);
    if (!room) return null;
    room.turnedAway?.waiting.at(-1)?.(null);
    return this.#wait(this.#payerOf(owner));
  }

  get load(): Load {
    return { waiting: sumOf([...this.#groups.values()], waitingOf), running: this.#running.size };
  }

  get #isFree(): boolean {
    return this.#running.size < this.#options.size;
  }

  #mayStart(owner: Owner): boolean {
    const group = this.#groups.get(owner.group);
    const payer = group?.payers.get(owner.payer);
    return this.#isFree && [group, payer].every((party) => !party || this.#mayHaveMore(party));
  }

  #mayHaveMore({ isLimited, running }: Party): boolean {
    return !isLimited || running < this.#share;
  }

  #wait(payer: Payer): Promise<Lease | null> {
    const { waitMs, revokeAfterMs } = this.#options;
    return new Promise((resolve) => {
      const cancelWait = this.#clock.after(waitMs, () => answer(null));
      let cancelRevocation = () => {};
      const revokeLater = (ms: number) => {
        cancelRevocation = this.#clock.after(ms, () => {
          this.#revokeFor(payer);
          revokeLater(ms);
        });
      };
      if (revokeAfterMs !== undefined) revokeLater(revokeAfterMs);
      const answer = (lease: Lease | null) => {
        cancelWait();
        cancelRevocation();
        payer.waiting.splice(payer.waiting.indexOf(answer), 1);
        this.#forgetIdle(payer);
        resolve(lease);
      };
      payer.waiting.push(answer);
    });
  }

  #findRoom(owner: Owner): Room | null {
    const group = this.#groups.get(owner.group);
    const own = group?.payers.get(owner.payer)?.waiting.length ?? 0;
    if (own >= this.#waitingOfPayerMax) return null;
    const groups = [...this.#groups.values()];
    if (sumOf(groups, waitingOf) < this.#options.waitingMax) return { turnedAway: null };
    const longest = largest(groups, waitingOf);
    if (longest && longest !== group && waitingOf(longest) > (group ? waitingOf(group) : 0) + 1)
      return { turnedAway: largest([...longest.payers.values()], ({ waiting }) => waiting.length) };
    const payer = largest([...(group?.payers.values() ?? [])], ({ waiting }) => waiting.length);
    return payer && payer.waiting.length > own + 1 ? { turnedAway: payer } : null;
  }

  #start(payer: Payer): Lease {
    this.#served += 2;
    for (const party of [payer, payer.group]) {
      party.running += 1;
      party.servedAt = this.#served;
    }
    const running: Running = { payer, revocation: new AbortController() };
    this.#running.add(running);
    return { revoked: running.revocation.signal, release: () => this.#end(running) };
  }

  #end(running: Running): void {
    if (!this.#running.delete(running)) return;
    if (!running.revocation.signal.aborted) this.#countOut(running.payer);
    this.#forgetIdle(running.payer);
    for (let next = this.#next(); next && this.#isFree; next = this.#next()) {
      next.waiting[0]?.(this.#start(next));
    }
  }

  #countOut(payer: Payer): void {
    payer.running -= 1;
    payer.group.running -= 1;
  }

  #next(): Payer | null {
    const waits = (payer: Payer) => payer.waiting.length > 0 && this.#mayHaveMore(payer);
    const payersOf = (group: Group) => [...group.payers.values()].filter(waits);
    const groups = [...this.#groups.values()].filter((group) => this.#mayHaveMore(group));
    const group = first(groups.filter((one) => payersOf(one).length > 0));
    return group && first(payersOf(group));
  }

  /** Revokes a job of the payer that is furthest above its share, for a payer that waits with less than a share. */
  #revokeFor(waiting: Payer): void {
    const isAboveShare = ({ payer, revocation }: Running): boolean => {
      if (revocation.signal.aborted) return false;
      const isSameGroup = payer.group === waiting.group;
      const [theirs, own] = isSameGroup ? [payer, waiting] : [payer.group, waiting.group];
      return theirs.running > this.#share && own.running < this.#share;
    };
    const ending = [...this.#running].filter(({ revocation }) => revocation.signal.aborted).length;
    if (ending >= this.#countBelowShare()) return;
    // The latest job loses the least work.
    const latestFirst = [...this.#running].reverse();
    const victim = largest(latestFirst.filter(isAboveShare), ({ payer }) => payer.running);
    if (!victim) return;
    this.#countOut(victim.payer);
    const { payer } = victim;
    (payer.group === waiting.group ? payer : payer.group).isLimited = true;
    victim.revocation.abort();
  }

  /** How many waiting payers have less than a share. */
  #countBelowShare(): number {
    const payers = [...this.#groups.values()].flatMap((group) => [...group.payers.values()]);
    return payers.filter(({ running, waiting }) => waiting.length > 0 && running < this.#share).length;
  }

  #payerOf({ group: groupKey, payer: payerKey }: Owner): Payer {
    // A new party comes after those served earlier, and before the one served last.
    const party = (key: string) => ({ key, running: 0, servedAt: this.#served - 1, isLimited: false });
    const group = this.#groups.get(groupKey) ?? { ...party(groupKey), payers: new Map() };
    this.#groups.set(groupKey, group);
    const payer = group.payers.get(payerKey) ?? { ...party(payerKey), group, waiting: [] };
    group.payers.set(payerKey, payer);
    return payer;
  }

  /** The payer may have come back while a revoked job was ending, so only its own record is deleted. */
  #forgetIdle(payer: Payer): void {
    const { key, running, waiting, group } = payer;
    if (running > 0 || waiting.length > 0) return;
    if (group.payers.get(key) === payer) group.payers.delete(key);
    if (group.payers.size === 0 && this.#groups.get(group.key) === group) this.#groups.delete(group.key);
  }
}

/** How many jobs wait, and how many run. */
export interface Load {
  readonly waiting: number;
  readonly running: number;
}

const waitingOf = ({ payers }: Group) => sumOf([...payers.values()], ({ waiting }) => waiting.length);

function sumOf<T>(items: readonly T[], count: (item: T) => number): number {
  return items.reduce((sum, item) => sum + count(item), 0);
}

/** The first item with the largest count; null when there is none. */
function largest<T>(items: readonly T[], count: (item: T) => number): T | null {
  return items.reduce<T | null>((best, item) => (best && count(best) >= count(item) ? best : item), null);
}

/** The party whose turn it is: fewest running jobs, then served longest ago. */
function first<P extends Party>(parties: readonly P[]): P | null {
  const isBefore = (one: P, other: P) =>
    one.running === other.running ? one.servedAt < other.servedAt : one.running < other.running;
  return parties.reduce<P | null>((best, one) => (best && !isBefore(one, best) ? best : one), null);
}
