import { randomBytes } from 'node:crypto';
import { expect, test } from '@playwright/test';
import { checkSettlements } from '@/lib/operator/finality';
import { newSolanaWallet } from '../recovery/rig/own-solana';
import { startBlockNode } from '../support/block-node';
import { type LedgerApp, openLedgerApp } from '../support/ledger-app';
import { addCall } from '../support/ledger-rows';
import { type RpcAnswer, type RpcProxy, startRpcProxy } from '../support/rpc-proxy';

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

/** Nodes of Solana that answer as the test says, and a ledger on them. */
async function onSolanaNodes<Result>(
  count: number,
  use: (ledger: LedgerApp, nodes: readonly RpcProxy[]) => Promise<Result>,
): Promise<Result> {
  const nodes = await Promise.all(Array.from({ length: count }, () => startRpcProxy('http://127.0.0.1:1')));
  const ledger = await openLedgerApp({
    SOLANA_RPC_URL: nodes.map(({ url }) => url).join(','),
    PAY_TO_SOLANA: newSolanaWallet().address,
    SETTLEMENT_KEY_SOLANA: newSolanaWallet().secretKey,
  });
  for (const node of nodes) node.on('getSlot', async () => ({ result: 200 }));
  try {
    return await use(ledger, nodes);
  } finally {
    await ledger.close();
    await Promise.all(nodes.map((node) => node.close()));
  }
}

/** What a node says of each transaction that it is asked for. */
function tellStatus(node: RpcProxy, status: () => object | null): void {
  node.on('getSignatureStatuses', async ({ params: [signatures] }) => ({
    result: { context: { slot: 200 }, value: (signatures as string[]).map(status) },
  }));
}

async function statesOf({ app }: LedgerApp): Promise<Record<string, string>> {
  const { rows } = await app.pool.query<{ id: string; state: string }>(
    'SELECT id, state::text FROM paid_call',
  );
  return Object.fromEntries(rows.map(({ id, state }) => [id, state]));
}

const solana = 'solana-mainnet';

test('a Solana transaction that fails for good takes back the payment that it made in a fork, and is final where it made none', async () => {
  await onSolanaNodes(1, async (ledger, nodes) => {
    let confirmationStatus = 'confirmed';
    const err = { InstructionError: [0, { Custom: 1 }] };
    for (const node of nodes)
      tellStatus(node, () => ({ slot: 101, confirmations: null, err, confirmationStatus }));
    const [paid = '', failed = ''] = await addConfirmed(ledger, solana, 2, { number: 100, hash: null });
    const delivered = await addCall(ledger.app.pool, {
      network: solana,
      settlementId: paid,
      transactionHash: paid,
    });
    const refused = await addCall(ledger.app.pool, {
      network: solana,
      settlementId: failed,
      transactionHash: failed,
      states: [['refused', 'invalid_exact_svm_transaction_failed']],
    });
    // The fork in which it fails may be gone again.
    await checkSettlements(ledger.app, new Date());
    expect(await statesOf(ledger)).toEqual({ [delivered]: 'delivered', [refused]: 'refused' });
    expect(await finalHashes(ledger)).toEqual([]);
    confirmationStatus = 'finalized';
    await checkSettlements(ledger.app, new Date());
    expect(await statesOf(ledger)).toEqual({ [delivered]: 'unknown', [refused]: 'refused' });
    expect(await finalHashes(ledger)).toEqual([failed]);
  });
});

/** What nodes say of the final slot in which a payment was made, whose status they do not have. */
const slots: readonly {
  readonly what: string;
  readonly becomes: 'delivered' | 'unknown';
  readonly nodes: readonly BlocksOf[];
}[] = [
  { what: 'contains it', becomes: 'delivered', nodes: [blockWith] },
  { what: 'does not contain it', becomes: 'unknown', nodes: [blockWithout] },
  { what: 'was skipped', becomes: 'unknown', nodes: [noBlock(-32007, 99)] },
  { what: 'was skipped, says its archive', becomes: 'unknown', nodes: [noBlock(-32009, 99)] },
  { what: 'was missed by the node', becomes: 'delivered', nodes: [noBlock(-32007, 109)] },
  { what: 'was missed by the node, which has no later one', becomes: 'delivered', nodes: [noBlock(-32007)] },
  { what: 'is not kept any more', becomes: 'delivered', nodes: [noBlock(-32001)] },
  { what: 'is not known yet', becomes: 'delivered', nodes: [noBlock(-32004)] },
  { what: 'contains it at one of two nodes', becomes: 'delivered', nodes: [blockWithout, blockWith] },
  {
    what: 'does not contain it at the one of two nodes that has it',
    becomes: 'unknown',
    nodes: [noBlock(-32001), blockWithout],
  },
];

/** What a node answers when it is asked for slot 100 and for the block after it, 110. */
type BlocksOf = (signature: string) => { readonly at100: RpcAnswer; readonly at110: RpcAnswer | null };

function block(parentSlot: number, signatures: readonly string[]): RpcAnswer {
  return { result: { blockhash: 'hash', previousBlockhash: 'hash', parentSlot, blockTime: 1, signatures } };
}

function blockWith(signature: string): ReturnType<BlocksOf> {
  return { at100: block(99, ['another', signature]), at110: block(109, []) };
}

function blockWithout(): ReturnType<BlocksOf> {
  return blockWith('a third');
}

/** @param parentOfNext the slot of the block before 110 in the chain; without it, the node does not have 110 either */
function noBlock(code: number, parentOfNext?: number): BlocksOf {
  const at100 = { error: { code, message: 'no such slot' } };
  return () => ({ at100, at110: parentOfNext === undefined ? null : block(parentOfNext, []) });
}

for (const { what, becomes, nodes: blocksOf } of slots) {
  test(`a Solana payment without a status is ${becomes} when its final slot ${what}`, async () => {
    await onSolanaNodes(blocksOf.length, async (ledger, nodes) => {
      const [paid = ''] = await addConfirmed(ledger, solana, 1, { number: 100, hash: null });
      const call = await addCall(ledger.app.pool, {
        network: solana,
        settlementId: paid,
        transactionHash: paid,
      });
      for (const [index, node] of nodes.entries()) {
        const { at100, at110 } = blocksOf[index]?.(paid) ?? blockWith(paid);
        tellStatus(node, () => null);
        node.on('getBlocks', async () => ({ result: at110 ? [110] : [] }));
        node.on('getBlock', async ({ params: [slot] }) => (slot === 100 ? at100 : (at110 ?? at100)));
      }
      await checkSettlements(ledger.app, new Date());
      expect(await statesOf(ledger)).toEqual({ [call]: becomes });
      expect(await finalHashes(ledger)).toEqual([]);
    });
  });
}
