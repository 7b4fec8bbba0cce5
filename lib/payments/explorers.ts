import { networkTable } from './network-table';

const explorers = new Map<string, string>(
  Object.values(networkTable)
    .flat()
    .map(({ name, explorer }) => [name, explorer]),
);

/** The page of a transaction on the public explorer of its network; null where there is none, as for prepaid accounts. */
export function transactionPage(network: string, hash: string): string | null {
  return explorers.get(network)?.replace('{hash}', encodeURIComponent(hash)) ?? null;
}
