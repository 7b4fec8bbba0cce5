import { currentApp } from '@/lib/app/current';
import type { SettlementLocation } from '@/lib/payments/payment';

/** Where people look up a transaction, by the CAIP-2 id of its network. */
const explorers: Readonly<Record<string, (hash: string) => string>> = {
  'eip155:8453': (hash) => `https://basescan.org/tx/${hash}`,
  'eip155:137': (hash) => `https://polygonscan.com/tx/${hash}`,
  'eip155:42161': (hash) => `https://arbiscan.io/tx/${hash}`,
  'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp': (hash) => `https://explorer.solana.com/tx/${hash}`,
};

/** The page of a transaction in the explorer of its network; null when no public one is known. */
export function explorerLink(network: string, hash: string): string | null {
  if (!/^[0-9A-Za-z]+$/.test(hash)) return null;
  // A name from the ledger may be that of a network that is no longer configured; then nothing is found.
  const found = currentApp().payments.networks.byName(network as SettlementLocation);
  return found ? (explorers[found.network.caip2]?.(hash) ?? null) : null;
}
