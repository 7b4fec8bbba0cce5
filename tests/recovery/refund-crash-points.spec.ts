import { expect, test } from '@playwright/test';
import { getBase58Encoder } from '@solana/kit';
import { Connection, Keypair, VersionedTransaction } from '@solana/web3.js';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import type { App } from '@/lib/app';
import { findRefundRequest, recordRefundRequest } from '@/lib/ledger/refund-requests';
import { readWorklist } from '@/lib/ledger/worklist';
import { checkRefunds } from '@/lib/operator/refunds/follow';
import { refundByTransfer, refundIntoAccount } from '@/lib/operator/refunds/request-refund';
import { configuredOffers } from '@/lib/payments/network-offers';
import { refundTransaction } from '@/lib/payments/solana/refund-transaction';
import { type EvmChain, startEvmChain } from '@/local/evm/chain';
import { topUpGas, topUpUsdc } from '@/local/evm/funding';
import { rpcCall } from '@/local/json-rpc';
import { type DatabaseProxy, startDatabaseProxy } from '../support/database-proxy';
import { addCall, addSettlement } from '../support/ledger-rows';
import { migratedDatabase, type NewDatabase } from '../support/new-database';
import { type RpcProxy, startRpcProxy } from '../support/rpc-proxy';
import { isSweep } from '../support/sweep';
import { newSolanaFeePayer, newSolanaWallet, startSolana } from './rig/own-solana';
import { operator } from './rig/refunds';
import { openOperatorApp, operatorSettings, sendUsdc } from './rig/treasury';
import { until } from './rig/waiting';

/** An operator's process is killed at each of its messages. Another process then finishes its work, exactly once. */

const price = 5_000n;
/** Blocks are mined when a test asks for them, so the test decides when a transfer is final. */
const finalityBlocks = 2;
const accountId = `acct_${'C'.repeat(24)}`;
const ends: (() => Promise<unknown>)[] = [];
let evm: EvmChain;
let solanaUrl: string;
let database: NewDatabase;
/** The proxies between the killed process and the outside. */
let gate: { readonly database: DatabaseProxy; readonly base: RpcProxy; readonly solana: RpcProxy };
let survivor: App;
const wallets = {
  evm: privateKeyToAccount(generatePrivateKey()),
  payer: privateKeyToAccount(generatePrivateKey()).address,
  solana: newSolanaWallet(),
  solanaPayer: newSolanaWallet().address,
};
let feePayer: string;
const settlements = { base: '', 'solana-mainnet': '' };

test.describe.configure({ mode: 'default' });
test.setTimeout(isSweep ? 600_000 : 120_000);

test.beforeAll(async () => {
  [evm, database, solanaUrl] = await Promise.all([
    startEvmChain({ chainId: 8453, blockTimeSeconds: 0 }),
    migratedDatabase(),
    startSolana(ends),
  ]);
  const proxies = [
    startDatabaseProxy(database.url),
    startRpcProxy(evm.rpcUrl),
    startRpcProxy(solanaUrl),
  ] as const;
  const [proxy, baseProxy, solanaProxy] = await Promise.all(proxies);
  gate = { database: proxy, base: baseProxy, solana: solanaProxy };
  ends.unshift(proxy.close, baseProxy.close, solanaProxy.close);
  ends.push(evm.stop, database.drop);
  await topUpGas(evm.rpcUrl, wallets.evm.address, 10n ** 18n);
  await topUpUsdc(evm.rpcUrl, evm.usdc, [wallets.evm.address], 10_000_000n, 10_000_000n);
  feePayer = await newSolanaFeePayer(solanaUrl);
  const { address } = wallets.solana;
  await rpcCall(solanaUrl, 'requestAirdrop', [address, 10_000_000_000]);
  await rpcCall(solanaUrl, 'tuppence_setTokenBalance', [address, '10000000']);
  survivor = openApp(database.url, evm.rpcUrl, solanaUrl);
  ends.unshift(() => survivor.close());
  for (const network of ['base', 'solana-mainnet'] as const)
    settlements[network] = await addSettlement(survivor.pool, {
      network,
      hash: `payment on ${network}`,
      at: new Date(0),
      feeAtomic: 1n,
    });
  await survivor.pool.query('UPDATE settlement_transaction SET final_at = now(), block_number = 0');
  await survivor.pool.query('INSERT INTO account (id, created_at) VALUES ($1, now())', [accountId]);
});
test.afterAll(async () => {
  for (const end of ends) await end();
});

function settingsOf(databaseUrl: string, baseUrl: string, solana: string) {
  return {
    DATABASE_URL: databaseUrl,
    BASE_RPC_URL: baseUrl,
    FINALITY_BLOCKS: `base=${finalityBlocks}`,
    SOLANA_RPC_URL: solana,
    PAY_TO_EVM: wallets.evm.address,
    PAY_TO_SOLANA: wallets.solana.address,
    SETTLEMENT_KEY_SOLANA: feePayer,
  };
}

