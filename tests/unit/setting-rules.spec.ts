import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { networkTable } from '@/lib/payments/network-table';
import {
  misspeltIn,
  parseSettings,
  readSettings,
  type Settings,
  settingsSchema,
} from '@/lib/platform/settings';
import { newSolanaWallet } from '../recovery/rig/own-solana';
import { expect, test } from '../support/without-browser';

const payTo = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';

/** A minimal complete configuration. */
const well: Readonly<Record<string, string>> = {
  DATABASE_URL: 'postgresql://tuppence:secret@localhost:5432/tuppence',
  PUBLIC_URL: 'https://api.example.com',
  FILES_URL: 'https://files.example.net',
  PAY_TO_EVM: payTo,
  BASE_RPC_URL: 'https://rpc.example.com',
  DATA_KEY: randomBytes(32).toString('base64'),
};

function settingsOf(settings: Readonly<Record<string, string>>): Settings {
  return parseSettings({ ...well, ...settings });
}

/** The secret of an API key as Coinbase gives it: the seed and the public key of an Ed25519 key. */
function keyPairSecret(): string {
  const { x = '', d = '' } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
  return Buffer.concat([Buffer.from(d, 'base64url'), Buffer.from(x, 'base64url')]).toString('base64');
}

/** Every problem of a configuration, as the server prints it. */
function problemsOf(settings: Readonly<Record<string, string>>): string[] {
  const read = readSettings({ ...well, ...settings });
  return 'problems' in read ? read.problems.map(({ name, message }) => `${name}: ${message}`) : [];
}

test('a setting by network has the values of the networks that it names, in any order and case', () => {
  const { FINALITY_BLOCKS } = settingsOf({ FINALITY_BLOCKS: 'arbitrum=7200, BASE=5' });
  expect((['BASE', 'POLYGON', 'ARBITRUM'] as const).map((network) => FINALITY_BLOCKS.get(network))).toEqual([
    5,
    undefined,
    7_200,
  ]);
  expect(settingsOf({}).FINALITY_BLOCKS.size).toBe(0);
});

test('a setting by network that cannot be read is named with the network and the rule', () => {
  const form =
    'must be NETWORK=VALUE, or several of them separated by commas, where NETWORK is base, polygon or arbitrum';
  for (const [value, problem] of [
    ['900', form],
    ['bse=900', form],
    ['solana=32', form],
    ['base=900,', form],
    ['base=many', 'base must be a whole number from 1 to 1000000'],
    ['base=1,polygon=2,base=3', 'base must have one value'],
  ] as const)
    expect(problemsOf({ FINALITY_BLOCKS: value }), value).toEqual([`FINALITY_BLOCKS: ${problem}`]);
  expect(problemsOf({ COIN_PRICES: 'btc=60000' })).toEqual([
    'COIN_PRICES: must be COIN=VALUE, or several of them separated by commas, where COIN is eth, pol or sol',
  ]);
});

test('a facilitator is set for all networks, for single ones, or for some and the rest', () => {
  const urlsFor = (value: string) => {
    const { FACILITATOR_URL } = settingsOf({ FACILITATOR_URL: value });
    return (['BASE', 'SOLANA'] as const).map((network) => FACILITATOR_URL.get(network));
  };
  expect(urlsFor('')).toEqual([undefined, undefined]);
  expect(urlsFor('https://one.example.com/')).toEqual(['https://one.example.com', 'https://one.example.com']);
  expect(urlsFor('base=https://one.example.com')).toEqual(['https://one.example.com', undefined]);
  expect(urlsFor('https://one.example.com,solana=https://two.example.com')).toEqual([
    'https://one.example.com',
    'https://two.example.com',
  ]);
  expect(problemsOf({ FACILITATOR_URL: 'base=one' })).toEqual([
    'FACILITATOR_URL: base must be an http or https URL such as https://api.example.com',
  ]);
  expect(problemsOf({ FACILITATOR_URL: 'https://one.example.com,https://two.example.com' })).toEqual([
    'FACILITATOR_URL: must have one value',
  ]);
});

test('the key of a facilitator is a bearer token, or an API key with its ID', () => {
  const keysFor = (value: string) => settingsOf({ FACILITATOR_KEY: value }).FACILITATOR_KEY;
  const secret = keyPairSecret();
  expect(keysFor('abc.def-123==').get('BASE')).toEqual({ token: 'abc.def-123==' });
  const mixed = keysFor(`token,base=some-id:${secret}`);
  expect(mixed.get('BASE')).toMatchObject({ id: 'some-id', key: { issuer: 'coinbase' } });
  expect(mixed.get('POLYGON')).toEqual({ token: 'token' });
});

