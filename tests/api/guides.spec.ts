import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { expect, test } from '@playwright/test';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { z } from 'zod';
import { freeOperations, operations, uploads } from '@/lib/catalog';
import { npxArguments } from '@/lib/catalog/adapter';
import { topUpUsdc } from '@/local/evm/funding';
import { rpcCall } from '@/local/json-rpc';
import { openWallets } from '@/local/wallets';
import { openAccount } from '../support/accounts';
import { callsOf, sql } from '../support/database';
import {
  type Block,
  blocksOf,
  fileNameOf,
  installedBy,
  missingLines,
  pages,
  Reader,
} from '../support/guides';
import { callTool, connectMcp } from '../support/mcp';
import { evmNetworkNames, network, stack } from '../support/stack';

/** Does what the guides and the readme tell their readers: saves and runs the code, and expects the output shown. */

/** Blocks that these tests do not run, with the reason. A test below checks that the scripts they name exist. */
const notRun: Readonly<Record<string, string>> = {
  'README.md: npm run demo': 'starts a second stack; tests/local/tour.spec.ts makes its paid calls',
  'README.md: npm test': 'starts this very suite',
  'docs/first-sale.md: npm ci && npm run build': 'installs and builds what the tests run against',
  'docs/first-sale.md: createuser --pwprompt tuppence': 'asks for a password, as the superuser of PostgreSQL',
  'docs/first-sale.md: set -a && . ./.env && set +a': 'reads settings that the reader has made',
  'docs/first-sale.md: npm run tuppence -- doctor': 'tests/operator/doctor.spec.ts runs the program',
  'docs/first-sale.md: npm start': 'starts a server without an end; the tests buy from one',
  'docs/first-sale.md: npm run tuppence -- calls':
    'reads a database of the reader; tests/operator/calls.spec.ts runs the program',
  'docs/incidents.md: npm run tuppence -- doctor':
    'tests/operator and tests/recovery run the program; tests/repo/operator-guides.spec.ts reads the commands',
  'docs/operating-calls.md: npm run tuppence -- refund --provider exa --from 2026-11-26T10:00:00Z --account acct_…':
    'refunds what a provider did not deliver; tests/repo/refund-many.spec.ts runs the command',
  'docs/operating-calls.md: npm run tuppence -- refund pc_… --transaction 0x… --reason requested_by_caller':
    'needs a call and a transfer; tests/recovery/refunds.spec.ts runs the program',
  'docs/operating-channels.md: npm run tuppence -- channels --write-off 0x… --note "withdrawn while the settlement key had no gas"':
    'needs a channel that was emptied; tests/recovery/channel-write-offs.spec.ts runs the program',
  'docs/operating.md: npm run worker': 'runs without an end; tests/recovery/worker.spec.ts starts it',
  'docs/deploying.md: cp .env.example deploy/settings.env':
    'belongs to the next one, which needs a container engine; tests/repo/deploy.spec.ts checks the files',
  'docs/deploying.md: docker compose --file deploy/compose.yaml --env-file deploy/settings.env up --build --detach':
    'needs a container engine; tests/repo/deploy.spec.ts checks the files',
  'docs/deploying.md: cp deploy/tuppence@.service /etc/systemd/system/':
    'changes the machine; tests/repo/deploy.spec.ts checks the unit',
  'docs/deploying.md: cd /opt/tuppence-3402':
    'reads the settings of an installation; tests/repo/deploy.spec.ts checks its folders against the unit',
  'docs/metrics.md: scrape_configs:':
    'settings of Prometheus; tests/api/metrics.spec.ts asks with the same header',
  'docs/mcp.md: npx -y --prefer-offline --allow-remote=root https://api.example.com/adapter/tuppence-mcp-0.0.16.tgz':
    'runs without an end; tests/mcp/install.spec.ts starts it as an assistant does',
  'docs/mcp.md: claude mcp add tuppence --scope user --env TUPPENCE_API_URL=https://api.example.com -- npx -y --prefer-offline --allow-remote=root https://api.example.com/adapter/tuppence-mcp-0.0.16.tgz':
    'needs an assistant that is no package of ours; its command is the one that is started below',
  'docs/mcp.md: [mcp_servers.tuppence]':
    'settings in TOML of another program; its command is the one that is started below',
};

