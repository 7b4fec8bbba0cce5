import { randomBytes } from 'node:crypto';
import { expect, test } from '@playwright/test';
import { checkSettlements } from '@/lib/operator/finality';
import { newSolanaWallet } from '../recovery/rig/own-solana';
import { startBlockNode } from '../support/block-node';
import { type LedgerApp, openLedgerApp } from '../support/ledger-app';
import { addCall } from '../support/ledger-rows';
import { startRpcProxy } from '../support/rpc-proxy';

/** Confirmed settlements of ours in one block. @returns their hashes, which are also their ids */
async function addConfirmed(
  { app }: LedgerApp,
  network: string,
  count: number,
  block: { number: number; hash: string | null },
): Promise<string[]> {
  const hashes = Array.from({ length: count }, () => `0x${randomBytes(32).toString('hex')}`);
  await app.pool.query(
    `INSERT INTO settlement_transaction (id, network, signer, hash, raw, payments, state, created_at)
     SELECT hash, $1, 'signer', hash, 'raw', 1, 'prepared', now() FROM unnest($2::text[]) AS hash`,
    [network, hashes],
  );
  await app.pool.query(
    `UPDATE settlement_transaction SET state = 'confirmed', confirmed_at = now(), block_number = $2, block_hash = $3,
       fee_atomic = 1, fee_in_vain_atomic = 0, fee_unit = 'wei'
     WHERE hash = ANY($1)`,
    [hashes, block.number, block.hash],
  );
  return hashes;
}

async function finalHashes({ app }: LedgerApp): Promise<string[]> {
  const { rows } = await app.pool.query<{ hash: string }>(
    'SELECT hash FROM settlement_transaction WHERE final_at IS NOT NULL AND raw IS NULL',
  );
  return rows.map(({ hash }) => hash);
}

test('one check makes the oldest settlement final, however many newer ones are not', async () => {
  const node = await startBlockNode();
  const ledger = await openLedgerApp({ BASE_RPC_URL: node.url, BASE_FINALITY_BLOCKS: '100' });
  try {
    node.growTo(200);
    const oldest = await addConfirmed(ledger, 'base', 1, { number: 100, hash: node.hashAt(100) });
    await addConfirmed(ledger, 'base', 2_000, { number: 150, hash: node.hashAt(150) });
    await checkSettlements(ledger.app, new Date());
    expect(await finalHashes(ledger)).toEqual(oldest);
  } finally {
    await ledger.close();
    await node.close();
  }
});

test('a Solana transaction that fails for good takes back the payment that it made in a fork, and is final where it made none', async () => {
  const node = await startRpcProxy('http://127.0.0.1:1');
  const ledger = await openLedgerApp({
    SOLANA_RPC_URL: node.url,
    PAY_TO_SOLANA: newSolanaWallet().address,
    SETTLEMENT_KEY_SOLANA: newSolanaWallet().secretKey,
  });
  let confirmationStatus = 'confirmed';
  node.on('getSlot', async () => ({ result: 200 }));
  node.on('getSignatureStatuses', async ({ params: [signatures] }) => {
    const failed = {
      slot: 101,
      confirmations: null,
      err: { InstructionError: [0, { Custom: 1 }] },
      confirmationStatus,
    };
    return { result: { context: { slot: 200 }, value: (signatures as string[]).map(() => failed) } };
  });
  try {
    const network = 'solana-mainnet';
    const [paid = '', failed = ''] = await addConfirmed(ledger, network, 2, { number: 100, hash: null });
    const delivered = await addCall(ledger.app.pool, { network, settlementId: paid, transactionHash: paid });
    const refused = await addCall(ledger.app.pool, {
      network,
      settlementId: failed,
      transactionHash: failed,
      states: [['refused', 'invalid_exact_svm_transaction_failed']],
    });
    const states = async () => {
      const { rows } = await ledger.app.pool.query('SELECT id, state::text FROM paid_call');
      return Object.fromEntries(rows.map(({ id, state }) => [id, state]));
    };
    // The fork in which it fails may be gone again.
    await checkSettlements(ledger.app, new Date());
    expect(await states()).toEqual({ [delivered]: 'delivered', [refused]: 'refused' });
    expect(await finalHashes(ledger)).toEqual([]);
    confirmationStatus = 'finalized';
    await checkSettlements(ledger.app, new Date());
    expect(await states()).toEqual({ [delivered]: 'unknown', [refused]: 'refused' });
    expect(await finalHashes(ledger)).toEqual([failed]);
  } finally {
    await ledger.close();
    await node.close();
  }
});