test('the least configuration has no problems', () => {
  expect(problemsOf({})).toEqual([]);
});

test('a setting that breaks its rule is named with the rule in plain words, and never with its value', () => {
  const hostile = [
    '?',
    'hunter2-value',
    '-1',
    '1.5',
    'a,b',
    '0x12',
    'hunter2@value://',
    'NaN',
    '99999999999',
  ];
  const plain = /^(value \d of \d )?(must|is required|has|needs|cannot|set the|an API key has)\b/;
  const library = /expected|received|invalid|too (small|big)|NaN|undefined|string|input|array|>=|<=/i;
  const names = Object.keys(settingsSchema.shape);
  const wrong: string[] = [];
  for (const name of names) {
    let refused = 0;
    for (const value of hostile) {
      for (const problem of problemsOf({ [name]: value })) {
        refused += 1;
        const [about = '', message = ''] = problem.split(/: (.*)/s);
        const isPlain = names.includes(about) && plain.test(message) && !library.test(message);
        if (!isPlain || problem.includes('hunter2')) wrong.push(problem);
      }
    }
    const takesAnyText =
      /^(HOST|STORAGE_DIR|CHROMIUM_PATH|MPP_REALM|S3_(BUCKET|REGION|ACCESS_KEY_ID|SECRET_ACCESS_KEY)|\w+_(API_KEY|FACILITATOR_TOKEN)|OPERATOR_(NAME|ADDRESS|LAW))$/;
    if (!takesAnyText.test(name) && refused === 0) wrong.push(`${name} has no rule`);
  }
  expect(wrong).toEqual([]);
});

test('a setting that is missing is required, whatever kind it is', () => {
  const read = readSettings({});
  const problems = 'problems' in read ? read.problems : [];
  expect(problems).toEqual(
    ['DATABASE_URL', 'PUBLIC_URL', 'FILES_URL', 'DATA_KEY'].map((name) => ({ name, message: 'is required' })),
  );
});

test('one of several values is named by its place', () => {
  const key = generatePrivateKey();
  expect(problemsOf({ DATA_KEY: `${well.DATA_KEY},short` })).toEqual([
    'DATA_KEY: value 2 of 2 must be base64 of 32 bytes',
  ]);
  expect(problemsOf({ SETTLEMENT_KEYS_EVM: `0x1,${key}` })).toEqual([
    'SETTLEMENT_KEYS_EVM: value 1 of 2 must be 0x and 64 hex characters',
  ]);
  expect(problemsOf({ MPP_SECRETS: 'short' })).toEqual(['MPP_SECRETS: must have at least 32 characters']);
});

test('an EVM address whose letters fail their checksum is refused, wherever one is set', () => {
  const right = '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359';
  const mistyped = right.replace('fB69', 'fb69');
  const wrongDigit = right.replace('6095', '6096');
  for (const value of [mistyped, wrongDigit]) {
    for (const name of ['PAY_TO_EVM', 'REFUNDS_FROM_EVM'])
      expect(problemsOf({ [name]: value }), name).toEqual([
        expect.stringMatching(`^${name}: has a letter in .*EIP-55`),
      ]);
    for (const network of ['base', 'polygon', 'arbitrum'])
      expect(problemsOf({ USDC_ADDRESS: `${network}=${value}` }), network).toEqual([
        expect.stringMatching(`^USDC_ADDRESS: ${network} has a letter in .*EIP-55`),
      ]);
  }
  expect(problemsOf({ REFUNDS_FROM_EVM: `${payTo},${mistyped}` })).toEqual([
    expect.stringMatching(/^REFUNDS_FROM_EVM: value 2 of 2 has a letter/),
  ]);
  const upper = `0x${payTo.slice(2).toUpperCase()}`;
  for (const value of [payTo, payTo.toLowerCase(), upper])
    expect(problemsOf({ PAY_TO_EVM: value })).toEqual([]);
  expect(problemsOf({ PAY_TO_EVM: `0x${'0'.repeat(40)}` })).toEqual([
    expect.stringContaining('zero address'),
  ]);
});

