import { randomBytes } from 'node:crypto';
import { createKeyPairSignerFromPrivateKeyBytes, type KeyPairSigner } from '@solana/kit';
import type { QueryResultRow } from 'pg';
import type { Hex } from 'viem';
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import type { Timings } from '@/lib/platform/timings';
import { setUsdcBalances, topUpGas, topUpUsdc } from '@/local/evm/funding';
import { findFreePort } from '@/local/free-port';
import { rpcCall } from '@/local/json-rpc';
import { type DatabaseProxy, startDatabaseProxy } from '../../support/database-proxy';
import { startHostedServer } from '../../support/host/server-host';
import { migratedDatabase } from '../../support/new-database';
import { type OperatorRun, runOperatorProgram } from '../../support/operator-program';
import type { RpcProxy } from '../../support/rpc-proxy';
import { addressesAt, type RunningServer, startServer } from '../../support/server';
import { network } from '../../support/stack';
import { shortTimings } from '../../support/timings';
import { openAuditor } from './audit';
import { evmChains, type NetworkName, reachChains } from './chains';
import { newSolanaFeePayer, newSolanaWallet } from './own-solana';
import { openSession } from './session';
import { evmKeys, rpcSetting, settings, withoutChannelsBesideFacilitator } from './settings';
import { until } from './waiting';

/**
 * A server that may be killed, with everything of its own that money touches: a database, a settlement key and a payee,
 * so that the audit of its database sees its payments only. Its chains are reached through proxies.
 */
export interface Rig {
  readonly databaseUrl: string;
  readonly serverEnv: Readonly<Record<string, string>>;
  /** Between the server and its database; the rig's own queries go past it. */
  readonly database: DatabaseProxy;
  /** What payments are taken on. The chains are the stack's unless said otherwise. */
  readonly networks: readonly NetworkName[];
  /** Heads of the chains when the rig came up: nothing of it is in an earlier block. */
  readonly fromBlocks: Readonly<Record<string, number>>;
  /** Between the server and a chain. */
  proxy(on: NetworkName): RpcProxy;
  /** `proxy('base')`: most tests break this one. */
  readonly base: RpcProxy;
  /** A chain itself, past its proxy. */
  chainUrl(on: NetworkName): string;
  readonly payTo: { readonly evm: Hex; readonly solana: string };
  /** The keys of the payees: the operator's wallets. Solana: base58 of 64 bytes. */
  readonly treasury: { readonly evm: PrivateKeyAccount; readonly solana: string };
  readonly apiUrl: string;
  server(): RunningServer;
  /**
   * Starts the server, at its old address when it was there before; on the rig's timings unless said otherwise. Without
   * timings it is `dist/server.js`, on those of production.
   */
  start(changed?: Record<string, string>, timings?: Timings | null): Promise<void>;
  /** Starts the server unless it runs with every network, and what one held that a test left killed is free at once. */
  ready(): Promise<void>;
  /** The same server as a process of its own, to be killed by the system, with its id. */
  startProcess(changed?: Record<string, string>, timings?: Timings): Promise<number>;
  kill(): Promise<void>;
  /** Kills the server and starts it anew, and what it held, such as the lease of its key, is free at once. */
  restart(changed?: Record<string, string>, timings?: Timings | null): Promise<void>;
  /** Lets the time pass after which a killed server is taken for dead. */
  passTakeoverTime(): Promise<unknown>;
  query<Row extends QueryResultRow>(sql: string, values?: readonly unknown[]): Promise<Row[]>;
  /** The first block of the rig's chains that belongs to it. */
  readonly firstBlock: number;
  /** What the audit finds in the rig's database, a line each; empty when ledger and chains agree. */
  audit(): Promise<string[]>;
  /** The settings of the operator's program, past the proxies. */
  readonly operatorSettings: Readonly<Record<string, string>>;
  /** Runs the operator's program on the rig's database. */
  tuppence(...args: string[]): Promise<OperatorRun>;
  newEvmPayer(atomic?: bigint): Promise<PrivateKeyAccount>;
  newSolanaPayer(atomic?: bigint): Promise<KeyPairSigner>;
  /** The key of another account that can pay Solana's fees. */
  newSolanaFeePayer(): Promise<string>;
  /** Leaves a wallet without tokens, as if it had spent them elsewhere. */
  drain(wallet: PrivateKeyAccount, on?: NetworkName): Promise<void>;
  /** Drops every rule of the proxies of the chains. */
  clearWays(): void;
  close(): Promise<void>;
}

export interface RigOptions {
  /** Base alone unless said otherwise. */
  networks?: readonly NetworkName[];
  /** Another chain than the stack's base. */
  baseRpcUrl?: string;
  /** Another Solana than the stack's, whose slots the test may move. */
  hasOwnSolana?: boolean;
  /** Further settings of its server and of the operator's program. */
  settings?: Readonly<Record<string, string>>;
  /** What its server runs on where nothing else is said; short timings unless given. */
  timings?: Timings;
  /** Whether the nodes of its EVM chains have `eth_sendRawTransactionSync`; not unless said otherwise. */
  sendsSynchronously?: boolean;
  /** Shares database, payees and chains of another rig: two instances of one service, each with an EVM key of its own. */
  beside?: Rig;
}

export const everyNetwork = ['base', 'polygon', 'arbitrum', 'solana-mainnet'] as const;

export type Wallet = PrivateKeyAccount | KeyPairSigner;

