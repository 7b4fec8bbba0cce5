import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import MarkdownIt from 'markdown-it';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { operations } from '@/lib/catalog';
import { skills } from '@/lib/catalog/skills';
import { firstCalls } from '@/lib/discovery/first-call';
import { methodOf } from '@/lib/discovery/typed-clients/methods';
import { pythonProgram, typescriptProgram } from '@/lib/discovery/typed-clients/programs';
import { topUpUsdc } from '@/local/evm/funding';
import { rpcCall } from '@/local/json-rpc';
import { openWallets } from '@/local/wallets';
import { type ApiProxy, startApiProxy } from '../mcp/api-proxy';
import { callsOf } from '../support/database';
import { blocksOf, fileNameOf, Reader } from '../support/guides';
import { ethAccount, findPython } from '../support/python';
import { network, stack } from '../support/stack';
import { test as base, expect } from '../support/without-browser';

/**
 * Every program and skill that we publish, run through a proxy that loses the first paid response. What a reader does then, by
 * running the same command again or the one that the program prints, never pays twice.
 */

interface PerTest {
  api: ApiProxy;
  reader: Reader;
}

const test = base.extend<PerTest>({
  // biome-ignore lint/correctness/noEmptyPattern: the runner reads which fixtures are used from the pattern.
  api: async ({}, use) => {
    const api = await startApiProxy();
    await use(api);
    await api.close();
  },
  // biome-ignore lint/correctness/noEmptyPattern: the runner reads which fixtures are used from the pattern.
  reader: async ({}, use) => {
    const reader = await Reader.sitDown();
    await reader.install(readdirSync('node_modules').filter((name) => !name.startsWith('.')));
    await use(reader);
    await reader.leave();
  },
});

type Environment = Readonly<Record<string, string>>;

/** Runs a command line, and returns what it printed on both streams. */
function run(folder: string, command: string, env: Environment): Promise<{ code: number; printed: string }> {
  const all = { PATH: process.env.PATH, HOME: folder, NODE_ENV: 'production' as const, ...env };
  return new Promise((resolve) => {
    execFile('sh', ['-c', `{ ${command}\n} 2>&1`], { cwd: folder, env: all }, (error, stdout) =>
      resolve({ code: error ? Number(error.code ?? 1) : 0, printed: stdout }),
    );
  });
}

async function newWallet() {
  const key = generatePrivateKey();
  const { address } = privateKeyToAccount(key);
  const { rpcUrl, usdc } = network('base');
  await topUpUsdc(rpcUrl, usdc as `0x${string}`, [address], 5_000_000n, 5_000_000n);
  return { key, address };
}

/** The programs of a guide, saved under the names that it gives them. */
async function saveProgramsOf(guide: string, reader: Reader): Promise<void> {
  for (const block of await blocksOf(guide)) {
    const name = fileNameOf(block);
    if (name) await reader.save(name, block.text);
  }
}

/** The command line that a program prints when no response arrives. */
const printedCommand = (printed: string): string => /KEY='.*$/m.exec(printed)?.[0] ?? '';

const search = `POST /v1/airports/search '{"query":"oslo"}'`;

const programs = [
  { guide: 'docs/paying-with-x402.md', command: `node pay.mjs ${search}` },
  { guide: 'docs/uploads.md', command: 'echo hello > notes.txt; node upload.mjs notes.txt text/plain' },
  {
    guide: 'docs/paying-with-mpp.md',
    command: `node pay-mpp.mjs POST /v1/mpp/forms '{"title":"Lunch","questions":[{"type":"text","label":"Your name"}]}'`,
  },
] as const;