function openApp(...urls: [string, string, string]): App {
  return openOperatorApp(settingsOf(...urls));
}

const mine = (blocks: number) => rpcCall(evm.rpcUrl, 'anvil_mine', [`0x${blocks.toString(16)}`]);

/** Transfers the price from the treasury to the payer. @returns the transaction */
async function transferOnBase(): Promise<string> {
  const hash = await sendUsdc(evm, wallets.evm, wallets.payer, price);
  await mine(1);
  return hash;
}

async function transferOnSolana(): Promise<string> {
  const offers = configuredOffers(operatorSettings(settingsOf(database.url, evm.rpcUrl, solanaUrl)));
  const offer = offers.find(({ network }) => network.family === 'solana');
  if (offer?.network.family !== 'solana') throw new Error('Solana is not configured');
  const wire = await refundTransaction(
    new Connection(solanaUrl, 'confirmed'),
    { ...offer, network: offer.network },
    {
      paidCallId: 'pc_by_hand',
      recipient: wallets.solanaPayer,
      amountAtomic: price,
      paidInBlock: 0n,
      paidAt: new Date(0),
    },
    `by hand ${Math.random()}`,
  );
  const transaction = VersionedTransaction.deserialize(Buffer.from(wire, 'base64'));
  const secret = new Uint8Array(getBase58Encoder().encode(wallets.solana.secretKey));
  transaction.sign([Keypair.fromSecretKey(secret)]);
  const sent = Buffer.from(transaction.serialize()).toString('base64');
  const signature = String(
    await rpcCall(solanaUrl, 'sendTransaction', [
      sent,
      { encoding: 'base64', preflightCommitment: 'confirmed' },
    ]),
  );
  await until('a slot', async () => {
    await rpcCall(solanaUrl, 'tuppence_advanceSlots', [40]);
    const config = { commitment: 'finalized', maxSupportedTransactionVersion: 0 };
    return Boolean(await rpcCall(solanaUrl, 'getTransaction', [signature, config]));
  });
  return signature;
}

/** Work of an operator's process on a call. */
interface Work {
  readonly name: string;
  /** What the ledger has in the end. */
  readonly outcome: object;
  /** Sells a call that cannot be delivered, and prepares what the work needs. */
  prepare(): Promise<{ readonly id: string; run(app: App): Promise<unknown> }>;
}

/** Sells a call whose payer has requested its refund. */
async function sell(network: 'base' | 'solana-mainnet', payer: string): Promise<string> {
  const id = await addCall(survivor.pool, {
    network,
    payer,
    settlementId: settlements[network],
    transactionHash: `payment on ${network}`,
    states: ['settled', ['needs_attention', 'delivery_failed']],
  });
  await recordRefundRequest(survivor, {
    paidCallId: id,
    reason: 'not_delivered',
    message: null,
    requestedAt: new Date(),
  });
  return id;
}

const refundedOnce = {
  state: 'refunded',
  refunds: ['confirmed'],
  postings: 1,
  actions: 1,
  request: 'refunded',
};

const requestFor = (paidCallId: string) => ({ paidCallId, reason: 'not_delivered', note: null }) as const;

const works: readonly Work[] = [
  {
    name: 'the record of a final transfer on base',
    outcome: refundedOnce,
    async prepare() {
      const id = await sell('base', wallets.payer);
      const transactionHash = await transferOnBase();
      await mine(finalityBlocks);
      return { id, run: (app) => refundByTransfer(app, operator, { ...requestFor(id), transactionHash }) };
    },
  },
  {
    name: 'the confirmation of a transfer on base that was recorded before',
    outcome: refundedOnce,
    async prepare() {
      const id = await sell('base', wallets.payer);
      const transactionHash = await transferOnBase();
      await refundByTransfer(survivor, operator, { ...requestFor(id), transactionHash });
      await mine(finalityBlocks);
      return {
        id,
        async run(app) {
          // Due even by a clock that counts whole milliseconds.
          await app.pool.query(
            "UPDATE refund SET check_at = now() - interval '1 second' WHERE state = 'sent'",
          );
          await checkRefunds(app, new Date());
        },
      };
    },
  },
  {
    name: 'the record of a final transfer on Solana',
    outcome: refundedOnce,
    async prepare() {
      const id = await sell('solana-mainnet', wallets.solanaPayer);
      const transactionHash = await transferOnSolana();
      return { id, run: (app) => refundByTransfer(app, operator, { ...requestFor(id), transactionHash }) };
    },
  },
  {
    name: 'a refund into an account',
    outcome: refundedOnce,
    async prepare() {
      const id = await sell('base', wallets.payer);
      return { id, run: (app) => refundIntoAccount(app, operator, { ...requestFor(id), accountId }) };
    },
  },
  {
    name: 'the decline of a request for a refund',
    outcome: { state: 'needs_attention', refunds: [], postings: 0, actions: 1, request: 'declined' },
    async prepare() {
      const id = await sell('base', wallets.payer);
      return { id, run: (app) => app.console.declineRefund(operator, id, 'It was delivered.') };
    },
  },
];

