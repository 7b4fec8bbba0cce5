import type { Hex } from 'viem';

export type Value = bigint | string;
export type Writes = Map<string, Value>;

export interface Reader {
  get(key: string): Value | undefined;
}

export interface LogEntry {
  readonly address: Hex;
  readonly topics: readonly Hex[];
  readonly data: Hex;
}

/** The names of what a chain stores. Addresses are in lower case. */
export const keys = {
  gas: (address: string) => `gas ${address}`,
  nonce: (address: string) => `nonce ${address}`,
  code: (address: string) => `code ${address}`,
  usdc: (address: string) => `usdc ${address}`,
  authorization: (address: string, nonce: string) => `authorization ${address} ${nonce}`,
  blocked: (address: string) => `blocked ${address}`,
  paused: 'paused',
} as const;

/** Changes on top of a state, which are kept or forgotten together. */
export class Frame implements Reader {
  readonly #below: Reader;
  readonly writes: Writes = new Map();
  readonly logs: LogEntry[] = [];

  constructor(below: Reader) {
    this.#below = below;
  }

  get(key: string): Value | undefined {
    return this.writes.get(key) ?? this.#below.get(key);
  }

  number(key: string): bigint {
    const value = this.get(key);
    return typeof value === 'bigint' ? value : 0n;
  }

  set(key: string, value: Value): void {
    this.writes.set(key, value);
  }

  log(entry: LogEntry): void {
    this.logs.push(entry);
  }

  /** Keeps the changes of a call within this one. */
  keep(inner: Frame): void {
    for (const [key, value] of inner.writes) this.writes.set(key, value);
    this.logs.push(...inner.logs);
  }
}
