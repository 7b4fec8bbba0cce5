/** Where the public explorer of a network shows a transaction, with its hash in the place of `{}`. */
const transactionPages: Readonly<Record<string, string>> = {
  base: 'https://basescan.org/tx/{}',
  polygon: 'https://polygonscan.com/tx/{}',
  arbitrum: 'https://arbiscan.io/tx/{}',
  'solana-mainnet': 'https://solscan.io/tx/{}',
  'base-sepolia': 'https://sepolia.basescan.org/tx/{}',
  'polygon-amoy': 'https://amoy.polygonscan.com/tx/{}',
  'arbitrum-sepolia': 'https://sepolia.arbiscan.io/tx/{}',
  'solana-devnet': 'https://solscan.io/tx/{}?cluster=devnet',
};

/** The page of a transaction on the public explorer of its network; null where there is none, as for prepaid accounts. */
export function transactionPage(network: string, hash: string): string | null {
  return transactionPages[network]?.replace('{}', encodeURIComponent(hash)) ?? null;
}
