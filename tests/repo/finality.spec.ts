import { randomBytes } from 'node:crypto';
import { getBase58Decoder } from '@solana/kit';
import { Keypair, type VersionedTransaction } from '@solana/web3.js';
import { pino } from 'pino';
import { checkSettlements } from '@/lib/jobs/check-settlements';
import { recordOutcome } from '@/lib/ledger/call-moves';
import type { Block } from '@/lib/payments/outcome';
import { OngoingProblems } from '@/lib/platform/ongoing-problem';
import { newSolanaWallet } from '../recovery/rig/own-solana';
import { transferOf } from '../simulation/solana/transfers';
import { startBlockNode } from '../support/block-node';
import { type LedgerApp, openLedgerApp } from '../support/ledger-app';
import { addCall } from '../support/ledger-rows';
import { type RpcAnswer, type RpcProxy, startRpcProxy } from '../support/rpc-proxy';
import { expect, test } from '../support/without-browser';

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
  const ledger = await openLedgerApp({ BASE_RPC_URL: node.url, FINALITY_BLOCKS: 'base=100' });
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

/** Solana nodes that answer as the test tells them to, and a ledger that uses them. */
async function onSolanaNodes<Result>(
  count: number,
  use: (ledger: LedgerApp, nodes: readonly [RpcProxy, ...RpcProxy[]]) => Promise<Result>,
): Promise<Result> {
  const start = () => startRpcProxy('http://127.0.0.1:1');
  const others = Array.from({ length: count - 1 }, start);
  const nodes = await Promise.all([start(), ...others] as const);
  const ledger = await openLedgerApp({
    SOLANA_RPC_URL: nodes.map(({ url }) => url).join(','),
    PAY_TO_SOLANA: newSolanaWallet().address,
    SETTLEMENT_KEY_SOLANA: newSolanaWallet().secretKey,
  });
  const epoch = { epoch: 0, slotIndex: 200, slotsInEpoch: 432_000, transactionCount: 1 };
  for (const node of nodes)
    node.on('getEpochInfo', async () => ({ result: { ...epoch, absoluteSlot: 200, blockHeight: 150 } }));
  try {
    return await use(ledger, nodes);
  } finally {
    await ledger.close();
    await Promise.all(nodes.map((node) => node.close()));
  }
}

/** Sets what a node reports as the status of every transaction. */
function tellStatus(node: RpcProxy, status: () => object | null, untilSlot = 200): void {
  node.on('getSignatureStatuses', async ({ params: [signatures] }) => ({
    result: { context: { slot: untilSlot }, value: (signatures as string[]).map(status) },
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
    // The fork in which it failed may itself be abandoned.
    await checkSettlements(ledger.app, new Date());
    expect(await statesOf(ledger)).toEqual({ [delivered]: 'delivered', [refused]: 'refused' });
    expect(await finalHashes(ledger)).toEqual([]);
    confirmationStatus = 'finalized';
    await checkSettlements(ledger.app, new Date());
    expect(await statesOf(ledger)).toEqual({ [delivered]: 'unknown', [refused]: 'refused' });
    expect(await finalHashes(ledger)).toEqual([failed]);
  });
});

/** What nodes say about the final slot of a payment whose status they no longer have. */
const slots: readonly {
  readonly what: string;
  readonly becomes: 'delivered' | 'unknown';
  readonly isFinal?: true;
  readonly nodes: readonly BlocksOf[];
}[] = [
  { what: 'contains it', becomes: 'delivered', isFinal: true, nodes: [blockWith] },
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

/** What a node answers for slot 100 and for the next block, 110. */
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

/** @param parentOfNext the slot of the block before 110 in the chain; if omitted, the node does not have 110 either */
function noBlock(code: number, parentOfNext?: number): BlocksOf {
  const at100 = { error: { code, message: 'no such slot' } };
  return () => ({ at100, at110: parentOfNext === undefined ? null : block(parentOfNext, []) });
}

for (const { what, becomes, isFinal, nodes: blocksOf } of slots) {
  test(`a Solana payment without a status is ${isFinal ? 'final' : becomes} when its final slot ${what}`, async () => {
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
      expect(await finalHashes(ledger)).toEqual(isFinal ? [paid] : []);
    });
  });
}

test('a Solana payment is not gone because a node has no status of it that is behind another of its address', async () => {
  await onSolanaNodes(1, async (ledger, [node]) => {
    const [paid = ''] = await addConfirmed(ledger, solana, 1, { number: 100, hash: null });
    const call = await addCall(ledger.app.pool, {
      network: solana,
      settlementId: paid,
      transactionHash: paid,
    });
    node.on('getBlock', async () => block(99, []));
    tellStatus(node, () => null, 199);
    await checkSettlements(ledger.app, new Date());
    expect(await statesOf(ledger)).toEqual({ [call]: 'delivered' });
    tellStatus(node, () => null, 200);
    await checkSettlements(ledger.app, new Date());
    expect(await statesOf(ledger)).toEqual({ [call]: 'unknown' });
  });
});

