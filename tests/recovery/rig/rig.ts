import { randomBytes } from 'node:crypto';
import { createKeyPairSignerFromPrivateKeyBytes, type KeyPairSigner } from '@solana/kit';
import { Client, type QueryResultRow } from 'pg';
import type { Hex } from 'viem';
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import { setUsdcBalances, topUpGas, topUpUsdc } from '@/lib/local/evm/funding';
import { findFreePort } from '@/lib/local/free-port';
import { rpcCall } from '@/lib/local/json-rpc';
import { type RpcProxy, startRpcProxy } from '../../support/rpc-proxy';
import { startServer, type TestServer } from '../../support/server';
import { network, stack } from '../../support/stack';
import { type DatabaseProxy, startDatabaseProxy } from '../database-proxy';
import { audit } from './audit';
import { createDatabase } from './own-database';
import { newSolanaFeePayer, newSolanaWallet, startSolana } from './own-solana';

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
