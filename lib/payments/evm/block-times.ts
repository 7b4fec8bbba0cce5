interface Header {
  readonly number: bigint;
  /** Seconds. */
  readonly timestamp: bigint;
}

/** So many of the last sightings say how late blocks become visible. */
const sightingsMax = 16;

/**
 * When the next block of a chain is due, if its blocks come at equal intervals of whole seconds. It is known from their
 * timestamps, and from how long after these they were seen at the earliest. A wrong guess only costs a poll, or makes one late.
 */
export class BlockTimes {
  #newest: Header | null = null;
  /** Between the timestamps of two blocks; null while that is not known, or differs. */
  #intervalMs: number | null = null;
  /** The same between the two blocks that were read last. */
  #lastMs: number | null = null;
  /** How long after its timestamp each block was seen, by a clock that starts anywhere. */
  readonly #delays: number[] = [];

  get areKnown(): boolean {
    return this.#intervalMs !== null;
  }

  /** Call with each newest block that was read. */
  read(header: Header, at: number): void {
    const before = this.#newest;
    if (before && header.number <= before.number) return;
    this.#newest = header;
    if (before) {
      const seconds = Number(header.timestamp - before.timestamp);
      const intervalMs = (seconds * 1_000) / Number(header.number - before.number);
      this.#intervalMs = intervalMs >= 1_000 && intervalMs === this.#lastMs ? intervalMs : null;
      this.#lastMs = intervalMs;
    }
    this.saw(header.number, at);
  }

  /** Call when any block was seen, perhaps long after it became visible. */
  saw(number: bigint, at: number): void {
    const timestampMs = this.#timestampOf(number);
    if (timestampMs === null) return;
    this.#delays.push(at - timestampMs);
    if (this.#delays.length > sightingsMax) this.#delays.shift();
  }

  /** How long it is until a block is due; null when that is not known. */
  dueIn(at: number): number | null {
    if (this.#newest === null || this.#intervalMs === null) return null;
    const since = at - Number(this.#newest.timestamp) * 1_000 - Math.min(...this.#delays);
    const left = this.#intervalMs - (since % this.#intervalMs);
    return Math.max(1, Math.min(left, this.#intervalMs));
  }

  #timestampOf(number: bigint): number | null {
    if (this.#newest === null) return null;
    const { number: newest, timestamp } = this.#newest;
    if (number === newest) return Number(timestamp) * 1_000;
    return this.#intervalMs === null
      ? null
      : Number(timestamp) * 1_000 + Number(number - newest) * this.#intervalMs;
  }
}