test('the blocks of Solana payments without a status are searched a few at a time, each in its turn', async () => {
  await onSolanaNodes(1, async (ledger, [node]) => {
    const hashes: string[] = [];
    for (let slot = 100; slot < 150; slot += 1)
      hashes.push(...(await addConfirmed(ledger, solana, 2, { number: slot, hash: null })));
    tellStatus(node, () => null);
    const asked: number[] = [];
    // The node no longer keeps the first slots, so they stay open.
    node.on('getBlock', async ({ params: [slot] }) => {
      asked.push(slot as number);
      return (slot as number) < 110 ? { error: { code: -32001, message: 'cleaned up' } } : block(99, hashes);
    });
    for (const expected of [20, 40, 60]) {
      await checkSettlements(ledger.app, new Date());
      expect(asked).toHaveLength(expected);
    }
    expect(new Set(asked).size).toBe(50);
    expect((await finalHashes(ledger)).length).toBe(80);
  });
});

const forgotten: readonly { readonly how: string; readonly at100: RpcAnswer; readonly at110: RpcAnswer }[] = [
  { how: 'does not keep', at100: { error: { code: -32001, message: 'cleaned up' } }, at110: block(109, []) },
  // The node lists its first block, but does not have it.
  {
    how: 'missed before it started anew',
    at100: { error: { code: -32007, message: 'skipped' } },
    at110: { result: null },
  },
];

for (const { how, at100, at110 } of forgotten) {
  test(`a Solana payment whose block one of two nodes ${how} is final by the block of the other`, async () => {
    await onSolanaNodes(2, async (ledger, [forgetful, witness]) => {
      const [paid = ''] = await addConfirmed(ledger, solana, 1, { number: 100, hash: null });
      tellStatus(forgetful, () => null);
      forgetful.on('getBlocks', async () => ({ result: [110] }));
      forgetful.on('getBlock', async ({ params: [slot] }) => (slot === 100 ? at100 : at110));
      if (!witness) throw new Error('there is one node');
      const confirmationStatus = 'finalized';
      tellStatus(witness, () => ({ slot: 100, confirmations: null, err: null, confirmationStatus }));
      witness.on('getBlock', async () => block(99, [paid]));
      await checkSettlements(ledger.app, new Date());
      expect(await finalHashes(ledger)).toEqual([paid]);
    });
  });
}

test('a Solana payment is not gone by its block while one of two nodes has a status of it', async () => {
  await onSolanaNodes(2, async (ledger, [forgetful, witness]) => {
    const [paid = ''] = await addConfirmed(ledger, solana, 1, { number: 100, hash: null });
    const call = await addCall(ledger.app.pool, {
      network: solana,
      settlementId: paid,
      transactionHash: paid,
    });
    if (!witness) throw new Error('there is one node');
    tellStatus(forgetful, () => null);
    tellStatus(witness, () => ({ slot: 105, confirmations: 1, err: null, confirmationStatus: 'confirmed' }));
    for (const node of [forgetful, witness]) node.on('getBlock', async () => block(99, []));
    await checkSettlements(ledger.app, new Date());
    expect(await statesOf(ledger)).toEqual({ [call]: 'delivered' });
  });
});

test('a Solana payment is in no slot for sure while two nodes name different ones, and final when both say so', async () => {
  await onSolanaNodes(2, async (ledger, [one, other]) => {
    const [paid = ''] = await addConfirmed(ledger, solana, 1, { number: 100, hash: null });
    if (!other) throw new Error('there is one node');
    const status = { confirmations: null, err: null, confirmationStatus: 'finalized' };
    tellStatus(one, () => ({ ...status, slot: 100 }));
    for (const node of [one, other]) node.on('getBlock', async () => block(99, []));
    for (const [said, final] of [
      [{ ...status, slot: 105 }, []],
      [{ ...status, slot: 100, confirmationStatus: 'confirmed' }, []],
      [{ ...status, slot: 100 }, [paid]],
    ] as const) {
      tellStatus(other, () => said);
      await checkSettlements(ledger.app, new Date());
      expect(await finalHashes(ledger)).toEqual(final);
    }
  });
});

