import { execFile } from 'node:child_process';
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import path from 'node:path';
import { promisify } from 'node:util';
import { createKeyPairSignerFromPrivateKeyBytes, getBase58Decoder, type KeyPairSigner } from '@solana/kit';
import { x402Client } from '@x402/core/client';
import type { PaymentPayload } from '@x402/core/types';
import { ExactEvmScheme } from '@x402/evm';
import { ExactSvmScheme } from '@x402/svm';
import { build } from 'esbuild';
import { Client, type QueryResultRow } from 'pg';
import { createPublicClient, type Hex, http, parseAbi } from 'viem';
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import { setUsdcBalances, topUpGas, topUpUsdc } from '@/lib/local/evm/funding';
import { findFreePort } from '@/lib/local/free-port';
import { rpcCall } from '@/lib/local/json-rpc';
import { startSolanaRuntime } from '@/lib/local/solana/runtime';
import { challengeOf, paymentHeader } from '../support/buyer';
import { aFile } from '../support/files';
import { type RpcProxy, startRpcProxy } from '../support/rpc-proxy';
import { startServer, type TestServer } from '../support/server';
import { network, stack } from '../support/stack';
import { type DatabaseProxy, startDatabaseProxy } from './database-proxy';

/**
 * A server that may be killed, with everything of its own that money touches: a database, a settlement key and a payee,
 * so that the audit of its database sees its payments only. Its chains are reached through proxies.
 */
export interface Rig {
  readonly databaseUrl: string;
  readonly serverEnv: Readonly<Record<string, string>>;
  /** Between the server and its database; the rig's own queries go past it. */
  readonly database: DatabaseProxy;
  readonly base: RpcProxy;
  /** A Solana of the rig's own, whose slots may be moved; only when the rig was asked for one. */
  readonly solana: RpcProxy | null;
  /** The chains themselves, past the proxies. */
  readonly chainUrls: { readonly base: string; readonly solana: string | null };
  readonly payTo: { readonly evm: Hex; readonly solana: string };
  readonly apiUrl: string;
  server(): TestServer;
  /** Starts the server, at its old address when it was there before. */
  start(changed?: Record<string, string>): Promise<void>;
  kill(): Promise<void>;
  /** Lets the time pass after which a killed server is taken for dead. */
  passTakeoverTime(): Promise<unknown>;
  query<Row extends QueryResultRow>(sql: string, values?: readonly unknown[]): Promise<Row[]>;
  /** What the audit finds in the rig's database, a line each; empty when ledger and chains agree. */
  audit(): Promise<string[]>;
  newEvmPayer(atomic?: bigint): Promise<PrivateKeyAccount>;
  newSolanaPayer(atomic?: bigint): Promise<KeyPairSigner>;
  /** The key of another account that can pay Solana's fees. */
  newSolanaFeePayer(): Promise<string>;
  /** Leaves a wallet without tokens, as if it had spent them elsewhere. */
  drain(wallet: PrivateKeyAccount): Promise<void>;
  close(): Promise<void>;
}

export interface RigOptions {
  withSolana?: boolean;
  /** Another chain than the stack's base. */
  baseRpcUrl?: string;
  /** Shares the database and the payees of another rig: two instances of one service. */
  beside?: Rig;
}

export type Wallet = PrivateKeyAccount | KeyPairSigner;

