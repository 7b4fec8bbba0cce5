import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { about } from '@/lib/catalog/about';
import { topUpUsdc } from '@/local/evm/funding';
import { balanceOf } from '../support/balances';
import { payingFetch } from '../support/buyer';
import { blocksOf, fileNameOf, installedBy } from '../support/guides';
import { endPaywall, installPaywall, paywallSettings, startPaywall } from '../support/paywall-package';
import { network } from '../support/stack';
import { expect, test } from '../support/without-browser';

const run = promisify(execFile);
const page = 'packages/paywall/README.md';

test('the page of the paywall leads from an empty folder to a paid call', async () => {
  const folder = test.info().outputPath('app');
  await installPaywall(folder, ['@x402/fetch', '@types/node']);
  const blocks = await blocksOf(page);
  for (const block of blocks) {
    const name = fileNameOf(block);
    if (name !== undefined) await writeFile(path.join(folder, name), block.text);
  }
  // The other entry of the page is offered as well.
  const other = blocks.find(({ text }) => text.includes("id: 'weather.today'"))?.text ?? '';
  const server = await readFile(path.join(folder, 'server.mjs'), 'utf8');
  const stations = 'const stations = { lisbon: { celsius: 21 } };';
  const selling = server.replace('createServer(', `${stations}\n${other}\ncreateServer(`);
  await writeFile(path.join(folder, 'server.mjs'), selling);

  const { rpcUrl, usdc } = network('base');
  const payerKey = generatePrivateKey();
  const payer = privateKeyToAccount(payerKey);
  await topUpUsdc(rpcUrl, usdc as `0x${string}`, [payer.address], 10_000_000n, 10_000_000n);
  const { payee, env } = await paywallSettings();
  const started = await startPaywall(folder, env);
  try {
    const buying = { ...process.env, ...env, PAYER_KEY: payerKey };
    const bought = await run(process.execPath, ['buy.mjs'], { cwd: folder, env: buying });
    expect(bought.stdout).toBe(blocks.find(({ language }) => language === 'text')?.text);
    expect(await balanceOf(payee, 'base')).toBe(1_000n);
    const weather = await payingFetch(payer, 'base')(`${env.PUBLIC_URL}/weather/lisbon`);
    expect([weather.status, await weather.json()]).toEqual([200, { celsius: 21 }]);
    const nowhere = await payingFetch(payer, 'base')(`${env.PUBLIC_URL}/weather/atlantis`);
    expect((await nowhere.json()).error).toMatchObject({ reason: 'no_such_city', payment: 'none' });
    expect(await balanceOf(payee, 'base')).toBe(3_000n);
  } finally {
    await endPaywall(started);
  }
});

test('the package of the paywall has the version of the API, and needs few packages', async () => {
  const { name, version, dependencies, peerDependencies } = JSON.parse(
    await readFile('packages/paywall/package.json', 'utf8'),
  );
  expect({ name, version }).toEqual({ name: 'tuppence-paywall', version: about.version });
  expect(await readFile(page, 'utf8')).toContain(`./${name}-${version}.tgz`);
  const all = Object.keys({ ...dependencies, ...peerDependencies });
  expect(all.length).toBeLessThanOrEqual(25);
});

/** How the blocks of the page are tried that the first test does not save or run, by how they begin. */
const triedElsewhere: Readonly<Record<string, string>> = {
  'npm init -y': 'asks a registry; the test links the same packages, in these versions',
  'npm install pg@': 'the same',
  'SECRET=$(openssl rand -base64 32) PAY_TO=0x… SETTLEMENT_KEY=0x… node server.mjs': 'with other settings',
  'PAYER_KEY=0x… node buy.mjs': 'with another key',
  "import { postgresStore } from 'tuppence-paywall/postgres';": 'tests/api/paywall-postgres.spec.ts',
  'npm install @solana/kit@': 'the same',
  "import { solana } from 'tuppence-paywall/solana';": 'tests/api/paywall-solana.spec.ts',
};

