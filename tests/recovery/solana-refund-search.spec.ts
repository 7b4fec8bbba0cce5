import { expect, test } from '@playwright/test';
import { getBase58Encoder } from '@solana/kit';
import {
  Connection,
  Keypair,
  PublicKey,
  SystemProgram,
  TransactionInstruction,
  TransactionMessage,
  VersionedTransaction,
} from '@solana/web3.js';
import { configuredOffers, type Offer, type SolanaNetwork } from '@/lib/payments/network-offers';
import type { RefundTransfer } from '@/lib/payments/refund-transfer';
import { RpcNodes } from '@/lib/payments/rpc/network-rpcs';
import { refundTransaction, tokenProgramOf } from '@/lib/payments/solana/refund-transaction';
import { SolanaRefundReader } from '@/lib/payments/solana/solana-refund-reader';
import { associatedTokenAccount, associatedTokenProgram } from '@/lib/payments/solana/solana-transaction';
import { rpcCall } from '@/local/json-rpc';
import { startSolanaRuntime } from '@/local/solana/runtime';
import { testPlatform } from '../support/platform';
import { falsify, type RpcProxy, startRpcProxy } from '../support/rpc-proxy';
import { newSolanaFeePayer, newSolanaWallet } from './rig/own-solana';
import { until } from './rig/waiting';

/** A transfer that a wallet sent without reporting it is found by the refund's id in its memo. */

let chainUrl: string;
/** Another node of the same chain. */
let node: RpcProxy;
let treasury: Keypair;
let offer: Offer<SolanaNetwork>;
const ends: (() => Promise<unknown>)[] = [];

// One chain for all tests; each test has its own recipient.
test.describe.configure({ mode: 'default' });

test.beforeAll(async () => {
  const chain = await startSolanaRuntime();
  chainUrl = chain.rpcUrl;
  node = await startRpcProxy(chainUrl);
  ends.push(() => node.close(), chain.stop);
  const feePayer = await newSolanaFeePayer(chainUrl);
  const wallet = newSolanaWallet();
  treasury = keyOf(wallet.secretKey);
  await rpcCall(chainUrl, 'requestAirdrop', [wallet.address, 10_000_000_000]);
  await rpcCall(chainUrl, 'tuppence_setTokenBalance', [wallet.address, '10000000']);
  const { settings } = testPlatform({
    SOLANA_RPC_URL: chainUrl,
    PAY_TO_SOLANA: wallet.address,
    SETTLEMENT_KEY_SOLANA: feePayer,
  });
  const found = configuredOffers(settings).find(({ network }) => network.family === 'solana');
  if (found?.network.family !== 'solana') throw new Error('Solana is not configured');
  offer = { ...found, network: found.network };
});
test.afterEach(() => node.clear());
test.afterAll(async () => {
  for (const end of ends) await end();
});

function keyOf(secret: string): Keypair {
  return Keypair.fromSecretKey(new Uint8Array(getBase58Encoder().encode(secret)));
}

/** A reader that uses these nodes. */
function readerOf(...rpcUrls: string[]): SolanaRefundReader {
  const app = testPlatform();
  const of = { ...offer, rpcUrls };
  return new SolanaRefundReader(app, of, new RpcNodes(app, of));
}

/** A transfer of 5,000 that refunds a payment of a new payer. */
async function newTransfer(): Promise<RefundTransfer> {
  const { address } = newSolanaWallet();
  await rpcCall(chainUrl, 'tuppence_setTokenBalance', [address, '0']);
  return {
    paidCallId: 'pc_paid',
    recipient: address,
    amountAtomic: 5_000n,
    paidInBlock: 0n,
    paidAt: new Date(0),
  };
}

async function send(transaction: VersionedTransaction, ...signers: Keypair[]): Promise<string> {
  transaction.sign(signers);
  const wire = Buffer.from(transaction.serialize()).toString('base64');
  const config = { encoding: 'base64', preflightCommitment: 'confirmed' };
  const signature = String(await rpcCall(chainUrl, 'sendTransaction', [wire, config]));
  await until('a slot', async () => {
    const wanted = { commitment: 'confirmed', maxSupportedTransactionVersion: 0 };
    return Boolean(await rpcCall(chainUrl, 'getTransaction', [signature, wanted]));
  });
  return signature;
}

/** Makes the transfer of a refund as the treasury's wallet does. @returns its signature */
async function refund(transfer: RefundTransfer, refundId: string, asset = offer.asset): Promise<string> {
  const connection = new Connection(chainUrl, 'confirmed');
  const wire = await refundTransaction(connection, { ...offer, asset }, transfer, refundId);
  return send(VersionedTransaction.deserialize(Buffer.from(wire, 'base64')), treasury);
}

async function sendInstructions(
  instructions: TransactionInstruction[],
  ...signers: [Keypair, ...Keypair[]]
): Promise<string> {
  const { blockhash } = await new Connection(chainUrl, 'confirmed').getLatestBlockhash();
  const [{ publicKey: payerKey }] = signers;
  const message = new TransactionMessage({ payerKey, recentBlockhash: blockhash, instructions });
  return send(new VersionedTransaction(message.compileToV0Message()), ...signers);
}

