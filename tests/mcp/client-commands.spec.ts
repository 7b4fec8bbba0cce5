import { execFile, execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdir, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { adapterFiles } from '@/lib/catalog/adapter';
import {
  clientCommands,
  clientErrorCodes,
  clientExitCodes,
  clientOptions,
  clientSettings,
  priceOf,
} from '@/lib/catalog/client';
import { fieldOptionsOf } from '@/lib/catalog/client-options';
import { toAtomic } from '@/lib/payments/money';
import { accountWith, balanceIn } from '../support/accounts';
import { balanceOf } from '../support/balances';
import { stack } from '../support/stack';
import { expect } from '../support/without-browser';
import { newClientWallet, runClient } from './client';
import { plainEnv, test } from './rig';

/** The commands of the client for agents with a shell, run as such an agent would run them. */

const html = '<!doctype html><title>Invoice</title><h1>Invoice 1</h1>';
const lunch = {
  title: 'Team lunch',
  questions: [{ type: 'text', label: 'Your name', required: true }],
};
const journey = ['LIS', 'LHR', '2027-03-04'];

interface Case {
  readonly args: readonly string[];
  readonly price: string;
  /** The output for people. */
  readonly printed: RegExp;
  /** A field of the response. */
  readonly field: string;
}

const cases: readonly Case[] = [
  {
    args: ['upload', 'note.txt', '--tags', 'a', '--tags', 'b'],
    price: '0.005',
    printed: /^http\S+note\.txt\nexpires 2/,
    field: 'publicUrl',
  },
  {
    args: ['pdf', 'invoice.html', '--filename', 'one.pdf'],
    price: '0.02',
    printed: /^http\S+one\.pdf\nexpires 2/,
    field: 'publicUrl',
  },
  {
    args: ['form', 'lunch.json'],
    price: '0.01',
    printed: /^http\S+\/f\/fm_\w+\nanswers http\S+\nread token \S+\ncloses 2/,
    field: 'readToken',
  },
  {
    args: ['search', 'sodium-ion storage', '--num-results', '2'],
    price: '0.01',
    printed: /^1\. .+\n {3}http/,
    field: 'results',
  },
  {
    args: ['search', 'which city?', '--kind', 'answer'],
    price: '0.01',
    printed: /\n\n1\. /,
    field: 'answer',
  },
  {
    args: ['search', 'lighthouses', '--kind', 'news', '--gl', 'gb'],
    price: '0.004',
    printed: /^1\. /,
    field: 'news',
  },
  {
    args: ['read', 'https://docs.example.com/start', 'https://docs.example.com/next'],
    price: '0.002',
    printed: /^https:\/\/docs\.example\.com\/start\n\n\S/,
    field: 'results',
  },
  {
    args: ['read', 'https://docs.example.com/start', '--kind', 'browser'],
    price: '0.015',
    printed: /\S/,
    field: 'data',
  },
  {
    args: ['flights', ...journey, '--max-results', '3'],
    price: '0.05',
    printed: /^\d+\.\d\d [A-Z]{3} /,
    field: 'results',
  },
];

test.beforeEach(async ({ machine }) => {
  await writeFile(path.join(machine.home, 'note.txt'), 'hello');
  await writeFile(path.join(machine.home, 'invoice.html'), html);
  await writeFile(path.join(machine.home, 'lunch.json'), JSON.stringify(lunch));
});

test('every command works from a wallet, for people and as JSON, at exactly its price', async ({
  machine,
}) => {
  const { account, env } = await newClientWallet();
  let expected = await balanceOf(account, 'base');
  for (const { args, price, printed, field } of cases) {
    const forPeople = await runClient(machine, args, { env });
    expect(forPeople, args.join(' ')).toMatchObject({ code: 0, stderr: '' });
    expect(forPeople.stdout, args.join(' ')).toMatch(printed);
    const asJson = await runClient(machine, [...args, '--json'], { env });
    expect(asJson, args.join(' ')).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(asJson.stdout), args.join(' ')).toHaveProperty(field);
    expected -= 2n * toAtomic(price);
    expect(await balanceOf(account, 'base'), args.join(' ')).toBe(expected);
  }
  // tests/unit/client-requests.spec.ts has the others.
  const others = ['renew', 'delete', 'responses', 'airports', 'balance', 'call'];
  const used = [...cases.map(({ args }) => args[0]), ...others];
  expect([...new Set(used)].sort()).toEqual(clientCommands.map(({ name }) => name).sort());
});

