import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import ts from 'typescript';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { topUpUsdc } from '@/local/evm/funding';
import { type ApiProxy, type Fault, startApiProxy } from '../mcp/api-proxy';
import { accountWith, balanceIn, openAccount } from '../support/accounts';
import { balanceOf } from '../support/balances';
import { payingFetch } from '../support/buyer';
import { callsOf } from '../support/database';
import { aFile } from '../support/files';
import { mppClient } from '../support/mpp-buyer';
import { newEvmPayer } from '../support/payers';
import { findPython } from '../support/python';
import { network, stack } from '../support/stack';
import { signingFetch } from '../support/wallet-sign-in';
import { test as base, expect } from '../support/without-browser';

/** The typed clients as the service publishes them, used against it, with lost responses. */

/** The parts of the TypeScript client that are used here. */
interface Module {
  Tuppence: new (
    options?: object,
  ) => {
    airportsSearch(input: object, options?: object): Promise<{ airports: { iataCode: string }[] }>;
    uploadsCreate(input: object, options?: object): Promise<{ id: string }>;
    formsCreate(input: object): Promise<{ id: string; readToken: string }>;
    formsResponses(input: object): Promise<{ responses: unknown[] }>;
    accountGet(): Promise<{ balance: string }>;
    accountRotateToken(): Promise<{ token: string }>;
    flightsOffer(input: object): Promise<unknown>;
    toolsPrices(): Promise<object>;
    walletUploads(input: object): Promise<{ uploads: { id: string }[] }>;
  };
  TuppenceError: new () => Error;
}

interface PerTest {
  api: ApiProxy;
  folder: string;
  /** The imported TypeScript client. */
  client: Module;
}

const test = base.extend<PerTest>({
  // biome-ignore lint/correctness/noEmptyPattern: the runner reads which fixtures are used from the pattern.
  api: async ({}, use) => {
    const api = await startApiProxy();
    await use(api);
    await api.close();
  },
  // biome-ignore lint/correctness/noEmptyPattern: the runner reads which fixtures are used from the pattern.
  folder: async ({}, use) => {
    const folder = await mkdtemp(path.join(tmpdir(), 'tuppence-typed-'));
    await use(folder);
    await rm(folder, { recursive: true, force: true });
  },
  client: async ({ folder }, use) => {
    const text = await (await fetch(`${stack().apiUrl}/clients/tuppence.mts`)).text();
    const options = { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext };
    const file = path.join(folder, 'tuppence.mjs');
    await writeFile(file, ts.transpileModule(text, { compilerOptions: options }).outputText);
    await use(await import(pathToFileURL(file).href));
  },
});

const faults: readonly Fault[] = ['lose-answer', 'lose-request', 'gateway-error'];
const startAtomic = 10_000_000n;

for (const fault of faults) {
  test(`TypeScript over x402: after ${fault}, the call has its response and is charged once`, async ({
    client,
    api,
  }) => {
    const wallet = await newEvmPayer();
    const rule = api.on(/^POST \/v1\/uploads paid$/, fault);
    const tuppence = new client.Tuppence({ baseUrl: api.apiUrl, fetch: payingFetch(wallet, 'base') });
    const { id } = await tuppence.uploadsCreate(aFile().announcement);
    expect([id.slice(0, 3), rule.hits]).toEqual(['up_', 1]);
    expect(await balanceOf(wallet, 'base')).toBe(startAtomic - 5_000n);
    expect(await callsOf(wallet.address)).toBe(1);
  });

  test(`TypeScript from an account: after ${fault}, the call has its response and is charged once`, async ({
    client,
    api,
  }) => {
    const account = await accountWith('1');
    const rule = api.on(/^POST \/v1\/account\/airports\/search$/, fault);
    const tuppence = new client.Tuppence({ baseUrl: api.apiUrl, accountToken: account.token });
    const { airports } = await tuppence.airportsSearch({ query: 'nairobi' });
    expect([airports[0]?.iataCode, rule.hits]).toEqual(['NBO', 1]);
    expect(await balanceIn(account)).toBe('0.999');
    expect((await tuppence.accountGet()).balance).toBe('0.999');
  });
}

test('TypeScript, signed in by wallet: it lists what the wallet has bought', async ({ client }) => {
  const wallet = await newEvmPayer();
  const { id } = await new client.Tuppence({ fetch: payingFetch(wallet, 'base') }).uploadsCreate(
    aFile().announcement,
  );
  const tuppence = new client.Tuppence({ fetch: signingFetch(wallet) });
  expect((await tuppence.walletUploads({ limit: 5 })).uploads).toMatchObject([{ id }]);
});

test('TypeScript over MPP: a call is paid, and its token reads what it made', async ({ client }) => {
  const wallet = await newEvmPayer();
  const { fetch: pay } = mppClient(wallet, 'base');
  const tuppence = new client.Tuppence({ rail: 'mpp', fetch: pay });
  const questions = [{ type: 'text', label: 'Your name' }];
  const { id, readToken } = await tuppence.formsCreate({ title: 'Lunch', questions });
  expect((await tuppence.formsResponses({ id, readToken, limit: 5 })).responses).toEqual([]);
  expect(await balanceOf(wallet, 'base')).toBe(startAtomic - 10_000n);
});