export async function startRig(options: RigOptions = {}): Promise<Rig> {
  const { beside } = options;
  const shared = stack();
  const baseUrl = options.baseRpcUrl ?? beside?.chainUrls.base ?? network('base').rpcUrl;
  const settlementKey = generatePrivateKey();
  const payTo = beside?.payTo ?? {
    evm: privateKeyToAccount(generatePrivateKey()).address,
    solana: newSolanaWallet().address,
  };
  const ends: (() => Promise<unknown>)[] = [];
  const [base, databaseUrl, solana] = await Promise.all([
    startRpcProxy(baseUrl),
    beside ? beside.databaseUrl : createDatabase(ends),
    options.withSolana ? startSolana(payTo.solana, ends) : null,
    topUpGas(baseUrl, privateKeyToAccount(settlementKey).address, 10n ** 20n),
  ]);
  ends.unshift(() => base.close());
  const database = await startDatabaseProxy(databaseUrl);
  ends.unshift(() => database.close());
  const fromBlock = Number(await rpcCall(baseUrl, 'eth_blockNumber'));
  const kept = ['DATA_KEY', 'OPERATOR_TOKEN', 'STORAGE', 'STORAGE_DIR', 'MPP_SECRETS'];
  const serverEnv: Record<string, string> = {
    ...Object.fromEntries(Object.entries(shared.serverEnv).filter(([name]) => kept.includes(name))),
    DATABASE_URL: database.databaseUrl,
    DATABASE_POOL: '15',
    BASE_RPC_URL: base.url,
    PAY_TO_EVM: payTo.evm,
    SETTLEMENT_KEYS_EVM: settlementKey,
    ...(solana
      ? { SOLANA_RPC_URL: solana.proxy.url, PAY_TO_SOLANA: payTo.solana, SETTLEMENT_KEY_SOLANA: solana.key }
      : {}),
  };
  const port = await findFreePort();
  const apiUrl = `http://localhost:${port}`;
  let server: TestServer | undefined;
  let client: Client | undefined;
  const disconnect = async () => {
    await client?.end();
    client = undefined;
  };
  ends.unshift(disconnect);
  const query: Rig['query'] = async (sql, values = []) => {
    if (!client) {
      client = new Client({ connectionString: databaseUrl });
      await client.connect();
    }
    return (await client.query(sql, [...values])).rows;
  };

  return {
    databaseUrl,
    serverEnv,
    database,
    base,
    solana: solana?.proxy ?? null,
    chainUrls: { base: baseUrl, solana: solana?.url ?? null },
    payTo,
    apiUrl,
    server() {
      if (!server) throw new Error('the server of this rig does not run');
      return server;
    },
    async start(changed = {}) {
      server ??= await startServer({ ...serverEnv, ...changed }, { port });
    },
    async kill() {
      await server?.kill();
      server = undefined;
    },
    query,
    passTakeoverTime: () => query("UPDATE instance SET alive_until = now() - interval '1 second'"),
    audit: () =>
      audit(
        {
          ...serverEnv,
          DATABASE_URL: databaseUrl,
          BASE_RPC_URL: baseUrl,
          ...(solana ? { SOLANA_RPC_URL: solana.url } : {}),
          PUBLIC_URL: apiUrl,
          FILES_URL: `http://127.0.0.1:${port}`,
        },
        fromBlock,
      ),
    async newEvmPayer(atomic = 10_000_000n) {
      const account = privateKeyToAccount(generatePrivateKey());
      await topUpUsdc(baseUrl, network('base').usdc, [account.address], atomic, atomic);
      return account;
    },
    async newSolanaPayer(atomic = 10_000_000n) {
      const signer = await createKeyPairSignerFromPrivateKeyBytes(randomBytes(32));
      await rpcCall(solana?.url ?? '', 'tuppence_setTokenBalance', [signer.address, atomic.toString()]);
      return signer;
    },
    newSolanaFeePayer: () => newSolanaFeePayer(solana?.url ?? ''),
    drain: ({ address }) =>
      setUsdcBalances(baseUrl, network('base').usdc, [{ owner: address, amountAtomic: 0n }]),
    async close() {
      await server?.kill();
      for (const end of ends) await end();
    },
  };
}

/** A database of its own on the stack's server; `ends` gets what removes it. */
async function createDatabase(ends: (() => Promise<unknown>)[]): Promise<string> {
  const name = `recovery_${randomBytes(6).toString('hex')}`;
  const url = new URL(stack().databaseUrl);
  await administer(`CREATE DATABASE "${name}"`);
  ends.push(() => administer(`DROP DATABASE IF EXISTS "${name}" WITH (FORCE)`));
  url.pathname = `/${name}`;
  return url.href;
}

async function administer(sql: string): Promise<void> {
  const url = new URL(stack().databaseUrl);
  url.pathname = '/postgres';
  const client = new Client({ connectionString: url.href });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}