/** Pages that other tests follow, because they need a server with other settings. */
const followedElsewhere: Readonly<Record<string, string>> = {
  'docs/payment-channels.md': 'tests/recovery/channel-guide.spec.ts has a server that offers channels',
};

/** The readme's architecture diagram and its list of folders. Both name folders, which must exist. */
const picture = 'README.md:               AI agent';
const folderList = 'README.md: app/             routes and pages';

/** JSON that is neither saved nor an answer of the service, and how it is checked. */
const otherJson: Readonly<Record<string, (text: string) => unknown>> = {
  'docs/mcp.md: {': (text) => (text.includes('"url"') ? connectsToTheServer(text) : startsTheAdapter(text)),
  'packages/client/README.md: {': startsTheAdapter,
  'docs/operating-services.md: [{ "AllowedOrigins": ["*"], "AllowedMethods": ["PUT"], "MaxAgeSeconds": 86400,':
    (text) => {
      const [rule] = JSON.parse(text);
      // A browser sets the content length itself.
      const sent = Object.keys(uploads.create.example.output.uploadHeaders);
      expect(rule.AllowedHeaders.sort()).toEqual(sent.filter((name) => name !== 'content-length').sort());
      expect(rule.AllowedMethods).toEqual([uploads.create.example.output.uploadMethod]);
    },
};

/** Pages whose programs do not print the IDs of the calls that they pay for, with the number of such calls. */
const paidCallsOf: Readonly<Record<string, number>> = {
  'docs/client.md': 2,
  'docs/mcp.md': 1,
  'docs/refunds.md': 1,
  'docs/typed-clients.md': 2,
};

const isRun = ({ language, name }: Block) => language === 'sh' && !(name in notRun);

for (const page of pages) {
  test(`${page} shows what its readers get`, async () => {
    const blocks = await blocksOf(page);
    for (const block of blocks) await check(block);
    if (blocks.some(isRun) && !(page in followedElsewhere)) await follow(page, blocks);
  });
}

/** Checks a block that is not run; fails for a block that no test checks. */
async function check(block: Block): Promise<void> {
  if (fileNameOf(block) || block.language === 'sh' || block.language === 'text') return;
  if (block.name in notRun) return;
  // tests/repo/adding-an-operation.spec.ts writes it into a copy of the repository and runs it there.
  if (block.name.startsWith('CONTRIBUTING.md: ') && block.language === 'ts') return;
  if (block.name === picture || block.name === folderList) {
    for (const [folder] of block.text.matchAll(/\b(?:app|lib|local|packages|prisma|tests|tools)\/[\w/-]*/g))
      expect([folder, existsSync(folder)]).toEqual([folder, true]);
  } else if (block.language === 'python') {
    // tests/repo/typed-clients.spec.ts compiles it; tests/api/typed-clients.spec.ts runs the client.
    return;
  } else if (block.language === 'sql') {
    await sql(block.text);
  } else if (block.language === 'json') {
    await checkJson(block);
  } else {
    throw new Error(`nothing runs or checks this block: ${block.name}`);
  }
}

async function checkJson({ name, text, before }: Block): Promise<void> {
  const [, method, place] = /A response from `(\w+) (\S+)`:$/.exec(before) ?? [];
  if (method === undefined) {
    const other = otherJson[name];
    if (!other) throw new Error(`nothing checks this block: ${name}`);
    await other(text);
    return;
  }
  const answering = [...operations, ...freeOperations].find(
    (one) =>
      one.method === method &&
      ('paths' in one ? Object.values(one.paths) : [one.path]).some((known) => known === place),
  );
  expect(answering?.output.safeParse(JSON.parse(text)), name).toMatchObject({ success: true });
}

