/** For whom a job is done. */
export interface Client {
  readonly payer: string;
  /** Whether this payer has never been charged, as far as is known. */
  readonly isNewcomer: boolean;
  /** Is told how much work a job was: ms of a browser, nothing of a job that was revoked. */
  readonly countWork: (amount: number) => void;
}

/** A payer whose call is charged: work for it counts against no budget. */
export function paying(payer: string): Client {
  return { payer, isNewcomer: false, countWork: () => undefined };
}

/** Whose job it is. Turns go round between groups, and within a group between payers. */
export interface Owner {
  readonly payer: string;
  readonly group: string;
}

/** Wallets are free to make, so all payers who have never been charged have the turns of one. */
const newcomers = 'newcomers';

/** A payer who has been charged before has turns of their own. */
export function ownerOf({ payer, isNewcomer }: Pick<Client, 'payer' | 'isNewcomer'>): Owner {
  return { payer, group: isNewcomer ? newcomers : `payer:${payer}` };
}

export interface FairSemaphoreOptions {
  /** How many jobs run at a time. */
  readonly size: number;
  /** How many more may wait; of one payer half of it, rounded up. */
  readonly waitingMax: number;
  /** How long a job may wait, ms. */
  readonly waitMs: number;
  /** How long a job waits, ms, before those who hold more than a share have jobs revoked. Left out: none is revoked. */
  readonly revokeAfterMs?: number;
}

/** The permission to run one job. */
export interface Lease {
  /** Aborted when the job has to end, because others wait and its owner holds more than a share. */
  readonly revoked: AbortSignal;
  /** To be called when the job has ended, revoked or not. */
  release(): void;
}

/** Who has jobs, on one of the two levels. */
interface Party {
  readonly key: string;
  /** Jobs that run and are not revoked. */
  running: number;
  /** When it was served last, or else when it came: the count of turns by then, doubled. */
  turn: number;
  /** Whether it has no more than a share until it has no jobs: others had to wait for what it held. */
  isLimited: boolean;
}

interface Group extends Party {
  readonly payers: Map<string, Payer>;
}

interface Payer extends Party {
  readonly group: Group;
  /** Answers of the jobs that wait, earliest first. */
  readonly waiting: ((lease: Lease | null) => void)[];
}

interface Running {
  readonly payer: Payer;
  readonly revocation: AbortController;
}

/** What has to happen before a further job can wait. */
type Room = { readonly turnedAway: Payer | null };

/**
 * A bounded queue that is fair between its users. A free place goes to who holds the fewest, and among these to who was
 * served longest ago; so the further jobs of a payer wait behind the first ones of others. Alone, a payer may
 * have every place; while others wait, nobody keeps more than a share, half of the places. A full queue turns away the
 * latest job of who has the most waiting (docs/decisions/uncharged-work.md).
 */
export class FairSemaphore {
  readonly #options: FairSemaphoreOptions;
  readonly #share: number;
  readonly #waitingOfPayerMax: number;
  readonly #groups = new Map<string, Group>();
  readonly #running = new Set<Running>();
  #turn = 0;

  constructor(options: FairSemaphoreOptions) {
    this.#options = options;
    this.#share = Math.max(1, Math.floor(options.size / 2));
    this.#waitingOfPayerMax = Math.ceil(options.waitingMax / 2);
  }

  /** Whether a further job of this owner would be taken. */
  hasRoomFor(owner: Owner): boolean {
    return this.#mayStart(owner) || this.#findRoom(owner) !== null;
  }

  /** @returns the permission to run a job; null when too many wait, or it took too long */
  async enter(owner: Owner): Promise<Lease | null> {
    if (this.#mayStart(owner)) return this.#start(this.#payerOf(owner));
    const room = this.#findRoom(owner);
    if (!room) return null;
    room.turnedAway?.waiting.at(-1)?.(null);
    return this.#wait(this.#payerOf(owner));
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
      const timers = [setTimeout(() => answer(null), waitMs)];
      if (revokeAfterMs !== undefined) timers.push(setInterval(() => this.#revokeFor(payer), revokeAfterMs));
      const answer = (lease: Lease | null) => {
        for (const timer of timers) clearTimeout(timer);
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
    this.#turn += 2;
    for (const party of [payer, payer.group]) {
      party.running += 1;
      party.turn = this.#turn;
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

  /** Takes a place back for a payer who waits with less than a share, from whoever has the most above one. */
  #revokeFor(waiting: Payer): void {
    const isAboveShare = ({ payer, revocation }: Running): boolean => {
      if (revocation.signal.aborted) return false;
      const isSameGroup = payer.group === waiting.group;
      const [theirs, own] = isSameGroup ? [payer, waiting] : [payer.group, waiting.group];
      return theirs.running > this.#share && own.running < this.#share;
    };
    const ending = [...this.#running].filter(({ revocation }) => revocation.signal.aborted).length;
    if (ending >= this.#countBelowShare()) return;
    // The latest job has the least to lose.
    const latestFirst = [...this.#running].reverse();
    const victim = largest(latestFirst.filter(isAboveShare), ({ payer }) => payer.running);
    if (!victim) return;
    this.#countOut(victim.payer);
    const { payer } = victim;
    (payer.group === waiting.group ? payer : payer.group).isLimited = true;
    victim.revocation.abort();
  }

  /** How many payers wait with less than a share. */
  #countBelowShare(): number {
    const payers = [...this.#groups.values()].flatMap((group) => [...group.payers.values()]);
    return payers.filter(({ running, waiting }) => waiting.length > 0 && running < this.#share).length;
  }

  #payerOf({ group: groupKey, payer: payerKey }: Owner): Payer {
    // Before who was served last, after who was served earlier.
    const party = (key: string) => ({ key, running: 0, turn: this.#turn - 1, isLimited: false });
    const group = this.#groups.get(groupKey) ?? { ...party(groupKey), payers: new Map() };
    this.#groups.set(groupKey, group);
    const payer = group.payers.get(payerKey) ?? { ...party(payerKey), group, waiting: [] };
    group.payers.set(payerKey, payer);
    return payer;
  }

  /** A payer whose revoked job has yet to end may have come again meanwhile, so only the very record is deleted. */
  #forgetIdle(payer: Payer): void {
    const { key, running, waiting, group } = payer;
    if (running > 0 || waiting.length > 0) return;
    if (group.payers.get(key) === payer) group.payers.delete(key);
    if (group.payers.size === 0 && this.#groups.get(group.key) === group) this.#groups.delete(group.key);
  }
}

const waitingOf = ({ payers }: Group) => sumOf([...payers.values()], ({ waiting }) => waiting.length);

function sumOf<T>(items: readonly T[], count: (item: T) => number): number {
  return items.reduce((sum, item) => sum + count(item), 0);
}

/** The first of those with the largest count; null when there is none. */
function largest<T>(items: readonly T[], count: (item: T) => number): T | null {
  return items.reduce<T | null>((best, item) => (best && count(best) >= count(item) ? best : item), null);
}

/** Whose turn it is: who holds the fewest, then who was served longest ago. */
function first<P extends Party>(parties: readonly P[]): P | null {
  const isBefore = (one: P, other: P) =>
    one.running === other.running ? one.turn < other.turn : one.running < other.running;
  return parties.reduce<P | null>((best, one) => (best && !isBefore(one, best) ? best : one), null);
}
