import { chmodSync, mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { type EvmChainOptions, startEvmChain } from './evm/chain';
import { topUpGas, topUpUsdc } from './evm/funding';
import { rpcBatch, rpcCall } from './json-rpc';
import { type EvmNetwork, evmNetworks, solanaNetwork } from './networks';
import { locatePostgresData, type Postgres, startPostgres } from './postgres';
import { type SandboxProviders, startSandboxProviders } from './sandbox/server';
import { type SolanaRuntime, startSolanaRuntime } from './solana/runtime';
import { findAssociatedTokenAddress } from './solana/token-account';
import { findStackOwner, lockStack, StackInUseError } from './stack-lock';
import { type EvmWallet, openWallets, type SolanaWallet, type Wallets } from './wallets';

/** Each of these runs as its own process. The sandbox providers run in the process that starts the stack. */
type ProcessPart = 'database' | EvmNetwork['name'] | 'solana';
export type StackPart = ProcessPart | 'providers';

export type StackOptions = {
  /** Keeps all state: a second start has the balances and rows of the first. */
  dir: string;
  /** Deletes that state first. */
  fresh?: boolean;
  ports?: Partial<Record<StackPart, number>>;
  /** How many funded payers to have on EVM and on Solana, 12 by default. */
  payers?: number;
  blockTimeSeconds?: number;
  mining?: EvmChainOptions['mining'];
  fsync?: boolean;
  onProgress?: (part: StackPart, elapsedMs: number) => void;
};

export type LocalNetwork = {
  name: EvmNetwork['name'] | typeof solanaNetwork.name;
  caip2: `${string}:${string}`;
  rpcUrl: string;
  usdc: string;
  payTo: string;
  /** The address that pays the network's fees. */
  signer: string;
};

export type Stack = {
  databaseUrl: string;
  networks: LocalNetwork[];
  payers: { evm: EvmWallet[]; solana: SolanaWallet[] };
  tourWallets: Wallets['tour'];
  operatorToken: string;
  /** The environment that a server needs to run on this stack. */
  serverEnv: Record<string, string>;
  createDatabase: Postgres['createDatabase'];
  pids: Record<ProcessPart, number>;
  stop(): Promise<void>;
};

type Running = { stop(): Promise<void> };
type TokenAccountResponse = {
  value: { data: { parsed: { info: { tokenAmount: { amount: string } } } } } | null;
};

const payerAtomic = 1_000_000_000n;
/** A payer with less than this is topped up at the next start. */
const payerFloorAtomic = 100_000_000n;
const signerWei = 1_000n * 10n ** 18n;
const signerLamports = 1_000_000_000_000;

/**
 * Starts PostgreSQL, three EVM chains and Solana with funded wallets, and sandbox versions of the third-party APIs, all at the
 * same time.
 */
export async function startStack(options: StackOptions): Promise<Stack> {
  const dir = path.resolve(options.dir);
  if (options.fresh) forgetStack(dir);
  mkdirSync(dir, { recursive: true });
  // Other accounts may enter but not list the folder: PostgreSQL runs as another account if this process is root.
  chmodSync(dir, 0o711);
  const unlock = lockStack(dir);
  const wallets = openWallets(dir, options.payers ?? 12);
  const running: Running[] = [];
  const startedMs = performance.now();
  const track = async <Part extends Running>(name: StackPart, start: Promise<Part>): Promise<Part> => {
    const part = await start;
    running.push(part);
    options.onProgress?.(name, performance.now() - startedMs);
    return part;
  };
  const stop = async () => {
    await Promise.all(running.map((part) => part.stop()));
    unlock();
  };

  const databaseDir = path.join(dir, 'postgres');
  const { ports = {}, fsync } = options;
  const database = track('database', startPostgres({ dir: databaseDir, port: ports.database, fsync }));
  const chains = evmNetworks.map((network) =>
    track(network.name, startFundedChain(network, dir, wallets, options)),
  );
  const solana = track('solana', startFundedSolana(dir, wallets, ports.solana));
  const providers = track('providers', startSandboxProviders(ports.providers));
  // Waits for every start to finish, so that a failure leaves nothing running.
  const outcomes = await Promise.allSettled([database, ...chains, solana, providers]);
  const failure = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failure) {
    await stop();
    throw failure.reason;
  }
  const parts = {
    database: await database,
    chains: await Promise.all(chains),
    solana: await solana,
    providers: await providers,
  };
  return describeStack(dir, wallets, parts, stop);
}

/** Deletes the state of a stack that is not running. */
export function forgetStack(dir: string): void {
  const owner = findStackOwner(dir);
  if (owner !== undefined) throw new StackInUseError(dir, owner);
  const dataDir = locatePostgresData(path.join(dir, 'postgres'));
  for (const place of [dataDir, `${dataDir}.log`, dir]) rmSync(place, { recursive: true, force: true });
}