/** Does what a page says, in an empty folder and with a new wallet, and checks the output that the page announces. */
async function follow(page: string, blocks: readonly Block[]): Promise<void> {
  const reader = await Reader.sitDown();
  try {
    const wallet = await newReadersWallet();
    await prepare(reader, page, blocks, wallet.key);
    const typed = blocks.filter(isRun);
    const outputs = await reader.type(typed, wallet.fillIn);
    for (const [index, block] of typed.entries()) {
      const next = blocks[blocks.indexOf(block) + 1];
      const announced = next?.language === 'text' ? next.text : '';
      const output = outputs[index] ?? '';
      expect(missingLines(announced, output), `${block.name}\n${output}`).toEqual([]);
    }
    const bought = new Set(outputs.join('\n').match(/^200 pc_\S+/gm));
    if (page !== 'README.md')
      expect(await wallet.calls(), 'paid calls').toBe(paidCallsOf[page] ?? bought.size);
  } finally {
    await reader.leave();
  }
}

/** Puts into the folder what the page has the reader install and save. */
async function prepare(reader: Reader, page: string, blocks: readonly Block[], key: string): Promise<void> {
  // Readers follow these pages in the repository's folder, and the readme next to a running demo.
  if (page === 'README.md' || page === 'docs/first-sale.md')
    await reader.install(readdirSync('node_modules').filter((name) => !name.startsWith('.package')));
  if (page === 'README.md') {
    const local = { apiUrl: stack().apiUrl, payers: { evm: [{ privateKey: key }] } };
    await reader.save('package.json', readFileSync('package.json', 'utf8'));
    await reader.save('.tuppence/local.json', JSON.stringify(local));
  }
  await reader.install(installedBy(blocks).map(({ name }) => name));
  for (const block of blocks) {
    const name = fileNameOf(block);
    if (name) await reader.save(name, block.text);
  }
}

/** Wallets with money on every network, and the values that a reader would fill in for them. */
async function newReadersWallet() {
  const key = generatePrivateKey();
  const { address } = privateKeyToAccount(key);
  for (const name of evmNetworkNames) {
    const { rpcUrl, usdc } = network(name);
    await topUpUsdc(rpcUrl, usdc as `0x${string}`, [address], 20_000_000n, 20_000_000n);
  }
  const reader = await Reader.sitDown();
  const [solana] = openWallets(reader.folder, 1).payers.solana;
  await reader.leave();
  if (!solana) throw new Error('there is no Solana wallet');
  const { rpcUrl } = network('solana-mainnet');
  await rpcCall(rpcUrl, 'tuppence_setTokenBalance', [solana.address, '1000000']);
  return {
    key,
    calls: async () => (await callsOf(address)) + (await callsOf(solana.address)),
    fillIn: (text: string) =>
      text
        .replaceAll('https://api.example.com', stack().apiUrl)
        .replaceAll(/(PRIVATE|WALLET)_KEY=0x…/g, `$1_KEY=${key}`)
        .replaceAll('SOLANA_KEY=…', `SOLANA_KEY=${solana.secretKey}`)
        .replaceAll('https://api.mainnet-beta.solana.com', rpcUrl),
  };
}

const serverSettings = z.strictObject({
  type: z.literal('stdio').optional(),
  command: z.literal('npx'),
  args: z
    .array(z.string())
    .refine((args) => args.join(' ') === npxArguments('https://api.example.com').join(' ')),
  env: z.record(z.string(), z.string()).default({}),
});

const remoteSettings = z.strictObject({
  type: z.literal('http'),
  url: z.literal('https://api.example.com/mcp'),
  headers: z.strictObject({ Authorization: z.literal('Bearer tpt_…') }),
});

/** Connects to the remote server as an assistant with these settings would, with a new account's token. */
async function connectsToTheServer(text: string): Promise<void> {
  const { mcpServers } = JSON.parse(text);
  remoteSettings.parse(mcpServers.tuppence);
  const { accountId, token } = await openAccount();
  const client = await connectMcp(stack().apiUrl, token);
  expect((await callTool(client, 'account_get')).structuredContent.accountId).toBe(accountId);
  await client.close();
}

