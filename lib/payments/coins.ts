/** A coin that pays for gas. */
export interface Coin {
  readonly symbol: string;
  readonly decimals: number;
}

const coins: readonly (readonly [prefix: string, Coin])[] = [
  ['solana', { symbol: 'SOL', decimals: 9 }],
  ['polygon', { symbol: 'POL', decimals: 18 }],
];

/** The coin that pays for gas on a network, including its test network. */
export function coinOf(network: string): Coin {
  const [, coin] = coins.find(([prefix]) => network.startsWith(prefix)) ?? [];
  return coin ?? { symbol: 'ETH', decimals: 18 };
}
