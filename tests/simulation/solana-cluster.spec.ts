import { Connection, SolanaJSONRPCError } from '@solana/web3.js';
import { randomNumbers } from '../support/random';
import { expect, test } from '../support/without-browser';
import { type ClusterFaults, noClusterFaults, SimulatedCluster } from './solana/chain';
import { addLamports, addTokens, changeTokenAccount } from './solana/funding';
import { type NodeFaults, noNodeFaults, SimulatedNode } from './solana/node';
import { signatureOf } from './solana/scripts';
import { type TransferParts, tokenAccountOf, transferOf, walletOf } from './solana/transfers';
import { VirtualTime } from './virtual-clock';

const payer = walletOf('payer');
const payee = walletOf('payee');
const feePayer = walletOf('fee payer');
const slotMs = 400;
type Transaction = ReturnType<typeof transferOf>;

interface Options {
  readonly cluster?: Partial<ClusterFaults>;
  readonly node?: Partial<NodeFaults>;
  readonly seed?: number;
}

/** A cluster with a payer of 5 USDC, and a node to ask. */
function openCluster({ cluster: wanted, node: wrong, seed = 1 }: Options = {}) {
  const time = new VirtualTime();
  const clock = time.createClock();
  const random = randomNumbers(seed);
  const cluster = new SimulatedCluster({ clock, random, faults: { ...noClusterFaults, ...wanted } });
  addLamports(cluster, feePayer.publicKey.toBase58(), 1_000_000_000);
  addTokens(cluster, payer.publicKey.toBase58(), 5_000_000n);
  addTokens(cluster, payee.publicKey.toBase58(), 0n);
  const url = 'http://node';
  const node = new SimulatedNode(cluster, { url, clock, random, faults: { ...noNodeFaults, ...wrong } });
  const connection = new Connection(url, {
    commitment: 'confirmed',
    fetch: async (_, init) =>
      Response.json(await node.send(String(init?.body), new AbortController().signal)),
  });
  return {
    time,
    cluster,
    node,
    connection,
    pass: (slots: number) => time.pass(slots * slotMs),
    async transfer(changes: Partial<TransferParts> = {}) {
      const { blockhash } = await connection.getLatestBlockhash();
      return transferOf({
        from: payer,
        to: payee.publicKey,
        atomic: 1_000n,
        feePayer,
        blockhash,
        ...changes,
      });
    },
    send: (transaction: Transaction, maxRetries?: number) =>
      connection.sendRawTransaction(transaction.serialize(), { skipPreflight: true, maxRetries }),
    async statusOf(transaction: Transaction) {
      const config = { searchTransactionHistory: true };
      const { value } = await connection.getSignatureStatus(signatureOf(transaction), config);
      return value?.confirmationStatus ?? null;
    },
    async paid(commitment: 'processed' | 'confirmed' | 'finalized' = 'processed') {
      const { value } = await connection.getTokenAccountBalance(tokenAccountOf(payee.publicKey), commitment);
      return Number(value.amount);
    },
  };
}

test('a transaction is processed in the block of its slot, confirmed a slot later, and final after 32', async () => {
  const { transfer, send, statusOf, paid, pass } = openCluster();
  const transaction = await transfer();
  await send(transaction, 0);
  expect(await statusOf(transaction)).toBeNull();
  await pass(1);
  expect(await statusOf(transaction)).toBe('processed');
  expect([await paid('processed'), await paid('confirmed'), await paid('finalized')]).toEqual([1_000, 0, 0]);
  await pass(1);
  expect(await statusOf(transaction)).toBe('confirmed');
  await pass(30);
  expect(await statusOf(transaction)).toBe('confirmed');
  expect(await paid('finalized')).toBe(0);
  await pass(1);
  expect(await statusOf(transaction)).toBe('finalized');
  expect(await paid('finalized')).toBe(1_000);
});