test('TypeScript: a call that was given up goes on under its key', async ({ client, api }) => {
  const wallet = await newEvmPayer();
  api.on(/^POST \/v1\/uploads paid$/, 'lose-answer', 100);
  const body = aFile().announcement;
  const impatient = new client.Tuppence({
    baseUrl: api.apiUrl,
    fetch: payingFetch(wallet, 'base'),
    patienceMs: 0,
  });
  const given = await impatient.uploadsCreate(body).catch((error: unknown) => error);
  expect(given).toBeInstanceOf(client.TuppenceError);
  expect(given).toMatchObject({ failure: { payment: 'unknown', retry: 'same_request' } });
  const { idempotencyKey } = given as { idempotencyKey: string };
  const next = new client.Tuppence({ fetch: payingFetch(wallet, 'base') });
  const { id } = await next.uploadsCreate(body, { idempotencyKey });
  expect(id).toMatch(/^up_/);
  expect(await balanceOf(wallet, 'base')).toBe(startAtomic - 5_000n);
});

test('TypeScript: errors have the fields of the service, and free calls that change something are made once', async ({
  client,
  api,
}) => {
  const account = await openAccount();
  const tuppence = new client.Tuppence({ baseUrl: api.apiUrl, accountToken: account.token });
  await expect(tuppence.airportsSearch({ query: 'faro' })).rejects.toMatchObject({
    status: 402,
    failure: { code: 'insufficient_balance', payment: 'none' },
  });
  const wallet = await newEvmPayer();
  const paying = new client.Tuppence({ baseUrl: api.apiUrl, fetch: payingFetch(wallet, 'base') });
  await expect(paying.airportsSearch({ query: '' })).rejects.toMatchObject({
    failure: { code: 'invalid_input', issues: [{ path: 'query', rule: 'must not be empty' }] },
  });
  // The ID cannot leave its path segment.
  await expect(paying.flightsOffer({ id: '../../accounts' })).rejects.toMatchObject({ status: 400 });
  expect(await balanceOf(wallet, 'base')).toBe(startAtomic);
  await expect(
    new client.Tuppence({ baseUrl: api.apiUrl }).airportsSearch({ query: 'x' }),
  ).rejects.toMatchObject({
    status: 402,
    failure: { code: 'payment_required', payment: 'none' },
  });
  const rotation = api.on(/^POST \/v1\/account\/token/, 'lose-answer');
  await expect(tuppence.accountRotateToken()).rejects.toMatchObject({ failure: { code: 'outcome_unknown' } });
  expect([rotation.hits, api.requests.filter((one) => /account\/token/.test(one)).length]).toEqual([1, 1]);
  expect(Object.keys(await new client.Tuppence().toolsPrices())).not.toEqual([]);
});