const key = (pubkey: PublicKey, { isSigner = false, isWritable = false } = {}) => ({
  pubkey,
  isSigner,
  isWritable,
});
const amountOf = (atomic: bigint) => {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(atomic);
  return bytes;
};

/** Creates a token that is not ours, and gives the treasury some of it. @returns its mint */
async function newToken(): Promise<string> {
  const mint = Keypair.generate();
  const program = await tokenProgramOf(new Connection(chainUrl), new PublicKey(offer.asset));
  const owner = treasury.publicKey;
  const account = associatedTokenAccount(owner, mint.publicKey, program);
  const bytes = 82;
  await sendInstructions(
    [
      SystemProgram.createAccount({
        fromPubkey: owner,
        newAccountPubkey: mint.publicKey,
        lamports: 10_000_000,
        space: bytes,
        programId: program,
      }),
      // InitializeMint2 with USDC's decimals, CreateIdempotent for the token account, and MintTo.
      new TransactionInstruction({
        programId: program,
        keys: [key(mint.publicKey, { isWritable: true })],
        data: Buffer.concat([Buffer.from([20, 6]), owner.toBuffer(), Buffer.from([0])]),
      }),
      new TransactionInstruction({
        programId: associatedTokenProgram,
        keys: [
          key(owner, { isSigner: true, isWritable: true }),
          key(account, { isWritable: true }),
          key(owner),
          key(mint.publicKey),
          key(SystemProgram.programId),
          key(program),
        ],
        data: Buffer.from([1]),
      }),
      new TransactionInstruction({
        programId: program,
        keys: [
          key(mint.publicKey, { isWritable: true }),
          key(account, { isWritable: true }),
          key(owner, { isSigner: true }),
        ],
        data: Buffer.concat([Buffer.from([7]), amountOf(10_000_000n)]),
      }),
    ],
    treasury,
    mint,
  );
  return mint.publicKey.toBase58();
}

/** Sends a stranger's transaction that names a refund in its memo and touches the account of the refund's recipient. */
async function nameInMemo({ recipient }: RefundTransfer, refundId: string): Promise<string> {
  const stranger = Keypair.generate();
  await rpcCall(chainUrl, 'requestAirdrop', [stranger.publicKey.toBase58(), 1_000_000_000]);
  const mint = new PublicKey(offer.asset);
  const program = await tokenProgramOf(new Connection(chainUrl), mint);
  const account = associatedTokenAccount(new PublicKey(recipient), mint, program);
  const memo = new PublicKey('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr');
  const touch = SystemProgram.transfer({
    fromPubkey: stranger.publicKey,
    toPubkey: account,
    lamports: 1_000_000,
  });
  const keys = [key(stranger.publicKey, { isSigner: true })];
  const name = new TransactionInstruction({ programId: memo, keys, data: Buffer.from(refundId) });
  return sendInstructions([touch, name], stranger);
}

test('the transfer with the memo of a refund is found, and those of other calls are not', async () => {
  const reader = readerOf(chainUrl);
  const transfer = await newTransfer();
  const since = await reader.height();
  await refund(transfer, 'rf_of_another_call');
  const signature = await refund(transfer, 'rf_lost');
  await refund(transfer, 'rf_of_a_third_call');
  expect(await reader.search(transfer, 'rf_lost', since)).toEqual([signature]);
  expect(await reader.read(signature, transfer)).toMatchObject({ kind: 'found' });
  expect(await reader.search(transfer, 'rf_never_sent', since)).toEqual([]);
  expect(await reader.search(await newTransfer(), 'rf_lost', since)).toEqual([]);
});

test('the search leaves out transactions sent before the refund was requested', async () => {
  const reader = readerOf(chainUrl);
  const transfer = await newTransfer();
  await refund(transfer, 'rf_lost');
  await rpcCall(chainUrl, 'tuppence_advanceSlots', [5]);
  expect(await reader.search(transfer, 'rf_lost', await reader.height())).toEqual([]);
});

test('a transfer of another amount is found by its memo, and is not the refund', async () => {
  const reader = readerOf(chainUrl);
  const transfer = await newTransfer();
  const since = await reader.height();
  const signature = await refund({ ...transfer, amountAtomic: 4_999n }, 'rf_lost');
  expect(await reader.search(transfer, 'rf_lost', since)).toEqual([signature]);
  expect(await reader.read(signature, transfer)).toMatchObject({ kind: 'mismatch', reason: 'wrong_amount' });
});

test('a transfer of another token is not the refund, whatever its memo says', async () => {
  const reader = readerOf(chainUrl);
  const transfer = await newTransfer();
  const since = await reader.height();
  const signature = await refund(transfer, 'rf_lost', await newToken());
  expect(await reader.search(transfer, 'rf_lost', since)).toEqual([]);
  expect(await reader.read(signature, transfer)).toMatchObject({ kind: 'mismatch', reason: 'wrong_token' });
});