for (const { guide, command } of programs) {
  test(`the program of ${guide} prints after a lost response what to run, and pays once`, async ({
    api,
    reader,
  }) => {
    const { key, address } = await newWallet();
    await saveProgramsOf(guide, reader);
    const env = { BASE_URL: api.apiUrl, PRIVATE_KEY: key };
    const lost = api.on(/ paid$/, 'lose-answer');
    const first = await run(reader.folder, command, env);
    expect(first.code).toBe(1);
    expect(first.printed).toMatch(/^No response \(.+\)\. You may have been charged\. Run this, .*: KEY='/);
    expect(lost.hits).toBe(1);
    for (const next of [command, printedCommand(first.printed), command]) {
      const again = await run(reader.folder, next, env);
      expect(again, next).toMatchObject({ code: 0, printed: expect.stringMatching(/^200 pc_/) });
      expect(again.printed).toContain('You had already paid');
    }
    expect(await callsOf(address)).toBe(1);
    // Buying the same again is an explicit choice.
    const second = await run(reader.folder, command, { ...env, KEY: 'second' });
    expect(second.printed).toMatch(/^200 pc_/);
    expect(await callsOf(address)).toBe(2);
  });
}

test('the program for Solana prints after a lost response what to run, and pays once', async ({
  api,
  reader,
}) => {
  const [solana] = openWallets(reader.folder, 1).payers.solana;
  if (!solana) throw new Error('there is no Solana wallet');
  const { rpcUrl } = network('solana-mainnet');
  await rpcCall(rpcUrl, 'tuppence_setTokenBalance', [solana.address, '1000000']);
  await saveProgramsOf('docs/paying-with-x402.md', reader);
  const env = { BASE_URL: api.apiUrl, SOLANA_KEY: solana.secretKey, SOLANA_RPC_URL: rpcUrl };
  const command = `node pay-solana.mjs ${search}`;
  api.on(/ paid$/, 'lose-answer');
  const first = await run(reader.folder, command, env);
  expect(first.printed).toMatch(/You may have been charged/);
  for (const next of [printedCommand(first.printed), command])
    expect((await run(reader.folder, next, env)).printed).toMatch(/^200 pc_/);
  expect(await callsOf(solana.address)).toBe(1);
});

test('the program of the readme pays once if it is run again after a lost response', async ({
  api,
  reader,
}) => {
  const { key, address } = await newWallet();
  // It is saved in a clone of this repository.
  await reader.save('package.json', JSON.stringify({ type: 'module' }));
  await saveProgramsOf('README.md', reader);
  const local = { apiUrl: api.apiUrl, payers: { evm: [{ privateKey: key }] } };
  await reader.save('.tuppence/local.json', JSON.stringify(local));
  const command = 'node --import tsx first-call.ts';
  api.on(/ paid$/, 'lose-answer');
  expect((await run(reader.folder, command, {})).printed).toMatch(
    /You may have been charged\. Run: KEY=\S+ npx tsx first-call\.ts/,
  );
  expect((await run(reader.folder, command, {})).printed).toMatch(/^200 pc_/);
  expect(await callsOf(address)).toBe(1);
});

/** The typed client as served, which calls the service through the proxy. */
async function saveTypedClients(reader: Reader, { apiUrl }: ApiProxy): Promise<void> {
  for (const name of ['tuppence.mts', 'tuppence.py']) {
    const text = await (await fetch(`${stack().apiUrl}/clients/${name}`)).text();
    await writeFile(path.join(reader.folder, name), text.replaceAll(stack().apiUrl, apiUrl));
  }
  await reader.save('package.json', '{"type":"module"}');
  await reader.save('eth_account.py', ethAccount);
}

const python = findPython();

/** Programs that are killed while they wait for the response, and run again. */
const typedPrograms: readonly {
  name: string;
  file: string;
  command: string;
  text: (url: string) => string;
}[] = [
  {
    name: 'the TypeScript sample of the front page',
    file: 'call.mts',
    command: 'node --import tsx call.mts',
    text: (url) => firstCalls({ publicUrl: url }).typescript?.paid ?? '',
  },
  ...['uploads.create', 'forms.create', 'airports.search'].flatMap((id) => {
    const method = methodOf(id);
    if (!method) throw new Error(`there is no method for ${id}`);
    return [
      {
        name: `the TypeScript sample of ${id}`,
        file: 'call.mts',
        command: 'node --import tsx call.mts',
        text: (url: string) => typescriptProgram(method, { publicUrl: url }),
      },
      ...(python
        ? [
            {
              name: `the Python sample of ${id}`,
              file: 'call.py',
              command: `${python} call.py`,
              text: (url: string) => pythonProgram(method, { publicUrl: url }) ?? '',
            },
          ]
        : []),
    ];
  }),
  ...(python
    ? [
        {
          name: 'the Python sample of the front page',
          file: 'call.py',
          command: `${python} call.py`,
          text: (url: string) => firstCalls({ publicUrl: url }).python?.paid ?? '',
        },
      ]
    : []),
];

for (const { name, file, command, text } of typedPrograms) {
  test(`${name} pays once if it is run again after a lost response`, async ({ api, reader }) => {
    const { key, address } = await newWallet();
    await saveTypedClients(reader, api);
    await reader.save(file, text(api.apiUrl));
    const env = { PRIVATE_KEY: key, ADDRESS: address, NODE: process.execPath };
    const lost = api.on(/ paid$/, 'hold-answer');
    const [program = '', ...args] = command.split(' ');
    const child = spawn(program, args, {
      cwd: reader.folder,
      env: { ...process.env, NODE_ENV: 'production', ...env },
      stdio: 'ignore',
    });
    const ended = once(child, 'exit');
    await lost.happened;
    child.kill('SIGKILL');
    await ended;
    const again = await run(reader.folder, command, env);
    expect(again.code, again.printed).toBe(0);
    expect(await callsOf(address)).toBe(1);
  });
}

for (const skill of skills) {
  test(`the first command of the skill ${skill.name} pays once if it is run again after a lost response`, async ({
    api,
    reader,
  }) => {
    const { key, address } = await newWallet();
    const answer = await fetch(`${stack().apiUrl}/.well-known/agent-skills/${skill.name}/SKILL.md`);
    const commands = new MarkdownIt()
      .parse(await answer.text(), {})
      .filter(({ type, info }) => type === 'fence' && info === 'sh')
      .map(({ content }) => content.trim());
    const operation = operations.find(({ id }) => id === skill.uses[0]);
    const command = commands.find((line) => line.startsWith(`node pay.mjs ${operation?.method} `)) ?? '';
    expect(command).toContain(operation?.paths.x402);
    await saveProgramsOf('docs/paying-with-x402.md', reader);
    const env = { BASE_URL: api.apiUrl, PRIVATE_KEY: key };
    api.on(/ paid$/, 'lose-answer');
    const first = await run(reader.folder, command, env);
    expect(first.printed).toContain('You may have been charged');
    for (const next of [command, printedCommand(first.printed)]) {
      const again = await run(reader.folder, next, env);
      expect(again.printed, next).toMatch(/^200 pc_/);
    }
    expect(await callsOf(address)).toBe(1);
  });
}

test('programs say in one sentence what is missing, and that a service that cannot be reached charged nothing', async ({
  reader,
}) => {
  await saveProgramsOf('docs/paying-with-x402.md', reader);
  await saveProgramsOf('docs/paying-with-mpp.md', reader);
  await saveProgramsOf('docs/uploads.md', reader);
  const key = generatePrivateKey();
  const good = { BASE_URL: stack().apiUrl, PRIVATE_KEY: key };
  const form = `POST /v1/mpp/forms '{"title":""}'`;
  for (const command of [
    `node pay.mjs ${search}`,
    `node pay-mpp.mjs ${form}`,
    'node upload.mjs pay.mjs text/plain',
  ]) {
    const printed = async (env: Environment) => (await run(reader.folder, command, env)).printed;
    expect(await printed({ BASE_URL: good.BASE_URL })).toBe(
      'Set PRIVATE_KEY to the key of your wallet: 0x and 64 hexadecimal digits.\n',
    );
    expect(await printed({ ...good, PRIVATE_KEY: key.slice(2) })).toBe(
      'Set PRIVATE_KEY to the key of your wallet: 0x and 64 hexadecimal digits.\n',
    );
    expect(await printed({ PRIVATE_KEY: key })).toBe(
      'Set BASE_URL to the address of the service, such as https://api.example.com.\n',
    );
    expect(await printed({ ...good, BASE_URL: 'http://127.0.0.1:9' })).toMatch(
      /^Cannot connect to http:\/\/127\.0\.0\.1:9 \(.+\)\. This run was not charged\. Check BASE_URL\.\n$/,
    );
  }
  const { key: funded } = await newWallet();
  const limited = await run(reader.folder, `LIMIT=0.0001 node pay.mjs ${search}`, {
    ...good,
    PRIVATE_KEY: funded,
  });
  expect(limited.printed).toMatch(/^Failed to .*maxAmountPerPayment.* This run was not charged\.\n$/);
  const wrong = await run(reader.folder, `node pay-mpp.mjs ${form}`, { ...good, PRIVATE_KEY: funded });
  expect(wrong.printed).toMatch(/^400 not paid: form_invalid .*title: .*\./);
});
