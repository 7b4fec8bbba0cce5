import type pg from 'pg';
import { features } from '@/lib/app/features';
import type { Connections, Finding } from '@/lib/operator/audit/audit-session';
import type { ChainTransfer } from '@/lib/operator/audit/chain-transfers';
import { auditLedger } from '@/lib/operator/audit/findings';
import { systemClock } from '@/lib/platform/clock';

/** The asset and the seller of the calls in a test's ledger. */
export const asset = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913';
export const seller = {
  signer: '0x1111111111111111111111111111111111111111',
  payTo: '0x2222222222222222222222222222222222222222',
} as const;

/** The transfers that the chain would have for a ledger: one for every call that was paid on it. */
export async function transfersOf(ledger: Pick<pg.Pool, 'query'>): Promise<ChainTransfer[]> {
  const { rows } = await ledger.query<{ payer: string; authorization: string; hash: string; amount: string }>(
    `SELECT payer, "authorization", transaction_hash AS hash, amount_atomic::text AS amount FROM paid_call
     WHERE network = 'base' ORDER BY id`,
  );
  return rows.map(({ payer, authorization, hash, amount }) => ({
    network: 'base',
    asset,
    payer,
    authorization,
    amountAtomic: BigInt(amount),
    transactionHash: hash,
    height: 1n,
  }));
}

async function* failing() {
  yield { incoming: [], outgoing: [] };
  throw new Error('the node does not answer');
}

async function* inPages(transfers: readonly ChainTransfer[]) {
  for (let first = 0; first < transfers.length; first += 100)
    yield { incoming: transfers.slice(first, first + 100), outgoing: [] };
}

const checks = features.flatMap(({ auditChecks }) => auditChecks);

/** @param others the transfers that further nodes of the network report, with the newest block of each; null for one that fails */
export async function audit(
  connections: Connections,
  transfers: readonly ChainTransfer[],
  ...others: readonly ({ readonly transfers: readonly ChainTransfer[]; readonly height: bigint } | null)[]
): Promise<Finding[]> {
  const findings: Finding[] = [];
  const nodes = [{ transfers, height: 1n }, ...others].map((node) => async () => ({
    height: node?.height ?? 1n,
    pages: node ? inPages(node.transfers) : failing(),
  }));
  const sources = [{ network: 'base', nodes }];
  for await (const finding of auditLedger(systemClock, connections, sources, checks)) findings.push(finding);
  return findings;
}
