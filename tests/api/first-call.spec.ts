import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import ts from 'typescript';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { assistantCall, firstCalls, firstOperation } from '@/lib/discovery/first-call';
import { toAtomic } from '@/lib/payments/money';
import { topUpUsdc } from '@/local/evm/funding';
import { balanceOf } from '../support/balances';
import { exactOnly } from '../support/expectations';
import { callTool, connectMcp } from '../support/mcp';
import { ethAccount, findPython } from '../support/python';
import { network, stack } from '../support/stack';
import { test as base, expect } from '../support/without-browser';

/** The samples on the front page, run exactly as shown, in an empty folder and with a new wallet. */

const run = promisify(execFile);

interface PerTest {
  folder: string;
  key: `0x${string}`;
}

const test = base.extend<PerTest>({
  // biome-ignore lint/correctness/noEmptyPattern: the runner reads which fixtures are used from the pattern.
  folder: async ({}, use) => {
    const folder = await mkdtemp(path.join(tmpdir(), 'tuppence-sample-'));
    await symlink(path.resolve('node_modules'), path.join(folder, 'node_modules'));
    await use(folder);
    await rm(folder, { recursive: true, force: true });
  },
  // biome-ignore lint/correctness/noEmptyPattern: the runner reads which fixtures are used from the pattern.
  key: async ({}, use) => {
    const key = generatePrivateKey();
    const { rpcUrl, usdc } = network('base');
    const { address } = privateKeyToAccount(key);
    await topUpUsdc(rpcUrl, usdc as `0x${string}`, [address], startAtomic, startAtomic);
    await use(key);
  },
});

const startAtomic = 1_000_000n;
const samples = () => firstCalls({ publicUrl: stack().apiUrl });
const paidBalance = startAtomic - toAtomic(firstOperation().price);
const balance = (key: `0x${string}`) => balanceOf(privateKeyToAccount(key), 'base');

/** The response that the page shows: its status, and its JSON without what an ellipsis stands for. */
async function shownResponse(label: string): Promise<{ status: number; json: unknown; text: string }> {
  const page = await (await fetch(stack().apiUrl, { headers: { Accept: 'text/html' } })).text();
  const [, sample = ''] = page.split(`aria-label="${label}"`);
  const [, code = ''] = /<code>(.*?)<\/code>/s.exec(sample) ?? [];
  const text = code.replaceAll(/<[^>]*>/g, '').replaceAll('&quot;', '"');
  const [head = '', body = ''] = text.split('\n\n');
  return {
    status: Number(/\d{3}/.exec(head)?.[0]),
    json: JSON.parse(body.replaceAll(/,\s*…[^\]}\n]*/g, '')),
    text,
  };
}

async function inTypeScript(folder: string, source: string, key: string): Promise<string> {
  const options = { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext };
  await writeFile(
    path.join(folder, 'call.mjs'),
    ts.transpileModule(source, { compilerOptions: options }).outputText,
  );
  const env = { PATH: process.env.PATH, PRIVATE_KEY: key, NODE_ENV: 'production' as const };
  return (await run(process.execPath, ['call.mjs'], { cwd: folder, env })).stdout;
}

test('curl: the unpaid call gets the 402 that the page shows', async () => {
  const { stdout } = await run('sh', ['-c', `${samples().curl?.unpaid} -s`]);
  const [head = '', body = ''] = stdout.split('\r\n\r\n');
  const shown = await shownResponse('Response to the unpaid call');
  expect([Number(/\d{3}/.exec(head)?.[0]), shown.status]).toEqual([402, 402]);
  expect(/^payment-required: (.*)/im.exec(head)?.[1]).toMatch(/^eyJ4NDAyVmVyc2lvbiI6Mi/);
  const { accepts } = JSON.parse(body);
  const { network: caip2, amount, payTo } = accepts[0];
  // The page leaves out the other networks, and what a person does not look for.
  expect(shown.json).toEqual({ accepts: [{ network: caip2, amount, payTo }] });
  expect(shown.text).toContain(`… ${exactOnly(accepts).length - 1} more networks`);
});

test('curl: the paid call gets the result that the page shows, and pays its price once', async ({
  folder,
  key,
}) => {
  // The packages come from the repository.
  const typed = (samples().curl?.paid ?? '').replace(/^npm install .*$/m, '').replace('0x…', key);
  expect(typed).not.toContain('npm install');
  const { stdout } = await run('sh', ['-e', '-c', typed], { cwd: folder });
  const shown = await shownResponse('Response to the paid call');
  const { meta, ...result } = JSON.parse(stdout);
  expect(shown.status).toBe(200);
  const searchedAt = expect.stringMatching(/^\d{4}-/);
  expect(shown.json).toEqual({ ...result, meta: { ...meta, searchedAt } });
  expect(meta).toEqual({ ...meta, searchedAt });
  expect(await balance(key)).toBe(paidBalance);
});

test('TypeScript: the unpaid call prints the 402, and the paid one pays and prints the result', async ({
  folder,
  key,
}) => {
  const { unpaid = '', paid = '' } = samples().typescript ?? {};
  expect(await inTypeScript(folder, unpaid, key)).toMatch(/^402 \{/);
  expect(await balance(key)).toBe(startAtomic);
  expect(await inTypeScript(folder, paid, key)).toMatch(/^200 \{/);
  expect(await balance(key)).toBe(paidBalance);
});

const python = findPython();

test('Python: the unpaid call prints the 402, and the paid one pays and prints the result', async ({
  folder,
  key,
}) => {
  test.skip(python === null, 'there is no Python on this machine');
  const { unpaid = '', paid = '' } = samples().python ?? {};
  const download = /^# (curl .*)$/m.exec(paid)?.[1] ?? '';
  await run('sh', ['-e', '-c', download], { cwd: folder });
  expect(await readFile(path.join(folder, 'tuppence.py'), 'utf8')).toContain('class Tuppence');
  await writeFile(path.join(folder, 'eth_account.py'), ethAccount);
  const { address } = privateKeyToAccount(key);
  const env = { ...process.env, PRIVATE_KEY: key, ADDRESS: address, NODE: process.execPath };
  for (const [source, printed] of [
    [unpaid, /^402 \{"x402Version":2/],
    [paid, /^\{'query': /],
  ] as const) {
    await writeFile(path.join(folder, 'call.py'), source);
    const { stdout } = await run(python ?? '', ['call.py'], { cwd: folder, env });
    expect(stdout).toMatch(printed);
  }
  expect(await balance(key)).toBe(paidBalance);
});

test('an assistant finds the tool of the sample at the address of the configuration, and is told the price', async () => {
  const { config, prompt, tool } = assistantCall({ publicUrl: stack().apiUrl });
  expect(JSON.parse(config).mcpServers.tuppence.url).toBe(`${stack().apiUrl}/mcp`);
  const client = await connectMcp();
  const { isError, content } = await callTool(client, tool, {
    ...firstOperation().example.body,
    idempotencyKey: 'first-call',
  });
  expect(isError).toBe(true);
  expect(content[0]?.text).toContain(`This call costs ${firstOperation().price} USDC. Nothing was charged.`);
  expect(prompt).toContain(`at most ${firstOperation().price} USDC`);
  await client.close();
});
