import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { balanceIn, deposit } from '../support/accounts';
import { payingFetch } from '../support/buyer';
import { newEvmPayer } from '../support/payers';
import { test as base, expect } from '../support/without-browser';
import { type ApiProxy, startApiProxy } from './api-proxy';

export const program = path.resolve('packages/client/dist/tuppence-mcp.cjs');

/** A program's environment, in addition to its own settings. */
export const plainEnv = { PATH: process.env.PATH ?? '', NODE_ENV: 'production' } as const;

/** A running adapter, and the official client that an assistant would use. */
export interface RunningAdapter {
  readonly client: Client;
  call(tool: string, args?: Record<string, unknown>): Promise<CallToolResult>;
  /** kill -9 */
  kill(): Promise<void>;
}

/** One machine: its own home folder, the adapters on it, and the proxy between the adapters and the service. */
export interface Machine {
  readonly home: string;
  readonly proxy: ApiProxy;
  /** The environment of its adapters. */
  readonly env: Record<string, string>;
  start(env?: Record<string, string>): Promise<RunningAdapter>;
  /** What the adapter has saved about the service. */
  state(): Promise<{ accounts: { accountId: string; token: string }[]; openCalls: Record<string, unknown> }>;
  readonly stateFile: string;
}

export const test = base.extend<{ machine: Machine }>({
  // biome-ignore lint/correctness/noEmptyPattern: the runner reads which fixtures are used from the pattern.
  machine: async ({}, use) => {
    const home = await mkdtemp(path.join(tmpdir(), 'tuppence-mcp-'));
    const proxy = await startApiProxy();
    const running: RunningAdapter[] = [];
    const env = { HOME: home, XDG_CONFIG_HOME: path.join(home, 'config'), TUPPENCE_API_URL: proxy.apiUrl };
    const { host } = new URL(proxy.apiUrl);
    const stateFile = path.join(home, 'config/tuppence/mcp', `http-${host.replace(':', '_')}.json`);
    await use({
      home,
      proxy,
      env,
      stateFile,
      state: async () => JSON.parse(await readFile(stateFile, 'utf8')),
      async start(more = {}) {
        const adapter = await connect({ ...env, ...more });
        running.push(adapter);
        return adapter;
      },
    });
    await Promise.all(running.map(({ client }) => client.close()));
    await proxy.close();
    await rm(home, { recursive: true, force: true });
  },
});

async function connect(env: Record<string, string>): Promise<RunningAdapter> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [program],
    env: { ...plainEnv, ...env },
    stderr: 'ignore',
  });
  const client = new Client({ name: 'test', version: '1' });
  const closed = new Promise<void>((resolve) => {
    client.onclose = resolve;
  });
  await client.connect(transport);
  // Assistants do this; from then on, the client validates every response.
  await client.listTools();
  return {
    client,
    call: async (name, args = {}) => (await client.callTool({ name, arguments: args })) as CallToolResult,
    async kill() {
      process.kill(transport.pid ?? 0, 'SIGKILL');
      await closed;
    },
  };
}

/** The structured content of a successful response. */
export function outputOf<T>(result: CallToolResult): T {
  expect(result.isError ?? false, JSON.stringify(result.content)).toBe(false);
  expect(JSON.parse(textsOf(result)[0] ?? '')).toEqual(result.structuredContent);
  return result.structuredContent as T;
}

export interface ToolFailure {
  code: string;
  message: string;
  payment: string;
  retry: string;
  issues?: { path: string; rule: string }[];
  account?: { balance: string; depositUrl: string };
}

/** The text and the fields of an error, which must agree. */
export function failureOf(result: CallToolResult): ToolFailure {
  expect(result.isError, JSON.stringify(result.content)).toBe(true);
  const [words, facts] = textsOf(result);
  const { error } = JSON.parse(facts ?? '') as { error: ToolFailure };
  expect(words).toContain(error.message);
  return error;
}

export const textsOf = ({ content }: CallToolResult): string[] =>
  content.map((part) => (part.type === 'text' ? part.text : ''));

/** Makes a deposit into a machine's account, opening the account if necessary, and returns the account's ID. */
export async function topUp(adapter: RunningAdapter, amount = '1'): Promise<string> {
  const { accountId } = outputOf<{ accountId: string }>(await adapter.call('topup_link'));
  const wallet = await newEvmPayer(500_000_000n, ['base']);
  const answer = await deposit(accountId, amount, payingFetch(wallet, 'base'));
  expect(answer.status).toBe(200);
  return accountId;
}

/** The balance of a machine's account, from the API. */
export async function balanceOf(machine: Machine): Promise<string> {
  const account = (await machine.state()).accounts.at(-1);
  return balanceIn({ token: account?.token ?? '' });
}
