/** The owner of a job. Groups take turns, and so do payers within a group. */
export interface Owner {
  readonly group?: string;
  readonly payer?: string;
}

/** The bounds of a queue; none by default. */
export interface QueueBounds {
  /** How many jobs may wait, in total and of one payer. */
  readonly waitingMax?: number;
  readonly waitingOfPayerMax?: number;
  /** In the unit of the jobs' weight, such as bytes. */
  readonly waitingWeightMax?: number;
}

/** A group or a payer. */
export class Party {
  readonly key: string;
  /** Running jobs that are not revoked. */
  running = 0;
  /** When it was last served, or when it first came: twice the number of turns by then. */
  servedAt: number;
  /** Whether it is limited to its share until it has no more jobs, because others had to wait for it to give up a slot. */
  isLimited = false;

  constructor(key: string, servedAt: number) {
    this.key = key;
    this.servedAt = servedAt;
  }
}

class Group extends Party {
  readonly rank: Rank;
  readonly payers = new Map<string, Payer>();
  /** How many jobs of its payers wait. */
  waiting = 0;

  constructor(key: string, servedAt: number, rank: Rank) {
    super(key, servedAt);
    this.rank = rank;
  }
}

export class Payer extends Party {
  readonly group: Group;
  /** Waiting jobs, earliest first. */
  readonly jobs: Waiting[] = [];

  constructor(key: string, servedAt: number, group: Group) {
    super(key, servedAt);
    this.group = group;
  }
}

interface Rank {
  readonly number: number;
  readonly groups: Map<string, Group>;
}

/** A waiting job. */
export interface Waiting {
  payer: Payer;
  readonly weight: number;
  isWaiting: boolean;
  /** Ends the wait: the job may start, or it is dropped. */
  readonly end: (mayStart: boolean) => void;
}

/**
 * A bounded queue in which no owner waits behind another's many jobs. The lowest rank goes first. Within a rank it is the turn of
 * the group, and then of the payer, with the fewest running jobs, and among equals of the one served longest ago. The jobs of a
 * payer keep their order.
 */
export class FairQueue {
  readonly #bounds: Required<QueueBounds>;
  readonly #mayHaveMore: (party: Party) => boolean;
  /** Lowest first. */
  readonly #ranks: Rank[] = [];
  #served = 0;
  #size = 0;
  #weight = 0;

  /** @param mayHaveMore whether one more job of a group or payer may run */
  constructor(bounds: QueueBounds, mayHaveMore: (party: Party) => boolean) {
    const none = Number.POSITIVE_INFINITY;
    this.#bounds = { waitingMax: none, waitingOfPayerMax: none, waitingWeightMax: none, ...bounds };
    this.#mayHaveMore = mayHaveMore;
  }

  get size(): number {
    return this.#size;
  }

  /** All payers with jobs that wait or run. */
  get payers(): Payer[] {
    const groups = this.#ranks.flatMap((rank) => [...rank.groups.values()]);
    return groups.flatMap((group) => [...group.payers.values()]);
  }

  /** The record of an owner, for its jobs of this rank. */
  payerOf({ group: groupKey = '', payer: payerKey = '' }: Owner, rankNumber = 0): Payer {
    // A new party comes after those served earlier, and before the one served last.
    const servedAt = this.#served - 1;
    const rank = this.#rankOf(rankNumber);
    let group = rank.groups.get(groupKey);
    if (!group) {
      group = new Group(groupKey, servedAt, rank);
      rank.groups.set(groupKey, group);
    }
    let payer = group.payers.get(payerKey);
    if (!payer) {
      payer = new Payer(payerKey, servedAt, group);
      group.payers.set(payerKey, payer);
    }
    return payer;
  }

  add(job: Waiting): void {
    job.isWaiting = true;
    job.payer.jobs.push(job);
    job.payer.group.waiting += 1;
    this.#size += 1;
    this.#weight += job.weight;
  }