test('every command works from an account', async ({ machine }) => {
  const account = await accountWith('1');
  const env = { TUPPENCE_ACCOUNT_TOKEN: account.token };
  let expected = toAtomic('1');
  for (const { args, price, printed } of cases) {
    const run = await runClient(machine, args, { env });
    expect(run, args.join(' ')).toMatchObject({ code: 0, stderr: '' });
    expect(run.stdout, args.join(' ')).toMatch(printed);
    expected -= toAtomic(price);
    expect(toAtomic(await balanceIn(account)), args.join(' ')).toBe(expected);
  }
});

test('a link works at once and has the bytes, also those of standard input', async ({ machine }) => {
  const { env } = await newClientWallet();
  for (const [args, input] of [
    [['upload', 'note.txt'], undefined],
    [['upload', '-', '--filename', 'note.txt'], 'hello'],
  ] as const) {
    const { stdout } = await runClient(machine, args, { env, input });
    const answer = await fetch(stdout.split('\n')[0] ?? '');
    expect([answer.status, await answer.text()]).toEqual([200, 'hello']);
  }
  const { stdout } = await runClient(machine, ['pdf', '-'], { env, input: html });
  const pdf = await fetch(stdout.split('\n')[0] ?? '');
  expect(pdf.headers.get('content-type')).toBe('application/pdf');
});

test('a wallet pays on the network of its setting', async ({ machine }) => {
  const { account, env } = await newClientWallet(1_000_000n, 'polygon');
  const run = await runClient(machine, ['upload', 'note.txt'], {
    env: { ...env, TUPPENCE_NETWORK: 'eip155:137' },
  });
  expect(run).toMatchObject({ code: 0 });
  expect(await balanceOf(account, 'polygon')).toBe(995_000n);
});

test('without wallet and token, an account of this machine is opened, and an empty one says where to add money', async ({
  machine,
}) => {
  const run = await runClient(machine, ['upload', 'note.txt']);
  expect(run).toMatchObject({ code: 3, stdout: '' });
  expect(run.stderr).toMatch(
    /^tuppence: insufficient_balance: .*has 0 USDC.*costs 0\.005 USDC\. Ask a person to add money at http\S+\/deposit\/acct_\S+,/,
  );
  expect((await machine.state()).openCalls).toEqual({});
  expect((await stat(machine.stateFile)).mode & 0o777).toBe(0o600);
});

const wrong: readonly (readonly [args: readonly string[], field: string, rule: RegExp])[] = [
  [['upload'], 'arguments', /must be FILE, and 0 were given/],
  [['upload', 'note.txt', 'invoice.html'], 'arguments', /must be FILE, and 2 were given/],
  [['upload', 'missing.txt'], 'path', /must name a file that exists/],
  [['upload', '.secrets/key'], 'path', /hidden/],
  [['upload', 'note.txt', '--mime', 'no'], 'mime', /must/],
  [['upload', 'note.txt', '--colour', 'red'], '--colour', /is not an option of this command/],
  [['upload', 'note.txt', '--idempotency-key', 'ä'], '--idempotency-key', /1 to 255 visible/],
  [['upload', 'note.txt', '--max-cost', 'much'], '--max-cost', /must be an amount in USDC/],
  [['pdf', 'note.json'], 'FILE', /must name a file that exists/],
  [['pdf', 'invoice.html', '--filename', 'a..b'], 'filename', /two consecutive dots/],
  [['form', 'invoice.html'], 'FILE', /must be a JSON object/],
  [['form', 'lunch.json', '--body', '[]'], '--body', /must be a JSON object/],
  [['form', 'lunch.json', '--body', '{"color":1}'], 'color', /is not a known field/],
  [['form', 'lunch.json', '--body', '{"questions":[]}'], 'questions', /must not be empty/],
  [['search', ''], 'query', /must not be empty/],
  [['search', 'x', '--kind', 'smell'], '--kind', /must be one of: meaning, answer, web/],
  [['search', 'x', '--kind', 'answer', '--num-results', '5'], 'numResults', /is not a known field/],
  [['search', 'x', '--num-results', 'many'], 'numResults', /must be a number/],
  [['read', 'http://127.0.0.1/'], 'urls.0', /public/],
  [['read', 'https://a.example', 'https://b.example', '--kind', 'browser'], 'arguments', /2 were given/],
  [['flights', 'LIS', 'LON'], 'arguments', /must be ORIGIN DESTINATION DEPARTURE_DATE, and 2 were given/],
  [['flights', 'London', 'LIS', '2027-03-04'], 'origin', /three-letter IATA code/],
  [['flights', ...journey, '--adults'], '--adults', /--help/],
  [['buy'], 'command', /must be one of: upload, renew/],
  [[], 'command', /must be one of/],
];