test('a blockhash is accepted until the block after the last one that calls it valid', async () => {
  for (const [height, isIncluded] of [
    [150, true],
    [151, false],
  ] as const) {
    const { connection, transfer, send, statusOf, pass } = openCluster();
    const transaction = await transfer({
      blockhash: (await connection.getLatestBlockhash('processed')).blockhash,
    });
    const { recentBlockhash } = transaction.message;
    await pass(height);
    const config = { commitment: 'processed' } as const;
    expect((await connection.isBlockhashValid(recentBlockhash, config)).value).toBe(isIncluded);
    await send(transaction, 0);
    await pass(1);
    expect((await connection.isBlockhashValid(recentBlockhash, config)).value).toBe(false);
    expect(await statusOf(transaction)).toBe(isIncluded ? 'processed' : null);
  }
});

test('a fork takes back a confirmed transaction, which gets into a later block or is lost', async () => {
  for (const lostInFork of [0, 1]) {
    const { cluster, connection, transfer, send, statusOf, paid, pass } = openCluster({
      cluster: { lostInFork },
    });
    const transaction = await transfer();
    await send(transaction, 0);
    await pass(3);
    expect(await statusOf(transaction)).toBe('confirmed');
    const { slot } = (await connection.getSignatureStatus(signatureOf(transaction))).value ?? { slot: 0 };
    // The block with the transaction and those after it, but not the one with its blockhash.
    cluster.fork(3);
    await pass(40);
    expect(await statusOf(transaction)).toBe(lostInFork ? null : 'finalized');
    expect(await paid()).toBe(lostInFork ? 0 : 1_000);
    await expect(connection.getBlockSignatures(slot)).rejects.toThrow(`Slot ${slot} was skipped`);
    const [next = 0] = await connection.getBlocks(slot, slot + 100, 'finalized');
    const { parentSlot, signatures } = await connection.getBlockSignatures(next);
    expect(parentSlot).toBeLessThan(slot);
    expect(signatures).toEqual(lostInFork ? [] : [signatureOf(transaction)]);
    expect(await connection.getSignaturesForAddress(payer.publicKey)).toHaveLength(lostInFork ? 0 : 1);
  }
});

test('a transaction with the blockhash of an abandoned block is in no block', async () => {
  const { cluster, transfer, send, statusOf, pass } = openCluster();
  const transaction = await transfer();
  cluster.fork(3);
  await pass(1);
  await send(transaction, 0);
  await pass(40);
  expect(await statusOf(transaction)).toBeNull();
});

test('an account that is frozen stays so through a fork', async () => {
  const { cluster, connection, transfer, pass } = openCluster();
  changeTokenAccount(cluster, payee.publicKey.toBase58(), 'frozen');
  await pass(2);
  cluster.fork(4);
  await pass(2);
  const { value } = await connection.simulateTransaction(await transfer());
  expect(value.err).toEqual({ InstructionError: [2, { Custom: 17 }] });
});

test('a final transaction stays final, whatever forks there are', async () => {
  for (let seed = 1; seed <= 8; seed += 1) {
    const cluster = { forked: 0.3, forkSlotsMax: 40, skipped: 0.3, lostInFork: 0.5, delayMaxMs: 3_000 };
    const { connection, transfer, send, pass } = openCluster({ cluster, seed });
    const final = new Map<string, number>();
    let last = { slot: 0, height: 0 };
    const sent: string[] = [];
    for (let round = 0; round < 20; round += 1) {
      sent.push(await send(await transfer({ memo: `${round}` }), 0));
      await pass(5);
      const { absoluteSlot, blockHeight = 0 } = await connection.getEpochInfo('finalized');
      expect(absoluteSlot).toBeGreaterThanOrEqual(last.slot);
      expect(blockHeight).toBeGreaterThanOrEqual(last.height);
      last = { slot: absoluteSlot, height: blockHeight };
      const { value } = await connection.getSignatureStatuses(sent);
      for (const [index, signature] of sent.entries()) {
        const status = value[index];
        if (final.has(signature)) expect(status?.slot).toBe(final.get(signature));
        else if (status?.confirmationStatus === 'finalized') final.set(signature, status.slot);
      }
    }
    const account = tokenAccountOf(payee.publicKey);
    const balance = await connection.getTokenAccountBalance(account, 'finalized');
    expect(Number(balance.value.amount)).toBe(final.size * 1_000);
  }
});