function newSolanaWallet(): { address: string; secretKey: string } {
  const { d = '', x = '' } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
  const publicKey = Buffer.from(x, 'base64url');
  const base58 = getBase58Decoder();
  return {
    address: base58.decode(publicKey),
    secretKey: base58.decode(Buffer.concat([Buffer.from(d, 'base64url'), publicKey])),
  };
}

async function startSolana(payTo: string, ends: (() => Promise<unknown>)[]) {
  const runtime = await startSolanaRuntime();
  ends.push(() => runtime.stop());
  const key = await newSolanaFeePayer(runtime.rpcUrl);
  await rpcCall(runtime.rpcUrl, 'tuppence_setTokenBalance', [payTo, '0']);
  const proxy = await startRpcProxy(runtime.rpcUrl);
  ends.unshift(() => proxy.close());
  return { url: runtime.rpcUrl, proxy, key };
}

async function newSolanaFeePayer(rpcUrl: string): Promise<string> {
  const { address, secretKey } = newSolanaWallet();
  await rpcCall(rpcUrl, 'requestAirdrop', [address, 100_000_000_000]);
  return secretKey;
}

let auditProgram: Promise<string> | undefined;

/** The operator's program in one file, made once per worker: it then starts in a third of the time. */
function bundleAudit(): Promise<string> {
  // Beside the packages that it loads.
  const outfile = path.resolve(`node_modules/.cache/tuppence/audit-${process.pid}.mjs`);
  auditProgram ??= build({
    entryPoints: ['lib/operator/audit-ledger.ts'],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    logLevel: 'error',
  }).then(() => outfile);
  return auditProgram;
}

/** Runs the operator's own program in a process of its own: modules keep the settings they were first loaded with. */
async function audit(env: Record<string, string>, fromBlock: number): Promise<string[]> {
  const run = promisify(execFile)(
    process.execPath,
    [await bundleAudit(), '--from-block', String(fromBlock)],
    // Next's type of ProcessEnv demands NODE_ENV.
    { env: { ...env, PATH: process.env.PATH, LOG_LEVEL: 'silent', NODE_ENV: 'test' } },
  );
  const { stdout, stderr, failure } = await run.then(
    (done) => ({ ...done, failure: null }),
    (error: { stdout: string; stderr: string; message: string }) => ({ ...error, failure: error.message }),
  );
  const findings = stderr.split('\n').filter((line) => line.startsWith('broken: '));
  const isAnswered = stdout.includes('The ledger and the chains agree') || findings.length > 0;
  if (!isAnswered) throw new Error(`the audit did not run: ${failure}\n${stdout}${stderr}`);
  return findings;
}

/** A signed request, to be sent as often as it takes, always the same. */
export interface SignedRequest {
  readonly url: string;
  readonly payer: string;
  readonly priceAtomic: bigint;
  readonly envelope: PaymentPayload;
  readonly init: { method: string; headers: Record<string, string>; body?: string };
}

/** What the official client of a wallet would send for an upload, or for a path without a body. */
export async function sign(
  rig: Pick<Rig, 'apiUrl' | 'chainUrls'>,
  wallet: Wallet,
  path = '/v1/uploads',
  method = 'POST',
): Promise<SignedRequest> {
  const url = `${rig.apiUrl}${path}`;
  const isEvm = 'signTypedData' in wallet;
  const prefix = isEvm ? 'eip155:' : 'solana:';
  const client = new x402Client((_, accepts) => {
    const wanted = accepts.find((candidate) => candidate.network.startsWith(prefix));
    if (!wanted) throw new Error(`no ${prefix} network is offered`);
    return wanted;
  });
  if (isEvm) client.register('eip155:*', new ExactEvmScheme(wallet));
  else client.register('solana:*', new ExactSvmScheme(wallet, { rpcUrl: rig.chainUrls.solana ?? '' }));
  const envelope = await client.createPaymentPayload(await challengeOf(url, method));
  const takesBody = path === '/v1/uploads';
  return {
    url,
    payer: wallet.address,
    priceAtomic: BigInt(envelope.accepted.amount),
    envelope,
    init: {
      method,
      headers: { ...(takesBody ? { 'Content-Type': 'application/json' } : {}), ...paymentHeader(envelope) },
      body: takesBody ? aFile().body : undefined,
    },
  };
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came
  readonly body: any;
}