test('wrong input names the field and its rule, sends nothing, and exits with 2', async ({ machine }) => {
  await mkdir(path.join(machine.home, '.secrets'));
  await writeFile(path.join(machine.home, '.secrets/key'), 'secret');
  const { env } = await newClientWallet(0n);
  await Promise.all(
    wrong.map(async ([args, field, rule]) => {
      const { code, stdout } = await runClient(machine, [...args, '--json'], { env });
      const { error } = JSON.parse(stdout);
      expect([args, code, error.payment]).toEqual([args, 2, 'none']);
      const issue = error.issues.find((one: { path: string }) => one.path === field);
      expect(issue?.rule, JSON.stringify([args, error])).toMatch(rule);
    }),
  );
  const { code, stdout, stderr } = await runClient(machine, ['search', ''], { env });
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toBe(
    'tuppence: invalid_input: The call is not valid. Nothing was charged. query: must not be empty.\n',
  );
  expect(machine.proxy.requests).toEqual([]);
});

test('the service gives it out as one file, and as the second command of the package', async ({
  machine,
}) => {
  const version = (await runClient(machine, ['--version'])).stdout;
  const get = async (file: string) => Buffer.from(await (await fetch(stack().apiUrl + file)).arrayBuffer());
  const alone = path.join(machine.home, 'tuppence.cjs');
  await writeFile(alone, await get(adapterFiles.client.path));
  expect(execFileSync(process.execPath, [alone, '--version'], { cwd: machine.home }).toString()).toBe(
    version,
  );
  const npm = {
    npm_config_cache: path.join(machine.home, 'npm'),
    // Nothing listens there, so any request to a registry fails.
    npm_config_registry: 'http://127.0.0.1:1/',
    npm_config_fetch_retries: '0',
    npm_config_update_notifier: 'false',
  };
  const address = stack().apiUrl + adapterFiles.package.path;
  const { stdout } = await promisify(execFile)(
    'npx',
    ['-y', '--allow-remote=root', `--package=${address}`, 'tuppence', '--version'],
    { cwd: machine.home, env: { ...plainEnv, ...machine.env, ...npm } },
  );
  expect(stdout).toBe(version);
});

test('wrong settings are named, are not repeated, and exit with 1', async ({ machine }) => {
  const { env } = await newClientWallet(0n);
  const secret = 'deadbeef'.repeat(8).slice(1);
  for (const [name, more] of Object.entries<Record<string, string>>({
    TUPPENCE_WALLET_KEY: { TUPPENCE_WALLET_KEY: secret },
    'only one of TUPPENCE_WALLET_KEY and TUPPENCE_ACCOUNT_TOKEN': { ...env, TUPPENCE_ACCOUNT_TOKEN: 'tpt_x' },
    TUPPENCE_ACCOUNT_TOKEN: { TUPPENCE_ACCOUNT_TOKEN: 'a b' },
    TUPPENCE_NETWORK: { ...env, TUPPENCE_NETWORK: 'base' },
    TUPPENCE_SPENDING_CAP: { TUPPENCE_SPENDING_CAP: 'lots' },
    MUNITION_API_URL: { MUNITION_API_URL: 'http://api.example.com' },
  })) {
    const { code, stderr, stdout } = await runClient(machine, ['upload', 'note.txt'], { env: more });
    expect([name, code, stdout]).toEqual([name, 1, '']);
    expect(stderr).toContain(`settings_invalid: `);
    expect(stderr).toContain(name);
    expect(stderr).not.toContain(secret);
  }
  expect(machine.proxy.requests).toEqual([]);
});