test('the settlement of a third party that vanished and came back is checked like any other', async () => {
  const node = await startBlockNode();
  const ledger = await openLedgerApp({ BASE_RPC_URL: node.url, FINALITY_BLOCKS: 'base=10' });
  try {
    const { app } = ledger;
    node.growTo(105);
    const hash = `0x${randomBytes(32).toString('hex')}`;
    const call = await addCall(app.pool, { network: 'base', states: [] });
    const settledAt = (block: Block) =>
      recordOutcome(app, call, { kind: 'settled', transactionHash: hash, block }, new Date());
    await settledAt({ number: 99n, hash: `0x${'0'.repeat(64)}` });
    await checkSettlements(app, new Date());
    expect(await statesOf(ledger)).toEqual({ [call]: 'unknown' });
    await settledAt({ number: 100n, hash: node.hashAt(100) });
    await checkSettlements(app, new Date());
    expect(await finalHashes(ledger)).toEqual([]);
    node.growTo(120);
    await checkSettlements(app, new Date());
    expect(await finalHashes(ledger)).toEqual([hash]);
    const { rows } = await app.pool.query('SELECT block_number, confirmed_at FROM settlement_transaction');
    expect(rows).toEqual([{ block_number: '100', confirmed_at: expect.any(Date) }]);
  } finally {
    await ledger.close();
    await node.close();
  }
});

for (const { what, said, code } of [
  { what: 'a node says that it failed', said: { err: 'AccountNotFound' }, code: -32001 },
  { what: 'the node that has no status cannot be asked for the block', said: { err: null }, code: -32004 },
]) {
  test(`a Solana payment that two nodes disagree about is not final by its block while ${what}`, async () => {
    await onSolanaNodes(2, async (ledger, [one, other]) => {
      const [paid = ''] = await addConfirmed(ledger, solana, 1, { number: 100, hash: null });
      if (!other) throw new Error('there is one node');
      const status = { slot: 100, confirmations: null, confirmationStatus: 'finalized' };
      tellStatus(one, () => (said.err ? { ...status, err: null } : null));
      one.on('getBlock', async () => ({ error: { code, message: 'no block' } }));
      tellStatus(other, () => ({ ...status, ...said }));
      other.on('getBlock', async () => block(99, [paid]));
      await checkSettlements(ledger.app, new Date());
      expect(await finalHashes(ledger)).toEqual([]);
    });
  });
}

/** Sets what transaction a node has. */
function tellTransaction(node: RpcProxy, slot: number, transaction: VersionedTransaction): void {
  const { header, recentBlockhash, compiledInstructions, staticAccountKeys } = transaction.message;
  const instructions = compiledInstructions.map(({ programIdIndex, accountKeyIndexes, data }) => ({
    programIdIndex,
    accounts: accountKeyIndexes,
    data: getBase58Decoder().decode(data),
  }));
  const accountKeys = staticAccountKeys.map((key) => key.toBase58());
  const message = { header, recentBlockhash, instructions, accountKeys, addressTableLookups: [] };
  node.on('getTransaction', async () => ({
    result: { slot, blockTime: 0, meta: null, version: 0, transaction: { signatures: [], message } },
  }));
}

test('a Solana payment that moved to another slot is looked for there', async () => {
  await onSolanaNodes(1, async (ledger, [node]) => {
    const [paid = ''] = await addConfirmed(ledger, solana, 1, { number: 100, hash: null });
    const status = { slot: 105, confirmations: null, err: null, confirmationStatus: 'confirmed' };
    let told: object | null = status;
    tellStatus(node, () => told);
    const [from, feePayer] = [Keypair.generate(), Keypair.generate()];
    const blockhash = Keypair.generate().publicKey.toBase58();
    tellTransaction(node, 105, transferOf({ from, feePayer, to: feePayer.publicKey, atomic: 1n, blockhash }));
    await checkSettlements(ledger.app, new Date());
    told = null;
    node.on('getBlock', async ({ params: [slot] }) => (slot === 105 ? block(99, [paid]) : block(99, [])));
    await checkSettlements(ledger.app, new Date());
    expect(await finalHashes(ledger)).toEqual([paid]);
  });
});

test('settlements that cannot be checked after an hour are told in the log', async () => {
  await onSolanaNodes(1, async (ledger, [node]) => {
    const [paid = ''] = await addConfirmed(ledger, solana, 1, { number: 100, hash: null });
    tellStatus(node, () => null);
    node.on('getBlock', async () => ({ error: { code: -32001, message: 'cleaned up' } }));
    const told: object[] = [];
    const log = pino({ base: undefined }, { write: (line: string) => void told.push(JSON.parse(line)) });
    const app = { ...ledger.app, problems: new OngoingProblems(log, ledger.app.clock) };
    const laterBy = (minutes: number) => new Date(Date.now() + minutes * 60_000);
    await checkSettlements(app, laterBy(59));
    expect(told).toEqual([]);
    await checkSettlements(app, laterBy(61));
    expect(told).toMatchObject([{ network: solana, settlements: 1, transaction: paid }]);
    node.on('getBlock', async () => block(99, [paid]));
    await checkSettlements(app, laterBy(61));
    await checkSettlements(app, laterBy(61));
    expect(told.at(-1)).toMatchObject({ msg: 'over: settlements older than an hour cannot be checked' });
  });
});