test('every block of the page of the paywall is tried, and it names the versions that are tested', async () => {
  const blocks = await blocksOf(page);
  const isRun = (block: (typeof blocks)[number]) =>
    fileNameOf(block) !== undefined ||
    block.language === 'text' ||
    block.text.includes("id: 'weather.today'");
  const untried = blocks
    .filter((block) => !isRun(block))
    .filter(({ text }) => !Object.keys(triedElsewhere).some((start) => text.startsWith(start)));
  expect(untried).toEqual([]);
  const named = installedBy(blocks).filter(({ name }) => !name.startsWith('./'));
  const tested = await Promise.all(
    named.map(async ({ name }) => {
      const { version } = JSON.parse(await readFile(path.join('node_modules', name, 'package.json'), 'utf8'));
      return { name, version };
    }),
  );
  expect(named.length).toBeGreaterThan(5);
  expect(named).toEqual(tested);
});

test('the declarations of the paywall check a service in TypeScript', async () => {
  const folder = test.info().outputPath('app');
  await installPaywall(folder, ['@x402/fetch', '@types/node']);
  const app = `
    import { createPaywall, evm, type FetchHandler, memoryStore } from 'tuppence-paywall';
    import { postgresStore } from 'tuppence-paywall/postgres';
    import { solana } from 'tuppence-paywall/solana';
    import { z } from 'zod';
    const paywall = createPaywall({
      name: 'Shop', publicUrl: 'https://api.example.com', secrets: ['c2VjcmV0'], store: memoryStore(),
      networks: [evm({ network: 'base', rpcUrls: ['https://rpc.example.com'], payTo: '0x', settlementKeys: ['0x'] })],
    });
    const terms = {
      price: '1', title: 'Double', summary: 'Double a number.',
      input: z.strictObject({ n: z.number() }), output: z.strictObject({ n: z.number() }),
      example: { input: { n: 1 }, output: { n: 2 } },
    };
    export const POST: FetchHandler = paywall.sell({
      ...terms, id: 'double', path: '/double',
      refusals: { negative: 'No negative numbers.' }, failures: { odd: 'An odd result.' },
      prepare: async ({ n }, { refuse }) => {
        if (n < 0) throw refuse('negative');
        // @ts-expect-error not declared
        if (n > 9) throw refuse('large');
        return { twice: n * 2 };
      },
      run: async (_, { prepared, fail }) => {
        // @ts-expect-error not declared
        if (prepared.twice === 1) throw fail('even');
        return { n: prepared.twice };
      },
    });
    // @ts-expect-error the output has another type
    paywall.sell({ ...terms, id: 'wrong', path: '/wrong', run: async ({ n }) => ({ n: String(n) }) });
    // @ts-expect-error there is no such network
    evm({ network: 'solana-mainnet', rpcUrls: [], payTo: '', settlementKeys: [] });
    createPaywall({
      name: 'Shop', publicUrl: 'https://api.example.com', secrets: ['c2VjcmV0'],
      store: postgresStore({ databaseUrl: 'postgres://db' }),
      networks: [solana({ network: 'solana-devnet', rpcUrls: ['https://rpc.example.com'], payTo: '1', settlementKey: '1' })],
    });
  `;
  await writeFile(path.join(folder, 'app.ts'), app);
  await writeFile(path.join(folder, 'package.json'), '{"type":"module"}');
  const options = [
    '--ignoreConfig',
    '--noEmit',
    '--strict',
    '--module',
    'nodenext',
    '--target',
    'es2022',
    '--types',
    'node',
  ];
  const compiler = path.resolve('node_modules/@typescript/native/bin/tsc');
  const compiling = run(process.execPath, [compiler, ...options, 'app.ts'], { cwd: folder });
  const { stdout } = await compiling.catch((failure: { stdout: string }) => failure);
  expect(stdout).toBe('');
});