/** Starts the adapter as an assistant with these settings would. tests/mcp/install.spec.ts has npx fetch it first. */
async function startsTheAdapter(text: string): Promise<void> {
  const { mcpServers, servers } = JSON.parse(text);
  const { env } = serverSettings.parse((mcpServers ?? servers).tuppence);
  const reader = await Reader.sitDown();
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [path.resolve('packages/client/dist/tuppence-mcp.cjs')],
    env: {
      PATH: process.env.PATH ?? '',
      NODE_ENV: 'production',
      HOME: reader.folder,
      TUPPENCE_TOOLS: 'all',
      ...env,
    },
  });
  const client = new Client({ name: 'test', version: '1' });
  try {
    await client.connect(transport);
    const { tools } = await client.listTools();
    const rows = readFileSync('docs/mcp.md', 'utf8').matchAll(/^\| `([a-z_]+)` \|.*\| (?:Free|0\.\d+) \|$/gm);
    expect([...rows].map(([, name]) => name).sort()).toEqual(tools.map(({ name }) => name).sort());
  } finally {
    await client.close();
    await reader.leave();
  }
}

test('the readme lists every folder of lib', async () => {
  const list = (await blocksOf('README.md')).find(({ name }) => name === folderList);
  const listed = [...(list?.text ?? '').matchAll(/^lib\/([\w-]+)/gm)].map(([, folder]) => folder);
  const folders = readdirSync('lib', { withFileTypes: true }).filter((entry) => entry.isDirectory());
  expect([...new Set(listed)].sort()).toEqual(folders.map(({ name }) => name).sort());
});

test('every listed exception still exists', async () => {
  const names = (await Promise.all(pages.map(blocksOf))).flat().map(({ name }) => name);
  for (const name of [...Object.keys(notRun), ...Object.keys(otherJson)]) expect(names).toContain(name);
});

test('the programs of the guides can be downloaded', async () => {
  for (const [name, guide] of [
    ['pay.mjs', 'docs/paying-with-x402.md'],
    ['retry.mjs', 'docs/lost-answers.md'],
  ] as const) {
    const answer = await fetch(`${stack().apiUrl}/docs/${name}`);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([
      200,
      'text/javascript; charset=utf-8',
    ]);
    const program = (await blocksOf(guide)).find((block) => fileNameOf(block) === name);
    expect(await answer.text()).toBe(program?.text);
  }
  expect((await fetch(`${stack().apiUrl}/docs/nothing.mjs`)).status).toBe(404);
});

test('the relative links of pages that are served as Markdown lead somewhere', async () => {
  const sources = [
    'changelog',
    'first-sale',
    'operating',
    'operating-calls',
    'deploying',
    'uploads',
    'paying-with-x402',
  ];
  const links = new Set<string>();
  for (const name of sources) {
    const url = `${stack().apiUrl}/docs/${name}.md`;
    const text = (await (await fetch(url)).text()).replaceAll(/```[\s\S]*?```/g, '');
    for (const [, target = ''] of text.matchAll(/\]\(([^)\s]+)\)/g))
      if (!target.startsWith('http') && !target.startsWith('#'))
        links.add(new URL(target, url).href.replace(/#.*/, ''));
  }
  expect(links.size).toBeGreaterThan(20);
  const dead: string[] = [];
  for (const link of links) if (!(await fetch(link)).ok) dead.push(link);
  expect(dead).toEqual([]);
  const call = await (await fetch(`${stack().apiUrl}/docs/reference/files/uploads.create.md`)).text();
  expect(call).toMatch(/\]\(\S+\/docs\/reference\/common\.md\)/);
});

test('the drawing of a guide is shown in its own size', async ({ page }) => {
  await page.goto(`${stack().apiUrl}/docs/reliability`);
  const drawing = page.getByRole('img', { name: /over the hour/ });
  await drawing.scrollIntoViewIfNeeded();
  await expect(drawing).toHaveJSProperty('complete', true);
  const sizes = await drawing.evaluate((image: HTMLImageElement) => ({
    given: [image.getAttribute('width'), image.getAttribute('height')].map(Number),
    own: [image.naturalWidth, image.naturalHeight],
  }));
  expect(sizes.own).toEqual(sizes.given);
  expect(sizes.own[0]).toBeGreaterThan(0);
  const answer = await fetch(`${stack().apiUrl}/docs/soak.svg`);
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'image/svg+xml']);
  expect((await fetch(`${stack().apiUrl}/docs/nothing.svg`)).status).toBe(404);
});
