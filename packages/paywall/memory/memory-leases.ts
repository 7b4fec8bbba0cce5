import type { Lease, SignerLeases } from '@/lib/payments/journal';
import type { NetworkName } from '@/lib/payments/network-offers';
import { byCreation, isOpen, mayBeInBlock, toOpen } from './memory-charges';
import type { Tables } from './memory-database';
import type { MemoryProcess } from './memory-process';
import type { SettlementSignerRow, SettlementTransactionRow } from './memory-rows';

/** The most open transactions that come with a lease. */
const openMax = 100;

/** The twin of the ledger's leases. */
export function memoryLeases(process: MemoryProcess): SignerLeases {
  return {
    async acquire(network, signer, known): Promise<Lease | null> {
      const lease = await process.query((tables) => acquire(process, tables, network, signer));
      if (!lease) return null;
      // Its transactions are read after it is taken: the last holder may still record one in between.
      const open = await process.query(({ settlementTransaction }) => {
        const isOurs = (row: SettlementTransactionRow) => row.network === network && row.signer === signer;
        const nonces = new Set(
          settlementTransaction.where((row) => isOurs(row) && isOpen(row)).map(({ nonce }) => nonce),
        );
        return settlementTransaction.where(
          (row) =>
            isOurs(row) &&
            (isOpen(row) || (row.nonce !== null && nonces.has(row.nonce) && mayBeInBlock(row))) &&
            !known.includes(row.hash),
        );
      });
      const followed = byNonce(byCreation(open)).slice(0, openMax);
      return { nextNonce: lease.nextNonce, open: await toOpen(process, network, signer, followed) };
    },
    async release(network, signer) {
      await process.query(({ settlementSigner }) => {
        const lease = settlementSigner.first((row) => row.network === network && row.signer === signer);
        if (lease?.holder === process.id) settlementSigner.update(lease, { holder: null });
      });
    },
    signersOfOpen: (network) =>
      process.query(({ settlementTransaction }) => {
        const open = settlementTransaction.where((row) => row.network === network && isOpen(row));
        return [...new Set(open.flatMap(({ signer }) => (signer === null ? [] : [signer])))];
      }),
    hasSigner: (network) =>
      process.query(
        ({ instance }) =>
          instance.first((row) => process.isAlive(row) && row.settles.includes(network)) !== undefined,
      ),
    hasPeers: () => process.hasPeers(),
  };
}

function acquire(
  process: MemoryProcess,
  { settlementSigner, instance }: Tables,
  network: NetworkName,
  signer: string,
): SettlementSignerRow | null {
  const lease = settlementSigner.first((row) => row.network === network && row.signer === signer);
  if (!lease) return settlementSigner.insert({ network, signer, holder: process.id, nextNonce: null });
  if (lease.holder === process.id) return lease;
  const holder = instance.get(lease.holder ?? '');
  if (holder && process.isAlive(holder)) return null;
  return settlementSigner.update(lease, { holder: process.id });
}

/** Lowest nonce first, those without one last. */
function byNonce(rows: readonly SettlementTransactionRow[]): SettlementTransactionRow[] {
  const rank = ({ nonce }: SettlementTransactionRow) =>
    nonce === null ? Number.POSITIVE_INFINITY : Number(nonce);
  return [...rows].sort((one, other) => (rank(one) === rank(other) ? 0 : rank(one) - rank(other)));
}
