import type { Hex } from 'viem';

const gasOf = { warm: 100, coldSlot: 2_100, coldAccount: 2_600, change: 2_900, create: 20_000 } as const;

/**
 * Counts the gas of one call. What has been read or written once in a transaction costs less the next time (EIP-2929, EIP-2200).
 * Refunds are left out.
 */
export class GasMeter {
  readonly #warm: Set<string>;
  #used: number;

  /** @param warm what the transaction has touched */
  constructor(warm: Set<string>, used = 0) {
    this.#warm = warm;
    this.#used = used;
  }

  get used(): number {
    return this.#used;
  }

  take(gas: number): void {
    this.#used += gas;
  }

  account(address: string): void {
    this.#used += this.#isFirst(`account ${address}`) ? gasOf.coldAccount : gasOf.warm;
  }

  slot(key: string): void {
    this.#used += this.#isFirst(key) ? gasOf.coldSlot : gasOf.warm;
  }

  /** A slot that was read before is written. @param isEmpty whether it held zero */
  write(key: string, isEmpty: boolean): void {
    if (!this.#isFirst(`write ${key}`)) this.#used += gasOf.warm;
    else this.#used += isEmpty ? gasOf.create : gasOf.change;
  }

  #isFirst(name: string): boolean {
    if (this.#warm.has(name)) return false;
    this.#warm.add(name);
    return true;
  }
}

/** The gas that is taken before anything runs, and the least that a transaction costs (EIP-7623). */
export function intrinsicGas(data: Hex): { first: number; least: number } {
  let zeros = 0;
  for (let at = 2; at < data.length; at += 2) if (data[at] === '0' && data[at + 1] === '0') zeros += 1;
  const others = data.length / 2 - 1 - zeros;
  return { first: 21_000 + 4 * zeros + 16 * others, least: 21_000 + 10 * (zeros + 4 * others) };
}
