import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import pg from 'pg';
import type { Hex } from 'viem';
import { readUsdc } from '@/local/balances';
import { setUsdcBalances } from '@/local/evm/funding';
import { findFreePort } from '@/local/free-port';
import { rpcCall } from '@/local/json-rpc';
import { locatePostgresData } from '@/local/postgres';
import { findReasonToRefuse } from '@/local/real-settings.mjs';
import { superviseServer } from '@/local/server-process';
import { forgetStack, type Stack, startStack } from '@/local/stack';
import { StackInUseError } from '@/local/stack-lock';
import { makeTemporaryFolder } from './support';

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

async function query(databaseUrl: string, sql: string) {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

function networkOf(stack: Stack, name: string) {
  const network = stack.networks.find((candidate) => candidate.name === name);
  if (!network) throw new Error(`The stack has no ${name}.`);
  return network;
}

test('a stack keeps its keys, balances and rows after a stop and after a kill', async () => {
  const { folder, remove } = makeTemporaryFolder();
  const first = await startStack({ dir: folder, payers: 2 });
  expect(first.networks.map(({ caip2 }) => caip2)).toEqual([
    'eip155:8453',
    'eip155:137',
    'eip155:42161',
    'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp',
  ]);
  const [evmPayer] = first.payers.evm;
  const [solanaPayer] = first.payers.solana;
  for (const network of first.networks) {
    const owner = network.name === 'solana-mainnet' ? solanaPayer?.address : evmPayer?.address;
    expect(await readUsdc(network, owner ?? '')).toBe(1_000_000_000n);
    expect(await readUsdc(network, network.payTo)).toBe(0n);
  }
  expect(statSync(path.join(folder, 'wallets.json')).mode & 0o777).toBe(0o600);
  await expect(startStack({ dir: folder })).rejects.toThrow(StackInUseError);

  const base = networkOf(first, 'base');
  await setUsdcBalances(base.rpcUrl, base.usdc, [{ owner: base.payTo as Hex, amountAtomic: 5_000n }]);
  const solana = networkOf(first, 'solana-mainnet');
  await rpcCall(solana.rpcUrl, 'tuppence_setTokenBalance', [solana.payTo, '5000']);
  await query(first.databaseUrl, 'CREATE TABLE kept (n int); INSERT INTO kept VALUES (1)');
  const other = await first.createDatabase('other');
  expect(await query(other, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  await first.stop();
  for (const pid of Object.values(first.pids)) expect(isAlive(pid)).toBe(false);

  const second = await startStack({ dir: folder, payers: 2 });
  expect(second.payers).toEqual(first.payers);
  expect(await readUsdc(networkOf(second, 'base'), base.payTo)).toBe(5_000n);
  expect(await readUsdc(networkOf(second, 'solana-mainnet'), solana.payTo)).toBe(5_000n);
  for (const pid of Object.values(second.pids)) process.kill(pid, 'SIGKILL');
  await second.stop();

  const third = await startStack({ dir: folder, payers: 2 });
  expect(await query(third.databaseUrl, 'SELECT n FROM kept')).toEqual([{ n: 1 }]);
  expect(await readUsdc(networkOf(third, 'base'), base.payTo)).toBe(5_000n);
  await third.stop();
  forgetStack(folder);
  remove();
});

test('no process outlives a stack whose own process is killed', async () => {
  const { folder, remove } = makeTemporaryFolder();
  const script = `
    import { startStack } from '@/local/stack';
    const { pids } = await startStack({ dir: process.argv[1], payers: 1 });
    console.log(JSON.stringify(pids));
  `;
  // Inside the repository, because tsx takes the import aliases from the nearest tsconfig.json.
  const file = path.join('tests', 'local', `.start-stack-${process.pid}.mts`);
  writeFileSync(file, script.replace('process.argv[1]', JSON.stringify(folder)));
  const child = spawn(process.execPath, ['--import', 'tsx', file], { stdio: ['ignore', 'pipe', 'inherit'] });
  // The chains do not keep the process alive, so the test kills it as soon as it has printed its line.
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  child.kill('SIGKILL');
  rmSync(file);
  const pids = Object.values(JSON.parse(line.toString()) as Stack['pids']);
  expect(pids).toHaveLength(5);
  await expect.poll(() => pids.filter(isAlive), { timeout: 5_000 }).toEqual([]);
  rmSync(locatePostgresData(path.join(folder, 'postgres')), { recursive: true, force: true });
  remove();
});

test('a killed server is restarted', async () => {
  const { folder, remove } = makeTemporaryFolder();
  const port = await findFreePort();
  mkdirSync(path.join(folder, 'dist'));
  writeFileSync(
    path.join(folder, 'dist', 'server.js'),
    `require('node:http').createServer((_, response) => response.end('ok')).listen(${port}, '127.0.0.1');`,
  );
  const pids: number[] = [];
  const messages: string[] = [];
  const server = await superviseServer({
    root: folder,
    dir: folder,
    env: { ...process.env },
    healthUrl: `http://127.0.0.1:${port}/health`,
    onHealthy: (pid) => pids.push(pid),
    onExit: (message) => messages.push(message),
  });
  process.kill(pids[0] ?? 0, 'SIGKILL');
  await expect.poll(() => pids.length).toBe(2);
  expect(messages).toEqual([expect.stringContaining('exited on SIGKILL')]);
  await server.stop();
  expect(pids.filter(isAlive)).toEqual([]);
  remove();
});

test('the demo refuses to run beside real settings', () => {
  const { folder, remove } = makeTemporaryFolder();
  expect(findReasonToRefuse(folder, {})).toBeUndefined();
  expect(findReasonToRefuse(folder, { NODE_ENV: 'production' })).toContain('NODE_ENV');
  expect(findReasonToRefuse(folder, { SETTLEMENT_KEYS_EVM: '0x1' })).toContain('SETTLEMENT_KEYS_EVM');
  writeFileSync(path.join(folder, '.env.local'), 'LOG_LEVEL=debug\nexport DUFFEL_API_KEY=live\n');
  expect(findReasonToRefuse(folder, {})).toContain('.env.local sets DUFFEL_API_KEY');
  remove();
});