test('a memo that a stranger writes is no refund', async () => {
  const reader = readerOf(chainUrl);
  const transfer = await newTransfer();
  const since = await reader.height();
  const forged = await nameInMemo(transfer, 'rf_lost');
  const signature = await refund(transfer, 'rf_lost');
  expect(await reader.search(transfer, 'rf_lost', since)).toEqual([forged, signature]);
  expect(await reader.read(forged, transfer)).toMatchObject({ kind: 'mismatch', reason: 'wrong_token' });
});

test('however many later memos name the refund, its transfer is among what is found', async () => {
  const reader = readerOf(node.url);
  const transfer = await newTransfer();
  const since = await reader.height();
  const signature = await refund(transfer, 'rf_lost');
  const forged = Array.from({ length: 150 }, (_, index) => ({
    ...{
      signature: `forged${index}`,
      slot: Number(since) + 1_000,
      err: null,
      memo: '[7] rf_lost',
      blockTime: null,
    },
  }));
  node.on(
    'getSignaturesForAddress',
    falsify((page) => [...forged, ...(page as object[])]),
    { times: 1 },
  );
  const found = await reader.search(transfer, 'rf_lost', since);
  expect(found).toContain(signature);
  expect(found).toHaveLength(100);
});

test('every page is read, also of a node whose pages are shorter than was asked for', async () => {
  const transfer = await newTransfer();
  const since = await readerOf(chainUrl).height();
  const signature = await refund(transfer, 'rf_lost');
  for (let later = 0; later < 4; later += 1) await refund(transfer, `rf_later_${later}`);
  node.on(
    'getSignaturesForAddress',
    falsify((page) => (page as object[]).slice(0, 2)),
  );
  const before = node.count('getSignaturesForAddress');
  expect(await readerOf(node.url).search(transfer, 'rf_lost', since)).toEqual([signature]);
  expect(node.count('getSignaturesForAddress') - before).toBeGreaterThanOrEqual(3);
});

test('a node that tells the same page for ever ends the search with an error', async () => {
  const transfer = await newTransfer();
  const since = await readerOf(chainUrl).height();
  await refund(transfer, 'rf_lost');
  const { result } = await firstPage(transfer);
  node.on('getSignaturesForAddress', async () => ({ result }));
  await expect(readerOf(node.url).search(transfer, 'rf_lost', since)).rejects.toThrow(/again and again/);
});

/** The newest transactions of the recipient's account, as the node reports them. */
async function firstPage({ recipient }: RefundTransfer): Promise<{ result: unknown }> {
  const mint = new PublicKey(offer.asset);
  const program = await tokenProgramOf(new Connection(chainUrl), mint);
  const account = associatedTokenAccount(new PublicKey(recipient), mint, program).toBase58();
  const config = { commitment: 'confirmed' };
  return { result: await rpcCall(chainUrl, 'getSignaturesForAddress', [account, config]) };
}

test('a transaction that only one node knows is found, and not believed until both have it', async () => {
  const transfer = await newTransfer();
  const reader = readerOf(chainUrl, node.url);
  const since = await reader.height();
  const signature = await refund(transfer, 'rf_lost');
  const behind = [
    node.on('getSignaturesForAddress', async () => ({ result: [] })),
    node.on('getTransaction', async () => ({ result: null })),
  ];
  expect(await reader.search(transfer, 'rf_lost', since)).toEqual([signature]);
  expect(await reader.read(signature, transfer)).toEqual({ kind: 'unclear' });
  for (const rule of behind) rule.remove();
  expect(await reader.read(signature, transfer)).toMatchObject({ kind: 'found' });
});

test('a transfer that one node makes up is not believed, and a node that is silent ends the search', async () => {
  const transfer = await newTransfer();
  const reader = readerOf(chainUrl, node.url);
  const since = await reader.height();
  const signature = await refund(transfer, 'rf_of_another_call');
  const made = { signature, slot: Number(since) + 1, err: null, memo: '[7] rf_lost', blockTime: null };
  const lie = node.on('getSignaturesForAddress', async ({ params }) => ({
    result: (params[1] as { before?: string }).before ? [] : [made],
  }));
  // Only the memo is a lie. The transfer is real, so the books check whether it belongs to another refund.
  expect(await reader.search(transfer, 'rf_lost', since)).toEqual([signature]);
  node.on(
    'getTransaction',
    falsify((found) => {
      // Not final yet.
      if (found === null) return null;
      const { meta, ...rest } = found as { meta: { postTokenBalances: unknown[] } };
      return { ...rest, meta: { ...meta, postTokenBalances: [] } };
    }),
  );
  expect(await reader.read(signature, transfer)).toEqual({ kind: 'unclear' });
  lie.remove();
  node.on('getSignaturesForAddress', async () => ({ fault: 'close' }));
  await expect(reader.search(transfer, 'rf_lost', since)).rejects.toThrow();
});
