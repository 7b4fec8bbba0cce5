/** What the fairness of a queue depends on. */
export interface Share {
  /** Lower goes first, no matter how long others have waited. */
  readonly rank: number;
  /**
   * The owners of the work, from coarse to fine, such as the client's address and then the payer. Owners take turns at every
   * level.
   */
  readonly owners: readonly string[];
}

interface Entry<Item> {
  readonly item: Item;
  readonly weight: number;
  share: Share;
}

interface Limits {
  readonly entriesMax: number;
  /** In the unit of `add`'s weight, such as bytes. */
  readonly weightMax: number;
}

/** How many owners are remembered when the queue is empty. */
const rememberedOwnersMax = 1_000;

/**
 * A bounded queue in which no owner waits behind another's many entries. The lowest rank goes first, owners of one rank
 * take turns, and an owner's entries keep their order. When the queue is full, the owner with the most entries at the
 * highest rank loses its newest one.
 */
export class FairQueue<Item> {
  readonly #limits: Limits;
  readonly #entries = new Map<Item, Entry<Item>>();
  /** When an owner was last served, as a counter. */
  readonly #servedAt = new Map<string, number>();
  #weight = 0;
  #services = 0;

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  get size(): number {
    return this.#entries.size;
  }

  /**
   * Adds an item that is not in the queue.
   * @returns the items that the queue has no room for, which may include the new one
   */
  add(item: Item, share: Share, weight = 1): Item[] {
    if (weight > this.#limits.weightMax) return [item];
    this.#entries.set(item, { item, weight, share });
    this.#weight += weight;
    const dropped: Item[] = [];
    while (this.#entries.size > this.#limits.entriesMax || this.#weight > this.#limits.weightMax) {
      const last = this.#findLast();
      if (!last) break;
      this.remove(last.item);
      dropped.push(last.item);
    }
    return dropped;
  }

  /** Removes and returns the next item; undefined when the queue is empty. */
  take(): Item | undefined {
    let candidates = [...this.#entries.values()];
    if (candidates.length === 0) return undefined;
    const rank = Math.min(...candidates.map((entry) => entry.share.rank));
    candidates = candidates.filter((entry) => entry.share.rank === rank);
    let owner = '';
    for (let level = 0; candidates.length > 1; level += 1) {
      const owners = [...new Set(candidates.map((entry) => nameAt(entry.share, level)))];
      if (owners.length === 1 && candidates.every(({ share }) => level >= share.owners.length)) break;
      owner = least(owners, (name) => this.#servedAt.get(name) ?? 0);
      candidates = candidates.filter((entry) => nameAt(entry.share, level) === owner);
    }
    const [first] = candidates;
    if (!first) return undefined;
    this.remove(first.item);
    this.#noteService(first.share);
    return first.item;
  }

  /** Changes the rank of a waiting item. */
  promote(item: Item, rank: number): void {
    const entry = this.#entries.get(item);
    if (entry) entry.share = { ...entry.share, rank };
  }

  /** @returns whether the item was in the queue */
  remove(item: Item): boolean {
    const entry = this.#entries.get(item);
    if (!entry) return false;
    this.#entries.delete(item);
    this.#weight -= entry.weight;
    return true;
  }

  #noteService(share: Share): void {
    if (this.#entries.size === 0 && this.#servedAt.size > rememberedOwnersMax) this.#servedAt.clear();
    this.#services += 1;
    for (const level of share.owners.keys()) this.#servedAt.set(nameAt(share, level), this.#services);
  }

  /** The newest entry of the owner with the most entries at the highest rank. */
  #findLast(): Entry<Item> | undefined {
    const entries = [...this.#entries.values()];
    const rank = Math.max(...entries.map((entry) => entry.share.rank));
    const worst = entries.filter((entry) => entry.share.rank === rank);
    const counts = new Map<string, number>();
    for (const { share } of worst) counts.set(nameAt(share, 0), (counts.get(nameAt(share, 0)) ?? 0) + 1);
    const greatest = Math.max(...counts.values());
    return worst.findLast((entry) => counts.get(nameAt(entry.share, 0)) === greatest);
  }
}

/** An owner with its parents, so that equal names under two parents are two owners. */
function nameAt({ owners }: Share, level: number): string {
  return owners.slice(0, level + 1).join('\n');
}

function least(names: readonly string[], of: (name: string) => number): string {
  return names.reduce((one, other) => (of(other) < of(one) ? other : one), names[0] ?? '');
}