test('the help lists every command, option, setting and exit code', async ({ machine }) => {
  const { code, stdout } = await runClient(machine, ['--help']);
  expect(code).toBe(0);
  for (const { name, args } of clientCommands) expect(stdout).toContain(`  ${name} ${args}`.trimEnd());
  for (const { name } of clientSettings) expect(stdout).toContain(`  ${name}`);
  for (const { meaning } of Object.values(clientExitCodes)) expect(stdout).toContain(meaning);
  for (const command of clientCommands) {
    const help = await runClient(machine, [command.name, '--help']);
    expect([command.name, help.code, help.stderr]).toEqual([command.name, 0, '']);
    for (const call of command.calls) {
      const price = priceOf(call);
      expect(help.stdout).toContain(price === null ? 'Free.' : `${price} USDC.`);
      for (const { flag, accepts } of fieldOptionsOf(call)) {
        expect(help.stdout).toContain(`  --${flag}`);
        expect(help.stdout).toContain(accepts);
      }
    }
    for (const { flag } of clientOptions) expect(help.stdout).toContain(`  --${flag}`);
  }
  const version = await runClient(machine, ['--version']);
  expect(version.stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
});

test('the help of a command says which values an option accepts', async ({ machine }) => {
  const { stdout } = await runClient(machine, ['search', '--help']);
  expect(stdout).toMatch(/--num-results NUMBER .* 1 to 25\. Default: 10\./);
  expect(stdout).toMatch(/--category TEXT .* One of: company, /);
  expect(stdout).toMatch(/--type TEXT .* One of: auto, fast, instant\. Default: auto\./);
});

test('the guide lists every command, setting, exit code and error of the client', () => {
  const guide = readFileSync('docs/client.md', 'utf8');
  for (const { name, args, calls } of clientCommands) {
    const prices = calls.map((call) => priceOf(call) ?? 'Free').sort((a, b) => Number(a) - Number(b));
    const [lowest, highest] = [prices[0], prices.at(-1)];
    const price = lowest === highest ? lowest : `${lowest} to ${highest}`;
    const row = guide.split('\n').find((line) => line.startsWith(`| \`${`${name} ${args}`.trimEnd()}\` |`));
    expect(row, name).toMatch(new RegExp(`\\| ${price} \\|$`));
  }
  for (const { name } of clientSettings) expect(guide).toContain(`| \`${name}\` |`);
  for (const { code } of Object.values(clientExitCodes)) expect(guide).toContain(`| ${code} |`);
  for (const code of clientErrorCodes) expect(guide).toContain(`| \`${code}\` |`);
});

test('two flags of a command that have one name have one type', () => {
  for (const { name, calls } of clientCommands) {
    const types = new Map<string, string>();
    for (const { flag, type, isList } of calls.flatMap(fieldOptionsOf)) {
      const known = types.get(flag) ?? `${type} ${isList}`;
      expect(`${type} ${isList}`, `${name} --${flag}`).toBe(known);
      types.set(flag, known);
    }
    for (const { flag } of clientOptions) expect(types.has(flag), `${name} --${flag}`).toBe(false);
  }
});

test('text of strangers cannot control the terminal', async ({ machine }) => {
  const { env } = await newClientWallet(0n);
  const results = [{ title: 'a\u001b[2Jb\u009b31mc\r', url: 'https://a.example/\u0007' }];
  machine.proxy.on(/^POST \/v1\/neural\/search$/, { status: 200, body: { results } });
  const { stdout } = await runClient(machine, ['search', 'x'], { env });
  expect(stdout).toBe('1. a[2Jb31mc\n   https://a.example/\n');
});