export async function startRig(options: RigOptions = {}): Promise<Rig> {
  const { beside, timings: usualTimings = shortTimings } = options;
  const ends: (() => Promise<unknown>)[] = [];
  const networks = options.networks ?? beside?.networks ?? ['base'];
  const solanaPayee = newSolanaWallet();
  const treasury = beside?.treasury ?? {
    evm: privateKeyToAccount(generatePrivateKey()),
    solana: solanaPayee.secretKey,
  };
  const payTo = beside?.payTo ?? { evm: treasury.evm.address, solana: solanaPayee.address };
  const [own, chains] = await Promise.all([
    beside ? undefined : migratedDatabase(),
    reachChains(networks, options, payTo.solana, ends),
  ]);
  if (own) ends.push(own.drop);
  const databaseUrl = own?.url ?? beside?.databaseUrl ?? '';
  const database = await startDatabaseProxy(databaseUrl);
  ends.unshift(() => database.close());
  const serverEnv = withoutChannelsBesideFacilitator({
    ...settings(database.databaseUrl, chains, payTo, beside),
    ...options.settings,
  });
  const keys = evmKeys(serverEnv);
  await Promise.all(
    evmChains(chains).flatMap(({ url }) =>
      keys.map((key) => topUpGas(url, privateKeyToAccount(key).address, 10n ** 20n)),
    ),
  );
  const port = await findFreePort();
  const { apiUrl, filesUrl } = addressesAt(port);
  let server: RunningServer | undefined;
  const session = openSession(databaseUrl);
  const operatorSettings = {
    ...serverEnv,
    DATABASE_URL: databaseUrl,
    ...Object.fromEntries(chains.map(({ name, url }) => [rpcSetting(name), url])),
    PUBLIC_URL: apiUrl,
    FILES_URL: filesUrl,
  };
  const auditor = openAuditor(operatorSettings);
  const firstBlock = Math.min(...chains.map(({ fromBlock }) => fromBlock));
  ends.unshift(session.close, auditor.close);
  const chain = (on: NetworkName) => {
    const found = chains.find(({ name }) => name === on);
    if (!found) throw new Error(`this rig has no ${on}`);
    return found;
  };

  const start = async (changed: Record<string, string> = {}, timings: Timings | null = usualTimings) => {
    const env = withoutChannelsBesideFacilitator({ ...serverEnv, ...changed });
    server ??= timings ? await startHostedServer(env, { port, timings }) : await startServer(env, { port });
  };
  const kill = async () => {
    if (!server) return;
    await server.kill();
    server = undefined;
    await database.allEnded();
  };
  const passTakeoverTime = async () => {
    // In that time whatever a killed server sent last would arrive, such as a heartbeat, unless it waits for a lock.
    await until('the last statements of killed servers', async () => {
      const busy = await session.query(
        `SELECT FROM pg_stat_activity WHERE datname = current_database() AND client_port = ANY($1)
           AND wait_event_type IS DISTINCT FROM 'Lock'`,
        [[...database.endedPorts]],
      );
      return busy.length === 0;
    });
    database.endedPorts.clear();
    await session.query("UPDATE instance SET alive_until = now() - interval '1 second'");
  };

  return {
    databaseUrl,
    serverEnv,
    database,
    networks,
    fromBlocks: Object.fromEntries(chains.map(({ name, fromBlock }) => [name, fromBlock])),
    proxy: (on) => chain(on).proxy,
    get base() {
      return chain('base').proxy;
    },
    chainUrl: (on) => chain(on).url,
    payTo,
    treasury,
    apiUrl,
    server() {
      if (!server) throw new Error('the server of this rig does not run');
      return server;
    },
    start,
    async ready() {
      if (server && (await offersEveryNetwork(apiUrl))) return;
      await kill();
      await passTakeoverTime();
      await start();
    },
    async startProcess(changed = {}, timings = usualTimings) {
      const started = await startServer({ ...serverEnv, ...changed }, { port, timings });
      server = started;
      return started.pid;
    },
    kill,
    async restart(changed, timings) {
      await kill();
      await passTakeoverTime();
      await start(changed, timings);
    },
    query: session.query,
    passTakeoverTime,
    audit: () => auditor.audit(firstBlock),
    firstBlock,
    operatorSettings,
    tuppence: (...args) => runOperatorProgram(operatorSettings, ...args),
    async newEvmPayer(atomic = 10_000_000n) {
      const account = privateKeyToAccount(generatePrivateKey());
      await Promise.all(
        evmChains(chains).map(({ name, url }) =>
          topUpUsdc(url, network(name).usdc, [account.address], atomic, atomic),
        ),
      );
      return account;
    },
    async newSolanaPayer(atomic = 10_000_000n) {
      const signer = await createKeyPairSignerFromPrivateKeyBytes(randomBytes(32));
      await rpcCall(chain('solana-mainnet').url, 'tuppence_setTokenBalance', [
        signer.address,
        atomic.toString(),
      ]);
      return signer;
    },
    newSolanaFeePayer: () => newSolanaFeePayer(chain('solana-mainnet').url),
    drain: ({ address }, on = 'base') =>
      setUsdcBalances(chain(on).url, network(on).usdc, [{ owner: address, amountAtomic: 0n }]),
    clearWays() {
      for (const { proxy } of chains) proxy.clear();
    },
    async close() {
      await server?.kill();
      for (const end of ends) await end();
    },
  };
}

/** Whether a server offers each of its networks: one that could not be asked is left out until the next check. */
async function offersEveryNetwork(apiUrl: string): Promise<boolean> {
  const answer = await fetch(`${apiUrl}/health/ready`);
  if (answer.status !== 200) return false;
  const { networks } = await answer.json();
  return Object.values(networks).every((isOffered) => isOffered === true);
}