test('money is not received at the address of a key that is on the server', () => {
  const [key, other] = [generatePrivateKey(), generatePrivateKey()];
  const address = privateKeyToAddress(key);
  const solana = newSolanaWallet();
  const keys = { SETTLEMENT_KEYS_EVM: `${other},${key}`, SETTLEMENT_KEY_SOLANA: solana.secretKey };
  expect(problemsOf({ ...keys, PAY_TO_SOLANA: newSolanaWallet().address })).toEqual([]);
  for (const value of [address, address.toLowerCase()])
    expect(problemsOf({ ...keys, PAY_TO_EVM: value })).toEqual([
      expect.stringMatching(/^PAY_TO_EVM: must not be the address of a key in SETTLEMENT_KEYS_EVM/),
    ]);
  expect(problemsOf({ ...keys, REFUNDS_FROM_EVM: `${payTo},${address}` })).toEqual([
    expect.stringMatching(/^REFUNDS_FROM_EVM: must not be .* SETTLEMENT_KEYS_EVM/),
  ]);
  const channels = { BATCH_SETTLEMENT: 'base', BATCH_AUTHORIZER_KEY: key };
  expect(problemsOf({ ...channels, PAY_TO_EVM: address })).toEqual([
    expect.stringMatching(/^PAY_TO_EVM: must not be the address of a key in BATCH_AUTHORIZER_KEY/),
  ]);
  for (const name of ['PAY_TO_SOLANA', 'REFUNDS_FROM_SOLANA'])
    expect(problemsOf({ ...keys, [name]: solana.address })).toEqual([
      expect.stringMatching(`^${name}: must not be the address of a key in SETTLEMENT_KEY_SOLANA`),
    ]);
});

test('money is not received at the address of a token, from which nobody can send it', () => {
  const own = privateKeyToAddress(generatePrivateKey());
  for (const { usdc, family } of [...networkTable.main, ...networkTable.test])
    for (const name of family === 'evm'
      ? ['PAY_TO_EVM', 'REFUNDS_FROM_EVM']
      : ['PAY_TO_SOLANA', 'REFUNDS_FROM_SOLANA'])
      for (const value of family === 'evm' ? [usdc, usdc.toLowerCase()] : [usdc])
        expect(problemsOf({ [name]: value })).toEqual([`${name}: ${ofToken}`]);
  expect(problemsOf({ PAY_TO_EVM: own, USDC_ADDRESS: `arbitrum=${own}` })).toEqual([
    `PAY_TO_EVM: ${ofToken}`,
  ]);
  const mint = newSolanaWallet().address;
  expect(problemsOf({ PAY_TO_SOLANA: mint, USDC_ADDRESS: `solana=${mint}` })).toEqual([
    `PAY_TO_SOLANA: ${ofToken}`,
  ]);
});

const ofToken = 'must not be the address of the token, because nobody has its key';

test('the key that signs claims of channels is no settlement key', () => {
  const [key, other] = [generatePrivateKey(), generatePrivateKey()];
  const channels = { BATCH_SETTLEMENT: 'base', BATCH_AUTHORIZER_KEY: key };
  expect(problemsOf({ ...channels, SETTLEMENT_KEYS_EVM: other })).toEqual([]);
  for (const same of [key, `0x${key.slice(2).toUpperCase()}`])
    expect(problemsOf({ ...channels, SETTLEMENT_KEYS_EVM: `${other},${same}` })).toEqual([
      expect.stringMatching(/^BATCH_AUTHORIZER_KEY: must not be a key in SETTLEMENT_KEYS_EVM/),
    ]);
});

test('a settlement key that is none is refused by its name', () => {
  expect(problemsOf({ SETTLEMENT_KEYS_EVM: `0x${'0'.repeat(64)}` })).toEqual([
    'SETTLEMENT_KEYS_EVM: must be a private key, and this number is none',
  ]);
  const [one, other] = [newSolanaWallet(), newSolanaWallet()];
  expect(problemsOf({ SETTLEMENT_KEY_SOLANA: one.secretKey.slice(0, 60) })).toEqual([
    expect.stringMatching(/^SETTLEMENT_KEY_SOLANA: must be base58 of 64 bytes/),
  ]);
  expect(
    problemsOf({ SETTLEMENT_KEY_SOLANA: one.secretKey.slice(0, 44) + other.secretKey.slice(44) }),
  ).toEqual([expect.stringMatching(/^SETTLEMENT_KEY_SOLANA: must be /)]);
  expect(problemsOf({ PAY_TO_SOLANA: one.address.slice(4) })).toEqual([
    expect.stringMatching(/^PAY_TO_SOLANA: must be a Solana address/),
  ]);
});

