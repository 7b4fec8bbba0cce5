import { randomBytes } from 'node:crypto';
import path from 'node:path';
import type { Stack } from '@/local/stack';
import { baselinePaths } from './baseline-app';
import type { BenchChain, Seller } from './bench-chain';
import type { BenchOptions } from './options';
import { type Load, type Server, startNextApp, startOurServer } from './programs';

/** What every row has to work with. */
export interface Bench {
  readonly options: BenchOptions;
  readonly dir: string;
  readonly stack: Stack;
  readonly baselineAppDir: string;
  readonly load: Load;
  /** Registers a cleanup for the end of the row, even if it fails. */
  onEnd<Part extends { stop(): Promise<void> }>(part: Part): Part;
}

/** A server that takes payments, and its payee. */
export interface PaidServer {
  readonly url: string;
  readonly pid: number;
  readonly seller: Seller;
  stop(): Promise<void>;
}

export function logFile(bench: Bench, name: string): string {
  return path.join(bench.dir, `${name}.log`);
}

/** The settings of one of our servers with its own database, charging on the given chain. */
async function ourSettings(bench: Bench, rpcUrl: string, seller: Seller): Promise<Record<string, string>> {
  return {
    ...bench.stack.serverEnv,
    DATABASE_URL: await bench.stack.createDatabase(`bench_${randomBytes(4).toString('hex')}`),
    BASE_RPC_URL: rpcUrl,
    SETTLEMENT_KEYS_EVM: seller.signerKey,
    PAY_TO_EVM: seller.payTo,
  };
}

/** Our server as shipped, paid on `chain`, which it reaches at `rpcUrl`. */
export async function startOurs(
  bench: Bench,
  chain: BenchChain,
  {
    rpcUrl = chain.rpcUrl,
    checkout,
    ...more
  }: { rpcUrl?: string; checkout?: string; settings?: Record<string, string> } = {},
): Promise<PaidServer & { databaseUrl: string; settings: Record<string, string> }> {
  const seller = await chain.newSeller();
  const settings = { ...(await ourSettings(bench, rpcUrl, seller)), ...more.settings };
  const { profileDir } = bench.options;
  const server = bench.onEnd(
    await startOurServer(logFile(bench, 'ours'), settings, {
      profileDir: checkout === undefined ? profileDir : null,
      checkout,
    }),
  );
  return {
    url: `${server.url}/v1/uploads`,
    databaseUrl: settings.DATABASE_URL ?? '',
    settings: {
      ...settings,
      PUBLIC_URL: server.url,
      FILES_URL: server.url.replace('localhost', '127.0.0.1'),
    },
    pid: server.pid,
    seller,
    stop: server.stop,
  };
}

/** Our route handlers behind the same bare custom server as the baselines. */
export async function startOurRoutes(bench: Bench, chain: BenchChain): Promise<Server> {
  const settings = await ourSettings(bench, chain.rpcUrl, await chain.newSeller());
  return bench.onEnd(await startNextApp({ dir: '.', isOurs: true }, logFile(bench, 'our-routes'), settings));
}

/** The baselines' Next app with these settings. */
export async function startBaseline(bench: Bench, settings: Record<string, string>): Promise<Server> {
  const app = { dir: bench.baselineAppDir, isOurs: false };
  return bench.onEnd(await startNextApp(app, logFile(bench, 'baseline'), settings));
}

/** withX402 with the official facilitator in the same process, as supplied or with a send queue. */
export async function startOfficial(
  bench: Bench,
  chain: BenchChain,
  how: { hasQueue: boolean; pollingMs?: number; rpcUrl?: string; path?: string },
): Promise<PaidServer> {
  const seller = await chain.newSeller();
  const server = await startBaseline(bench, {
    BENCH_SIGNER_KEY: seller.signerKey,
    BENCH_PAY_TO: seller.payTo,
    BENCH_RPC_URL: how.rpcUrl ?? chain.rpcUrl,
    ...(how.hasQueue ? { BENCH_SEND_QUEUE: '1' } : {}),
    ...(how.pollingMs ? { BENCH_POLLING_MS: String(how.pollingMs) } : {}),
  });
  const path = how.path ?? baselinePaths.official;
  return { url: `${server.url}${path}`, pid: server.pid, seller, stop: server.stop };
}
