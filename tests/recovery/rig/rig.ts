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
 * A server that may be killed, with its own database, settlement key and payee, so that an audit of its database sees only
 * its own payments. It reaches its chains through proxies.
 */
export interface Rig {
  readonly databaseUrl: string;
  readonly serverEnv: Readonly<Record<string, string>>;
  /** The proxy between the server and its database. The rig's own queries bypass it. */
  readonly database: DatabaseProxy;
  /** The networks that payments are accepted on. By default the chains are those of the stack. */
  readonly networks: readonly NetworkName[];
  /** Heads of the chains when the rig started: none of its transactions is in an earlier block. */
  readonly fromBlocks: Readonly<Record<string, number>>;
  /** The proxy between the server and a chain. */
  proxy(on: NetworkName): RpcProxy;
  /** `proxy('base')`, the one that most tests break. */
  readonly base: RpcProxy;
  /** The URL of a chain itself, bypassing its proxy. */
  chainUrl(on: NetworkName): string;
  readonly payTo: { readonly evm: Hex; readonly solana: string };
  /** The keys of the payees: the operator's wallets. Solana: base58 of 64 bytes. */
  readonly treasury: { readonly evm: PrivateKeyAccount; readonly solana: string };
  readonly apiUrl: string;
  server(): RunningServer;
  /**
   * Starts the server, at its old address if it ran before, with the rig's timings by default. With `null` as timings, starts
   * `dist/server.js` with production timings.
   */
  start(changed?: Record<string, string>, timings?: Timings | null): Promise<void>;
  /** Starts the server unless it runs and offers every network. Anything that a killed server still held is free at once. */
  ready(): Promise<void>;
  /** Starts the server in a process of its own, for kills by the operating system. Returns the process ID. */
  startProcess(changed?: Record<string, string>, timings?: Timings): Promise<number>;
  kill(): Promise<void>;
  /** Kills the server and starts it again. Anything that it held, such as the lease of its key, is free at once. */
  restart(changed?: Record<string, string>, timings?: Timings | null): Promise<void>;
  /** Makes the time pass after which a killed server counts as dead. */
  passTakeoverTime(): Promise<unknown>;
  query<Row extends QueryResultRow>(sql: string, values?: readonly unknown[]): Promise<Row[]>;
  /** The first block of the rig's chains that belongs to it. */
  readonly firstBlock: number;
  /** The audit's findings in the rig's database, one line each; empty when ledger and chains agree. */
  audit(): Promise<string[]>;
  /** The settings of the operator's program, which bypasses the proxies. */
  readonly operatorSettings: Readonly<Record<string, string>>;
  /** Runs the operator's program on the rig's database. */
  tuppence(...args: string[]): Promise<OperatorRun>;
  newEvmPayer(atomic?: bigint): Promise<PrivateKeyAccount>;
  newSolanaPayer(atomic?: bigint): Promise<KeyPairSigner>;
  /** The key of another account that can pay Solana's fees. */
  newSolanaFeePayer(): Promise<string>;
  /** Leaves a wallet without tokens, as if it had spent them elsewhere. */
  drain(wallet: PrivateKeyAccount, on?: NetworkName): Promise<void>;
  /** Removes all rules of the chains' proxies. */
  clearWays(): void;
  close(): Promise<void>;
}

export interface RigOptions {
  /** By default only base. */
  networks?: readonly NetworkName[];
  /** A chain to use instead of the stack's base. */
  baseRpcUrl?: string;
  /** Uses a base chain of the rig's own instead of the stack's, so that the test may make, hold back and remove blocks. */
  hasOwnBase?: boolean;
  /** Uses a Solana of the rig's own instead of the stack's, so that the test may advance its slots. */
  hasOwnSolana?: boolean;
  /** Further settings of its server and of the operator's program. */
  settings?: Readonly<Record<string, string>>;
  /** The default timings of its server; short timings if omitted. */
  timings?: Timings;
  /** Whether the nodes of its EVM chains support `eth_sendRawTransactionSync`; false by default. */
  sendsSynchronously?: boolean;
  /** Shares the database, payees and chains of another rig: two instances of one service, each with its own EVM key. */
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
    // In that time, statements that a killed server sent last, such as a heartbeat, would complete, unless they wait for a lock.
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

/** Whether a server offers each of its networks. A network that could not be reached is left out until the next check. */
async function offersEveryNetwork(apiUrl: string): Promise<boolean> {
  const answer = await fetch(`${apiUrl}/health/ready`);
  if (answer.status !== 200) return false;
  const { networks } = await answer.json();
  return Object.values(networks).every((isOffered) => isOffered === true);
}
