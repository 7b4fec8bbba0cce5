import { generateKeyPairSync } from 'node:crypto';
import { parseSettings, settingsSchema } from '@/lib/platform/settings';
import { testPlatform } from '../support/platform';
import { expect, test } from '../support/without-browser';
import { read } from './sources';

/** `NAME=` and `# NAME=` lines: settings that are required, and settings that have a default. */
const exampleNames = [...read('.env.example').matchAll(/^(?:# )?([A-Z][A-Z0-9_]*)=/gm)].map(
  ([, name]) => name,
);

test('.env.example lists every setting, once, in the order of the schema', () => {
  expect(exampleNames).toEqual(Object.keys(settingsSchema.shape));
});

test('.env.example describes every group of settings', () => {
  for (const block of read('.env.example').trim().split(/\n\n+/)) {
    expect(block.split('\n')[0], block).toMatch(/^# \S/);
  }
});

test('.env.example contains no key or secret', () => {
  expect(read('.env.example')).not.toMatch(/=(0x[0-9a-f]{64}|[1-9A-HJ-NP-Za-km-z]{80,}|[A-Za-z0-9+/]{43}=)/);
});

test('API keys that cannot be used are reported, without their values', () => {
  const report = (settings: Record<string, string>) => {
    try {
      testPlatform(settings);
      return '';
    } catch (error) {
      return String(error);
    }
  };
  // A seed with a public key that does not match it; an RSA key; base64 of something else.
  const cut = Buffer.alloc(64, 7).toString('base64');
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  const pem = privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();
  for (const secret of [cut, pem, `payai_sk_${cut}`, 'c2VjcmV0']) {
    const found = report({ FACILITATOR_KEY: `base=some-id:${secret}` });
    expect(found).toMatch(/FACILITATOR_KEY: base must be a bearer token, or ID:SECRET of an API key/);
    expect(found).not.toContain(secret);
  }
  const unfinished = report({ FACILITATOR_KEY: 'some-id:' });
  expect(unfinished).toMatch(/FACILITATOR_KEY: must be a bearer token/);
  expect(unfinished).not.toMatch(/some-/);
});

test('a limit that is not a number, or out of its range, is reported with its name and its rule', () => {
  for (const [name, value, rule] of [
    ['RATE_LIMIT_FACTOR', '-1', 'a number from 0 to 1000000'],
    ['LINK_DOWNLOADS_PER_DAY', '1.5', 'a whole number from 0 to 1000000000'],
    ['LINK_GIB_PER_DAY', '20 GiB', 'a number from 0 to 1000000'],
    ['UNCHARGED_WORK_FACTOR', 'none', 'a number from 0 to 1000000'],
    ['FORM_WAITS_MAX', '1001', 'a whole number from 0 to 1000'],
    ['WORKLIST_LIMIT', 'Infinity', 'a whole number from 0 to 1000'],
  ] as const)
    expect(() => testPlatform({ [name]: value })).toThrow(`\n  ${name}: must be ${rule}\n`);
  expect(testPlatform({ LINK_GIB_PER_DAY: '0.5' }).settings.LINK_GIB_PER_DAY).toBe(0.5);
});

test('a server without settings reports all missing ones at once, by name and without values', () => {
  expect(() => parseSettings({ DATA_KEY: 'not-a-key-but-secret' })).toThrow(
    /DATABASE_URL[\s\S]*PUBLIC_URL[\s\S]*FILES_URL[\s\S]*DATA_KEY/,
  );
  expect(() => parseSettings({ DATA_KEY: 'not-a-key-but-secret' })).not.toThrow(/not-a-key-but-secret/);
});

test('payment channels need a key, their network and our own settlement, and are off by default', () => {
  const key = `0x${'5a'.repeat(32)}`;
  const well = { BATCH_SETTLEMENT: 'base', BATCH_AUTHORIZER_KEY: key };
  expect(testPlatform().settings.BATCH_SETTLEMENT).toBe(undefined);
  expect(testPlatform(well).settings).toMatchObject({
    BATCH_DEPOSIT_USDC_MIN: '1',
    BATCH_DEPOSIT_USDC_MAX: '5',
  });
  for (const [settings, problem] of [
    [{ ...well, BATCH_AUTHORIZER_KEY: '' }, 'BATCH_AUTHORIZER_KEY: is required for BATCH_SETTLEMENT'],
    [{ ...well, BATCH_SETTLEMENT: 'solana' }, 'BATCH_SETTLEMENT: '],
    [
      { ...well, BATCH_SETTLEMENT: 'polygon', POLYGON_RPC_URL: '' },
      'BATCH_SETTLEMENT: needs POLYGON_RPC_URL',
    ],
    [
      { ...well, FACILITATOR_URL: 'https://example.com' },
      'BATCH_SETTLEMENT: cannot be set beside FACILITATOR_URL for base',
    ],
    [{ ...well, BATCH_DEPOSIT_USDC_MIN: '0.2' }, 'BATCH_DEPOSIT_USDC_MIN: must be at least 0.25'],
    [
      { ...well, BATCH_DEPOSIT_USDC_MIN: '6' },
      'BATCH_DEPOSIT_USDC_MAX: must be at least BATCH_DEPOSIT_USDC_MIN',
    ],
  ] as const)
    expect(() => testPlatform(settings), problem).toThrow(`\n  ${problem}`);
});