test('a password that splits the URL of the database is refused with what to write instead, and is not printed', () => {
  for (const character of ['/', '#', '?'])
    for (const password of [
      `hunter${character}two`,
      `12${character}two`,
      `${character}two`,
      `two${character}`,
    ]) {
      const [problem = '', ...others] = problemsOf({
        DATABASE_URL: `postgresql://tuppence:${password}@localhost:5432/tuppence`,
      });
      expect(others).toEqual([]);
      expect(problem, password).toMatch(
        /^DATABASE_URL: has a character in its user or password .*%2F for \/, %23 for #/,
      );
      expect(problem).not.toMatch(/hunter|two/);
    }
  for (const address of [
    'postgresql://tuppence:hunter%2F%23%3F%40%25two@localhost:5432/tuppence',
    'postgresql://tuppence:p@ss@localhost/tuppence',
    'postgresql://tuppence:100%safe@localhost/tuppence',
    'postgres://localhost/tuppence?sslmode=require',
    'postgresql://tuppence:secret@[::1]:5432/tuppence',
    'postgresql:///tuppence?host=/var/run/postgresql',
    'postgresql://tuppence:secret@/tuppence?host=/var/run/postgresql',
    'postgresql://tuppence@%2Fvar%2Frun%2Fpostgresql/tuppence',
  ])
    expect(problemsOf({ DATABASE_URL: address }), address).toEqual([]);
});

test('an address of another database system is refused', () => {
  for (const address of [
    'mysql://x',
    'mysql://u:p@host/db',
    'localhost:5432',
    'tuppence',
    'https://db.example.com',
  ])
    expect(problemsOf({ DATABASE_URL: address }), address).toEqual([
      expect.stringMatching(/^DATABASE_URL: must be a URL such as postgresql:\/\//),
    ]);
});

test('a variable that looks like a setting is named, with the setting that it was meant to be', () => {
  const similar = (name: string) => misspeltIn({ [name]: 'x' }).map((found) => found.similar);
  for (const [name, meant] of [
    ['BASE_RPC', 'BASE_RPC_URL'],
    ['BASE_RPC_URLS', 'BASE_RPC_URL'],
    ['BASE_URL_RPC', 'BASE_RPC_URL'],
    ['POLGYON_RPC_URL', 'POLYGON_RPC_URL'],
    ['base_rpc_url', 'BASE_RPC_URL'],
    ['PAY_TO_EMV', 'PAY_TO_EVM'],
    ['DATABASE_URI', 'DATABASE_URL'],
    ['TRUSTED_PROXY', 'TRUSTED_PROXIES'],
    ['NETWORK', 'NETWORKS'],
    ['LOGLEVEL', 'LOG_LEVEL'],
    ['DATAKEY', 'DATA_KEY'],
    ['S3_ACCESS_KEY', 'S3_ACCESS_KEY_ID'],
    ['SETTLEMENT_KEY_EVM', 'SETTLEMENT_KEYS_EVM'],
  ] as const)
    expect(similar(name), name).toEqual([meant]);
  expect(similar('POLYGON_CONFIRMATIONS')).toEqual([null]);
  // Common in the environment of a process, or ours for other programs.
  for (const name of [
    'HOME',
    'PATH',
    'HOSTNAME',
    'NODE_ENV',
    'PWD',
    'POSTGRES_PASSWORD',
    'BASE_URL',
    'PRIVATE_KEY',
  ])
    expect(similar(name), name).toEqual([]);
  for (const name of [
    'RENDER_SERVICE_ID',
    'AWS_ACCESS_KEY_ID',
    'TUPPENCE_PORT',
    'BASE_SERVICE_HOST',
    'http_proxy',
  ])
    expect(similar(name), name).toEqual([]);
  expect(misspeltIn(well)).toEqual([]);
});

test('a misspelt setting on which money depends stops the start, unless the right one is set too', () => {
  for (const [name, message] of [
    ['NETWORK', 'is not a setting. Did you mean NETWORKS?'],
    ['FINALITY_BLOCK', 'is not a setting. Did you mean FINALITY_BLOCKS?'],
    ['BASE_FINALITY_BLOCKS', 'is not a setting. Did you mean FINALITY_BLOCKS?'],
    ['SETTLEMENT_KEY_EVM', 'is not a setting. Did you mean SETTLEMENT_KEYS_EVM?'],
  ] as const)
    expect(problemsOf({ [name]: 'hunter2' })).toEqual([`${name}: ${message}`]);
  expect(problemsOf({ NETWORK: 'host', NETWORKS: 'main' })).toEqual([]);
  expect(problemsOf({ POLYGON_RPC: 'x', LOGLEVEL: 'debug' })).toEqual([]);
});

test('beside other problems, a misspelt setting is named too', () => {
  expect(problemsOf({ BASE_RPC_URL: '', BASE_RPC: 'https://rpc.example.com' })).toEqual([
    'BASE_RPC: is not a setting. Did you mean BASE_RPC_URL?',
    'BASE_RPC_URL: set the RPC of at least one network',
  ]);
});