test('a node that lags behind answers as the cluster was', async () => {
  const { cluster, connection, node, transfer, send, statusOf, pass } = openCluster();
  const transaction = await transfer();
  await send(transaction, 0);
  await pass(4);
  const head = await connection.getSlot('processed');
  cluster.fork(5);
  await pass(2);
  node.faults = { ...noNodeFaults, lagSlotsMax: 2 };
  const slots = new Set<number>();
  for (let request = 0; request < 50; request += 1) slots.add(await connection.getSlot('processed'));
  // The slots of the fork are skipped for nodes that know of it.
  expect([...slots].sort()).toEqual([head, head + 1, head + 2]);
  await expect(connection.getBlockHeight({ minContextSlot: head + 9 })).rejects.toBeInstanceOf(
    SolanaJSONRPCError,
  );
  expect(await statusOf(transaction)).not.toBeNull();
});

test('a node sends a transaction again until it is in a block, unless its sender does', async () => {
  for (const maxRetries of [undefined, 0]) {
    const { node, transfer, send, paid, pass, time } = openCluster({ node: { dropped: 1 } });
    await send(await transfer(), maxRetries);
    await pass(10);
    node.faults = noNodeFaults;
    await pass(10);
    expect(await paid()).toBe(maxRetries === undefined ? 1_000 : 0);
    await time.runUntilIdle(60_000);
  }
});

test('a node loses requests and answers, is silent, and repeats itself', async () => {
  const { node, connection, transfer, send, paid, pass } = openCluster();
  const transaction = await transfer();
  node.faults = { ...noNodeFaults, lostRequests: 1 };
  await expect(send(transaction, 0)).rejects.toThrow('the connection broke');
  await pass(2);
  expect(await paid().catch(String)).toContain('the connection broke');
  node.faults = { ...noNodeFaults, lostAnswers: 1 };
  await expect(send(transaction, 0)).rejects.toThrow('the connection broke');
  node.faults = { ...noNodeFaults, silent: 1 };
  const abort = new AbortController();
  const asking = node.send(JSON.stringify({ id: 1, method: 'getSlot' }), abort.signal);
  await pass(2);
  abort.abort(new Error('it takes too long'));
  await expect(asking).rejects.toThrow('it takes too long');
  node.faults = { ...noNodeFaults, repeated: 1 };
  expect(await paid()).toBe(1_000);
  const slot = await connection.getSlot();
  await pass(5);
  expect(await connection.getSlot()).toBe(slot);
  node.isDown = true;
  await expect(connection.getSlot()).rejects.toThrow('the connection broke');
  expect([...node.happened.keys()]).toEqual(['lostRequests', 'lostAnswers', 'silent', 'repeated']);
});

test('a node lies about statuses that are not final, and about no others', async () => {
  const { node, transfer, send, statusOf, pass } = openCluster({ node: { dropped: 1, invented: 1 } });
  const transaction = await transfer();
  await send(transaction, 0);
  expect(await statusOf(transaction)).toBe('confirmed');
  node.faults = { ...noNodeFaults, denied: 1 };
  await send(transaction, 0);
  await pass(10);
  expect(await statusOf(transaction)).toBeNull();
  await pass(40);
  expect(await statusOf(transaction)).toBe('finalized');
});

test('one seed is one history', async () => {
  const historyOf = async (seed: number) => {
    const faults = { forked: 0.1, forkSlotsMax: 5, skipped: 0.1, lostInFork: 0.3, lostOnTheWay: 0.2 };
    const { connection, transfer, send, pass } = openCluster({
      cluster: { ...faults, delayMaxMs: 2_000 },
      node: { dropped: 0.2, lagSlotsMax: 3, denied: 0.1, invented: 0.1 },
      seed,
    });
    const seen: unknown[] = [];
    const sent: string[] = [];
    for (let round = 0; round < 15; round += 1) {
      sent.push(await send(await transfer({ memo: `${round}` }), 0));
      await pass(3);
      seen.push((await connection.getSignatureStatuses(sent)).value);
    }
    return seen;
  };
  expect(await historyOf(7)).toEqual(await historyOf(7));
  expect(await historyOf(8)).not.toEqual(await historyOf(7));
});