interface KillAt {
  readonly nth: number;
  readonly moment: 'before' | 'after';
}

const writes = /^\s*(WITH|INSERT|UPDATE|COMMIT)\b/i;

/** Runs work in a process that is killed at a message. @returns its messages, and whether it was killed */
async function runAndKill(run: (app: App) => Promise<unknown>, at: KillAt | null) {
  const messages: string[] = [];
  let isDead = false;
  const fateOf = (message: string) => {
    if (isDead) return 'dead';
    messages.push(message);
    return at !== null && messages.length === at.nth ? at.moment : 'pass';
  };
  const die = () => {
    isDead = true;
    gate.database.cut();
  };
  gate.database.intercept((statement) => {
    const fate = fateOf(statement);
    if (fate === 'pass') return null;
    return async ({ forward, end }) => {
      if (fate === 'after') await forward();
      die();
      end();
    };
  });
  for (const proxy of [gate.base, gate.solana])
    proxy.on('*', async (call, forward) => {
      const fate = fateOf(call.method);
      if (fate === 'pass') return forward();
      if (fate === 'after') await forward();
      die();
      return { fault: 'close' };
    });
  const app = openApp(gate.database.databaseUrl, gate.base.url, gate.solana.url);
  await run(app).catch(() => undefined);
  await app.close().catch(() => undefined);
  gate.database.intercept(null);
  for (const proxy of [gate.base, gate.solana]) proxy.clear();
  return { messages, isDead };
}

/** The outcome of a call in the ledger: its state, refunds, refund postings, operator actions and the request of its payer. */
async function outcomeOf(id: string) {
  const { rows } = await survivor.pool.query(
    `SELECT state::text, ARRAY(SELECT state::text FROM refund WHERE paid_call_id = $1) AS refunds,
       (SELECT count(*)::int FROM posting WHERE paid_call_id = $1 AND kind = 'refunded') AS postings,
       (SELECT count(*)::int FROM operator_action WHERE target_id = $1) AS actions
     FROM paid_call WHERE id = $1`,
    [id],
  );
  const request = await findRefundRequest(survivor, id);
  const waiting = (await readWorklist(survivor, 1_000)).filter(
    (item) => item.kind === 'refund_requested' && item.id === id,
  );
  expect(waiting).toHaveLength(request?.state === 'open' ? 1 : 0);
  return { ...rows[0], request: request?.state };
}

const balance = async () => {
  const { rows } = await survivor.pool.query<{ atomic: string }>(
    'SELECT COALESCE(sum(balance_atomic), 0) AS atomic FROM account_balance WHERE account_id = $1',
    [accountId],
  );
  return BigInt(rows[0]?.atomic ?? 0);
};

for (const { name, outcome, prepare } of works) {
  test(`although an operator's process is killed at any message, it is done once: ${name}`, async () => {
    const first = await prepare();
    const { messages } = await runAndKill(first.run, null);
    expect(await outcomeOf(first.id)).toEqual(outcome);
    // A kill at a message that only reads has the same result as a kill after the write before it.
    const points = messages.flatMap((message, index): KillAt[] => {
      const nth = index + 1;
      if (isSweep)
        return [
          { nth, moment: 'before' },
          { nth, moment: 'after' },
        ];
      if (writes.test(message)) return [{ nth, moment: 'after' }];
      return index === 0 ? [{ nth, moment: 'before' }] : [];
    });
    expect(points.length).toBeGreaterThan(2);
    test.info().annotations.push({ type: 'crash points, kills', description: String(points.length) });
    let killed = 0;
    for (const at of points) {
      const before = await balance();
      const { id, run } = await prepare();
      const what = `killed ${at.moment} ${messages[at.nth - 1]?.slice(0, 80)}`;
      const { isDead } = await runAndKill(run, at);
      if (isDead) killed += 1;
      const left = await outcomeOf(id);
      // All or nothing: no refund or answer without its action, and no posting without its refund.
      const isWhole =
        (left.state === 'refunded' || left.postings === 0) && (left.request === 'open' || left.actions === 1);
      expect(isWhole, `${what} left ${JSON.stringify(left)}`).toBe(true);
      await run(survivor).catch(({ code }: { code?: string }) => expect(code, what).toBe('already_refunded'));
      expect(await outcomeOf(id), what).toEqual(outcome);
      expect(await balance(), what).toBe(before + (name.includes('account') ? price : 0n));
    }
    expect(killed).toBeGreaterThanOrEqual(points.length - 1);
  });
}