test('TypeScript: a wallet without money is told to fund it, and a service that cannot be reached got nothing', async ({
  client,
}) => {
  const wallet = privateKeyToAccount(generatePrivateKey());
  const poor = new client.Tuppence({ fetch: payingFetch(wallet, 'base') });
  await expect(poor.airportsSearch({ query: 'faro' })).rejects.toMatchObject({
    message: expect.stringContaining(wallet.address),
    failure: {
      code: 'payment_required',
      reason: 'invalid_exact_evm_insufficient_balance',
      retry: 'stop',
      payer: wallet.address,
      network: 'eip155:8453',
      price: '0.001',
      docs: expect.stringContaining('/docs/errors#'),
    },
  });
  const account = await openAccount();
  const empty = new client.Tuppence({ accountToken: account.token, keySecret: account.token });
  await expect(empty.airportsSearch({ query: 'faro' })).rejects.toThrow(/Top up at http.*\/deposit\//);
  const nowhere = new client.Tuppence({
    baseUrl: 'http://127.0.0.1:9',
    accountToken: account.token,
    patienceMs: 1_500,
  });
  await expect(nowhere.airportsSearch({ query: 'faro' })).rejects.toMatchObject({
    failure: { code: 'not_sent', payment: 'none' },
  });
});

const python = findPython();

/** Signs typed data with a key. Stands in for Python's wallet package. */
const signer = `import { privateKeyToAccount } from 'viem/accounts';
const data = JSON.parse(await new Response(process.stdin).text());
const { EIP712Domain, ...types } = data.types;
const account = privateKeyToAccount(process.env.PRIVATE_KEY);
process.stdout.write(await account.signTypedData({ ...data, types }));`;

const script = `import json, os, subprocess, sys
sys.dont_write_bytecode = True
sys.path.insert(0, os.environ["FOLDER"])
from tuppence import Tuppence, TuppenceError, Wallet

def sign(data):
    command = [os.environ["NODE"], "--input-type=module", "-e", os.environ["SIGNER"]]
    return subprocess.run(command, input=json.dumps(data).encode(), stdout=subprocess.PIPE, check=True).stdout.decode()

token = os.environ.get("ACCOUNT_TOKEN")
wallet = None if token else Wallet(os.environ["ADDRESS"], sign)
patience = float(os.environ.get("PATIENCE", "60"))
client = Tuppence(os.environ["API_URL"], wallet=wallet, account_token=token, patience_seconds=patience)
try:
    method = getattr(client, os.environ["METHOD"])
    result = {"output": method(json.loads(os.environ["INPUT"]), idempotency_key=os.environ.get("KEY"))}
except TuppenceError as error:
    result = {"code": error.code, "payment": error.payment, "key": error.idempotency_key, "issues": error.issues,
              "text": str(error), "retry": error.retry}
print(json.dumps(result))
`;

async function runPython(folder: string, env: Record<string, string>) {
  const text = await (await fetch(`${stack().apiUrl}/clients/tuppence.py`)).text();
  await writeFile(path.join(folder, 'tuppence.py'), text);
  const { stdout } = await promisify(execFile)(python ?? '', ['-c', script], {
    // The signer finds its packages from here.
    cwd: path.resolve('.'),
    env: { ...process.env, FOLDER: folder, NODE: process.execPath, SIGNER: signer, ...env },
  });
  return JSON.parse(stdout);
}

async function newPythonWallet() {
  const key = generatePrivateKey();
  const account = privateKeyToAccount(key);
  const { rpcUrl, usdc } = network('base');
  await topUpUsdc(rpcUrl, usdc as `0x${string}`, [account.address], startAtomic, startAtomic);
  return { account, env: { PRIVATE_KEY: key, ADDRESS: account.address } };
}

test.describe('Python', () => {
  test.skip(python === null, 'there is no Python on this machine');

  for (const fault of faults) {
    test(`over x402: after ${fault}, the call has its response for one payment`, async ({ folder, api }) => {
      const { account, env } = await newPythonWallet();
      const rule = api.on(/^POST \/v1\/uploads paid$/, fault);
      const call = { METHOD: 'uploads_create', INPUT: JSON.stringify(aFile().announcement) };
      const { output } = await runPython(folder, { ...env, ...call, API_URL: api.apiUrl });
      expect([output.id.slice(0, 3), rule.hits]).toEqual(['up_', 1]);
      expect(new Set(api.payments).size).toBe(1);
      expect(await balanceOf(account, 'base')).toBe(startAtomic - 5_000n);
    });
  }

  test('from an account, and a call that was given up goes on under its key', async ({ folder, api }) => {
    const account = await accountWith('1');
    const env = { ACCOUNT_TOKEN: account.token, API_URL: api.apiUrl, METHOD: 'airports_search' };
    const call = { ...env, INPUT: JSON.stringify({ query: 'nairobi' }), KEY: randomUUID() };
    api.on(/^POST \/v1\/account\/airports\/search$/, 'lose-answer');
    const lost = await runPython(folder, { ...call, PATIENCE: '0' });
    expect(lost).toMatchObject({ code: 'outcome_unknown', payment: 'unknown', key: call.KEY });
    const { output } = await runPython(folder, call);
    expect(output.airports[0].iataCode).toBe('NBO');
    expect(await balanceIn(account)).toBe('0.999');
  });

  test('errors have what the service said, and a service that cannot be reached got nothing', async ({
    folder,
  }) => {
    const { token } = await openAccount();
    const search = { METHOD: 'airports_search', INPUT: '{"query":"faro"}', API_URL: stack().apiUrl };
    const empty = await runPython(folder, { ...search, ACCOUNT_TOKEN: token });
    expect(empty).toMatchObject({
      code: 'insufficient_balance',
      text: expect.stringMatching(/Top up at http.*request: req_/),
    });
    const key = generatePrivateKey();
    const { address } = privateKeyToAccount(key);
    const poor = await runPython(folder, { ...search, PRIVATE_KEY: key, ADDRESS: address });
    expect(poor).toMatchObject({
      code: 'payment_required',
      retry: 'stop',
      text: expect.stringContaining(address),
    });
    const wrong = await runPython(folder, {
      ...search,
      INPUT: '{"query":""}',
      PRIVATE_KEY: key,
      ADDRESS: address,
    });
    expect(wrong.text).toContain('query: must not be empty.');
    const nowhere = { ...search, API_URL: 'http://127.0.0.1:9', ACCOUNT_TOKEN: token, PATIENCE: '1.5' };
    expect(await runPython(folder, nowhere)).toMatchObject({ code: 'not_sent', payment: 'none' });
  });

  test('nothing is signed above the limit, and errors name the field', async ({ folder, api }) => {
    const { account, env } = await newPythonWallet();
    const base = { ...env, API_URL: api.apiUrl };
    const wrong = await runPython(folder, { ...base, METHOD: 'airports_search', INPUT: '{"query":""}' });
    expect(wrong).toMatchObject({ code: 'invalid_input', issues: [{ path: 'query' }] });
    const { accountId } = await openAccount();
    const deposit = { METHOD: 'billing_deposit', INPUT: JSON.stringify({ accountId, amount: '5' }) };
    await expect(runPython(folder, { ...base, ...deposit })).rejects.toThrow(/above the limit/);
    expect(await balanceOf(account, 'base')).toBe(startAtomic);
  });
});