  remove(job: Waiting): void {
    job.isWaiting = false;
    const { jobs, group } = job.payer;
    if (jobs[0] === job) jobs.shift();
    else jobs.splice(jobs.indexOf(job), 1);
    group.waiting -= 1;
    this.#size -= 1;
    this.#weight -= job.weight;
    this.#forgetIdle(job.payer);
  }

  /** Changes the rank of a job, if it still waits. */
  move(job: Waiting, rank: number): void {
    const { key, group } = job.payer;
    if (!job.isWaiting) return;
    this.remove(job);
    job.payer = this.payerOf({ group: group.key, payer: key }, rank);
    this.add(job);
  }

  /** The job whose turn it is; null when none may run. */
  next(): Waiting | null {
    const waits = (payer: Payer) => payer.jobs.length > 0 && this.#mayHaveMore(payer);
    const hasWaiting = (group: Group) =>
      group.waiting > 0 && this.#mayHaveMore(group) && first(group.payers.values(), waits) !== null;
    for (const { groups } of this.#ranks) {
      const group = first(groups.values(), hasWaiting);
      if (group) return first(group.payers.values(), waits)?.jobs[0] ?? null;
    }
    return null;
  }

  /**
   * The job that has to go because more wait than may: the latest of the payer with the most, in the group with the most, at the
   * highest rank. Null when there is room for all.
   * @param newest was just added, and is the latest among equals
   */
  findExcess(newest: Waiting): Waiting | null {
    const { waitingMax, waitingOfPayerMax, waitingWeightMax } = this.#bounds;
    if (newest.payer.jobs.length > waitingOfPayerMax || newest.weight > waitingWeightMax) return newest;
    if (this.#size <= waitingMax && this.#weight <= waitingWeightMax) return null;
    const most = <P extends Party>(parties: Iterable<P>, count: (party: P) => number) => {
      const isOfNewest = (party: Party) => party === newest.payer || party === newest.payer.group;
      return largest(parties, (party) => count(party) + (isOfNewest(party) ? 0.5 : 0));
    };
    const rank = this.#ranks.findLast(({ groups }) =>
      [...groups.values()].some(({ waiting }) => waiting > 0),
    );
    const group = rank && most(rank.groups.values(), ({ waiting }) => waiting);
    return (group && most(group.payers.values(), ({ jobs }) => jobs.length))?.jobs.at(-1) ?? null;
  }

  countIn(payer: Payer): void {
    this.#served += 2;
    const { group } = payer;
    payer.running += 1;
    group.running += 1;
    payer.servedAt = this.#served;
    group.servedAt = this.#served;
  }

  countOut(payer: Payer): void {
    payer.running -= 1;
    payer.group.running -= 1;
    this.#forgetIdle(payer);
  }

  #forgetIdle({ key, running, jobs, group }: Payer): void {
    if (running > 0 || jobs.length > 0) return;
    group.payers.delete(key);
    if (group.payers.size === 0) group.rank.groups.delete(group.key);
  }

  #rankOf(number: number): Rank {
    const known = this.#ranks.find((rank) => rank.number === number);
    if (known) return known;
    const rank: Rank = { number, groups: new Map() };
    this.#ranks.push(rank);
    this.#ranks.sort((one, other) => one.number - other.number);
    return rank;
  }
}

/** The last item with the largest count; null when there is none. */
export function largest<T>(items: Iterable<T>, count: (item: T) => number): T | null {
  let best: T | null = null;
  for (const item of items) if (best === null || count(item) >= count(best)) best = item;
  return best;
}

/** The party whose turn it is: fewest running jobs, then served longest ago. */
function first<P extends Party>(parties: Iterable<P>, mayBe: (party: P) => boolean): P | null {
  const isBefore = (one: P, other: P) =>
    one.running === other.running ? one.servedAt < other.servedAt : one.running < other.running;
  let best: P | null = null;
  for (const party of parties) if (mayBe(party) && (best === null || isBefore(party, best))) best = party;
  return best;
}