/** Sends a request once. Rejects when the connection ends without an answer. */
export async function ask(request: SignedRequest, signal?: AbortSignal): Promise<Answer> {
  const answer = await fetch(request.url, { ...request.init, signal });
  return { status: answer.status, headers: answer.headers, body: await answer.json() };
}

/**
 * Sends the identical request until there is an end to it: what a patient client does that got no answer, or one that
 * says «the same request, later».
 */
export async function persist(request: SignedRequest, timeoutMs = 45_000): Promise<Answer> {
  const deadline = Date.now() + timeoutMs;
  let last = 'no answer';
  while (Date.now() < deadline) {
    const answer = await ask(request, AbortSignal.timeout(40_000)).catch(() => null);
    if (answer && !['same_request', 'later'].includes(answer.body?.error?.retry)) return answer;
    if (answer) last = `${answer.status} ${JSON.stringify(answer.body)}`;
    await pause(200);
  }
  throw new Error(`no end to it in ${timeoutMs} ms; last: ${last}`);
}

export const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** Asks again until it holds. */
export async function until<T>(
  what: string,
  look: () => Promise<T | null | undefined | false>,
  timeoutMs = 30_000,
): Promise<T> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const found = await look();
    if (found) return found;
    if (Date.now() > deadline) throw new Error(`not within ${timeoutMs} ms: ${what}`);
    await pause(50);
  }
}

export interface CallRow extends QueryResultRow {
  readonly id: string;
  readonly state: string;
  readonly network: string;
  readonly transaction_hash: string | null;
  readonly refusal_reason: string | null;
}

export function callsOf(rig: Pick<Rig, 'query'>, payer: string): Promise<CallRow[]> {
  return rig.query<CallRow>(
    'SELECT id, state::text, network, transaction_hash, refusal_reason FROM paid_call WHERE payer = $1 ORDER BY created_at',
    [payer],
  );
}

/** Waits until the payer's one call is in a state. */
export async function untilState(
  rig: Pick<Rig, 'query'>,
  payer: string,
  state: string,
  timeoutMs = 30_000,
): Promise<CallRow> {
  let seen = 'no call';
  try {
    return await until(
      state,
      async () => {
        const [call] = await callsOf(rig, payer);
        seen = call?.state ?? seen;
        return call?.state === state ? call : null;
      },
      timeoutMs,
    );
  } catch {
    throw new Error(`the call is not ${state} after ${timeoutMs} ms but ${seen}`);
  }
}

/** The ids of the uploads that a wallet owns. */
export async function uploadsOf(rig: Pick<Rig, 'query'>, owner: string): Promise<string[]> {
  const rows = await rig.query<{ id: string }>('SELECT id FROM upload WHERE owner = $1', [owner]);
  return rows.map(({ id }) => id);
}

const transferEvent = parseAbi([
  'event Transfer(address indexed from, address indexed to, uint256 value)',
])[0];

/** The transactions that moved tokens from a wallet to the rig's payee. */
export async function transfersOf(rig: Pick<Rig, 'chainUrls' | 'payTo'>, payer: string): Promise<string[]> {
  if (payer.startsWith('0x')) {
    const logs = await createPublicClient({ transport: http(rig.chainUrls.base) }).getLogs({
      address: network('base').usdc as Hex,
      event: transferEvent,
      args: { from: payer as Hex, to: rig.payTo.evm },
      fromBlock: 0n,
    });
    return logs.map(({ transactionHash }) => transactionHash);
  }
  const records = (await rpcCall(rig.chainUrls.solana ?? '', 'getSignaturesForAddress', [
    payer,
    { commitment: 'confirmed' },
  ])) as { signature: string; err: unknown }[];
  return records.filter(({ err }) => err === null).map(({ signature }) => signature);
}