async function startFundedChain(network: EvmNetwork, dir: string, wallets: Wallets, options: StackOptions) {
  const chain = await startEvmChain({
    chainId: network.chainId,
    port: options.ports?.[network.name],
    statePath: path.join(dir, 'chains', `${network.name}.json`),
    blockTimeSeconds: options.blockTimeSeconds,
    mining: options.mining,
  });
  try {
    const payers = [wallets.tour.evm, ...wallets.payers.evm].map(({ address }) => address);
    await topUpUsdc(chain.rpcUrl, network.usdc, payers, payerFloorAtomic, payerAtomic);
    await topUpGas(chain.rpcUrl, wallets.settlement.evm.address, signerWei);
  } catch (error) {
    await chain.stop();
    throw error;
  }
  return { ...chain, network };
}

async function startFundedSolana(dir: string, wallets: Wallets, port: number | undefined) {
  const solana = await startSolanaRuntime({ port, statePath: path.join(dir, 'chains', 'solana.json') });
  try {
    await fundSolana(solana.rpcUrl, wallets);
  } catch (error) {
    await solana.stop();
    throw error;
  }
  return solana;
}

async function fundSolana(rpcUrl: string, wallets: Wallets): Promise<void> {
  const signer = wallets.settlement.solana.address;
  const owners = [wallets.payTo.solana, wallets.tour.solana, ...wallets.payers.solana].map(
    ({ address }) => address,
  );
  const accounts = await Promise.all(
    owners.map((owner) => findAssociatedTokenAddress(owner, solanaNetwork.usdc)),
  );
  const [balance, ...found] = await rpcBatch(rpcUrl, [
    ['getBalance', [signer]],
    ...accounts.map((account) => ['getAccountInfo', [account, { encoding: 'jsonParsed' }]] as const),
  ]);
  const amounts = (found as TokenAccountResponse[]).map(
    ({ value }) => value?.data.parsed.info.tokenAmount.amount,
  );
  const missing = owners.flatMap((owner, index) => {
    const amount = amounts[index];
    // The recipient's token account must exist before the first payment, because a payment does not create it.
    if (index === 0) return amount === undefined ? [{ owner, amountAtomic: 0n }] : [];
    if (amount !== undefined && BigInt(amount) >= payerFloorAtomic) return [];
    return [{ owner, amountAtomic: payerAtomic }];
  });
  if ((balance as { value: number }).value < signerLamports / 10) {
    await rpcCall(rpcUrl, 'requestAirdrop', [signer, signerLamports]);
  }
  await rpcBatch(
    rpcUrl,
    missing.map(({ owner, amountAtomic }) => ['tuppence_setTokenBalance', [owner, amountAtomic.toString()]]),
  );
}

type Parts = {
  database: Postgres;
  chains: Awaited<ReturnType<typeof startFundedChain>>[];
  solana: SolanaRuntime;
  providers: SandboxProviders;
};

function describeStack(
  dir: string,
  wallets: Wallets,
  { database, chains, solana, providers }: Parts,
  stop: () => Promise<void>,
): Stack {
  const { settlement, payTo, payers, tour, secrets } = wallets;
  const networks: LocalNetwork[] = [
    ...chains.map(({ network, rpcUrl }) => ({
      name: network.name,
      caip2: `eip155:${network.chainId}` as const,
      rpcUrl,
      usdc: network.usdc,
      payTo: payTo.evm.address,
      signer: settlement.evm.address,
    })),
    {
      name: solanaNetwork.name,
      caip2: solanaNetwork.caip2,
      rpcUrl: solana.rpcUrl,
      usdc: solanaNetwork.usdc,
      payTo: payTo.solana.address,
      signer: settlement.solana.address,
    },
  ];
  return {
    databaseUrl: database.databaseUrl,
    networks,
    payers,
    tourWallets: tour,
    operatorToken: secrets.operatorToken,
    serverEnv: {
      DATABASE_URL: database.databaseUrl,
      ...Object.fromEntries(chains.map(({ network, rpcUrl }) => [network.rpcSetting, rpcUrl])),
      [solanaNetwork.rpcSetting]: solana.rpcUrl,
      PAY_TO_EVM: payTo.evm.address,
      PAY_TO_SOLANA: payTo.solana.address,
      SETTLEMENT_KEYS_EVM: settlement.evm.privateKey,
      SETTLEMENT_KEY_SOLANA: settlement.solana.secretKey,
      DATA_KEY: secrets.dataKey,
      MPP_SECRETS: secrets.mppSecret,
      OPERATOR_TOKEN: secrets.operatorToken,
      STORAGE: 'disk',
      STORAGE_DIR: path.join(dir, 'files'),
      ...providers.serverEnv,
    },
    createDatabase: database.createDatabase,
    pids: {
      database: database.pid,
      ...(Object.fromEntries(chains.map(({ network, pid }) => [network.name, pid])) as Record<
        EvmNetwork['name'],
        number
      >),
      solana: solana.pid,
    },
    stop,
  };
}
