import { expect, test } from '@playwright/test';
import type { Hex } from 'viem';
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import type { App } from '@/lib/app';
import { insertRefund } from '@/lib/ledger/refund-records';
import { cancelRefund } from '@/lib/operator/refunds/request-refund';
import { recordSent, walletTransfer } from '@/lib/operator/refunds/wallet-refund';
import { type EvmChain, startEvmChain } from '@/local/evm/chain';
import { heldIntervalSeconds, topUpGas, topUpUsdc } from '@/local/evm/funding';
import { rpcCall } from '@/local/json-rpc';
import { addCall, addSettlement } from '../support/ledger-rows';
import { migratedDatabase, type NewDatabase } from '../support/new-database';
import { falsify, type RpcProxy, startRpcProxy } from '../support/rpc-proxy';
import { operator } from './rig/refunds';
import { openOperatorApp, sendUsdc } from './rig/treasury';

/** A refund is not cancelled while its transfer is on the chain or may still get there, whatever the nodes say. */

let chain: EvmChain;
/** Another node of the same chain. */
let node: RpcProxy;
let database: NewDatabase;
let treasury: PrivateKeyAccount;
let settlementId: string;
const price = 5_000n;
const settlementHash = `0x${'ab'.repeat(32)}`;

// One chain for all tests; each test has its own payer.
test.describe.configure({ mode: 'default' });
test.beforeAll(async () => {
  [chain, database] = await Promise.all([startEvmChain({ chainId: 8453 }), migratedDatabase()]);
  node = await startRpcProxy(chain.rpcUrl);
  treasury = privateKeyToAccount(generatePrivateKey());
  await topUpGas(chain.rpcUrl, treasury.address, 10n ** 18n);
  await topUpUsdc(chain.rpcUrl, chain.usdc, [treasury.address], 10_000_000n, 10_000_000n);
  const app = openApp(chain.rpcUrl);
  settlementId = await addSettlement(app.pool, { hash: settlementHash, at: new Date(), feeAtomic: 1n });
  await app.pool.query('UPDATE settlement_transaction SET final_at = now(), block_number = 0');
  await app.close();
  await rpcCall(chain.rpcUrl, 'evm_setIntervalMining', [heldIntervalSeconds]);
});
test.afterEach(() => node.clear());
test.afterAll(async () => {
  await node.close();
  await chain.stop();
  await database.drop();
});

/** An operator's process that uses these nodes. */
function openApp(...rpcUrls: string[]): App {
  return openOperatorApp({
    DATABASE_URL: database.url,
    BASE_RPC_URL: rpcUrls.join(','),
    PAY_TO_EVM: treasury.address,
  });
}

/** Begins a refund from the treasury's wallet. */
async function begin(app: App): Promise<{ readonly id: string; readonly payer: Hex }> {
  const payer = privateKeyToAccount(generatePrivateKey()).address;
  const paidCallId = await addCall(app.pool, { payer, settlementId, transactionHash: settlementHash });
  const height = BigInt(String(await rpcCall(chain.rpcUrl, 'eth_blockNumber')));
  const terms = { accountId: null, reason: 'duplicate', note: null, sinceHeight: height } as const;
  const now = new Date();
  const id = await insertRefund(app.db, { ...terms, paidCallId, method: 'wallet' }, now, now);
  return { id, payer };
}

/** The same, and the wallet sends the transfer without reporting it. Nothing is mined. @returns its id */
async function beginUntold(app: App): Promise<string> {
  const { id, payer } = await begin(app);
  await sendUsdc(chain, treasury, payer, price);
  return id;
}

const mine = () => rpcCall(chain.rpcUrl, 'anvil_mine', ['0x1']);

function cancel(app: App, id: string): Promise<string> {
  return cancelRefund(app, operator, id, null).then(
    ({ state }) => state,
    ({ code, message }: { code?: string; message: string }) => code ?? message,
  );
}

test('a refund whose transaction comes into a block while the chain is searched is not cancelled', async () => {
  const app = openApp(node.url);
  const id = await beginUntold(app);
  expect(await cancel(app, id)).toBe('treasury_pending');
  const held = node.hold('eth_getLogs', 'after');
  const cancelling = cancel(app, id);
  await held.reached;
  await mine();
  held.release();
  expect(await cancelling).toBe('treasury_pending');
  expect(await cancel(app, id)).toBe('transfer_found');
  await app.close();
});

test('a refund is not cancelled while one node has its transfer and another is behind', async () => {
  const app = openApp(chain.rpcUrl, node.url);
  const id = await beginUntold(app);
  await mine();
  const before = falsify((height) => `0x${(Number(height) - 1).toString(16)}`);
  const behind = [
    node.on('eth_blockNumber', before),
    node.on('eth_getTransactionReceipt', async () => ({ result: null })),
    node.on('eth_getLogs', async () => ({ result: [] })),
  ];
  expect(await cancel(app, id)).toBe('nodes_disagree');
  for (const rule of behind) rule.remove();
  expect(await cancel(app, id)).toBe('transfer_found');
  await app.close();
});

test('a refund is not cancelled when another operator asks a wallet to sign it meanwhile', async () => {
  const app = openApp(node.url);
  const other = openApp(chain.rpcUrl);
  const { id } = await begin(app);
  const held = node.hold('eth_getLogs', 'before');
  const cancelling = cancel(app, id);
  await held.reached;
  await walletTransfer(other, operator, id);
  held.release();
  expect(await cancelling).toBe('refund_changed');
  expect(await cancel(app, id)).toBe('wallet_may_send');
  await Promise.all([app.close(), other.close()]);
});

test('a refund that was sent is not cancelled when its transaction comes into a block meanwhile', async () => {
  const app = openApp(node.url);
  const { id, payer } = await begin(app);
  const hash = await sendUsdc(chain, treasury, payer, price);
  await recordSent(app, operator, id, hash);
  const held = node.hold('eth_getTransactionCount', 'before');
  const cancelling = cancel(app, id);
  await held.reached;
  await mine();
  held.release();
  expect(await cancelling).toBe('in_a_block');
  await app.close();
});
