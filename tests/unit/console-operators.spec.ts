import { createHash } from 'node:crypto';
import { checkTokens } from '@/lib/operator/doctor/examine-installation';
import { consoleOperators, operatorWithToken } from '@/lib/platform/console-operators';
import { testPlatform } from '../support/platform';
import { expect, test } from '../support/without-browser';

const hashOf = (token: string) => createHash('sha256').update(token).digest('hex');
const tokens = {
  alice: 'the-token-of-alice-wxyz',
  bob: 'the-token-of-bob-wxyz',
  shared: 'the-token-that-several-share',
};
const alice = `alice:full:${hashOf(tokens.alice)}`;
const bob = `bob:read:${hashOf(tokens.bob)}`;

test('each token opens the console as its operator, and no other text does', () => {
  const { settings } = testPlatform({ OPERATORS: `${alice}, ${bob}`, OPERATOR_TOKEN: tokens.shared });
  expect(operatorWithToken(settings, tokens.alice)).toMatchObject({ name: 'alice', role: 'full' });
  expect(operatorWithToken(settings, tokens.bob)).toMatchObject({ name: 'bob', role: 'read' });
  expect(operatorWithToken(settings, tokens.shared)).toMatchObject({ name: null, role: 'full' });
  for (const given of ['', 'alice', hashOf(tokens.alice), `${tokens.alice} `, tokens.alice.slice(1), alice])
    expect(operatorWithToken(settings, given), given).toBeNull();
});

test('a token that could be guessed opens nothing, although its hash is listed', () => {
  const { settings } = testPlatform({ OPERATORS: `eve:full:${hashOf('password')}`, OPERATOR_TOKEN: '' });
  expect(operatorWithToken(settings, 'password')).toBeNull();
});

test('without any token of an operator nobody can sign in', () => {
  const { settings } = testPlatform({ OPERATOR_TOKEN: '', OPERATORS: '' });
  expect(consoleOperators(settings)).toEqual([]);
  expect(operatorWithToken(settings, '')).toBeNull();
});

test('operators that cannot be told apart, or are not described as they should be, are reported without a value', () => {
  const hash = hashOf(tokens.bob);
  for (const [settings, problem] of [
    [{ OPERATORS: `${alice},bob` }, 'OPERATORS: value 2 of 2 must be NAME:ROLE:SHA256'],
    [{ OPERATORS: `${alice},${bob},` }, 'OPERATORS: value 3 of 3 must be NAME:ROLE:SHA256'],
    [{ OPERATORS: `bob smith:read:${hash}` }, 'OPERATORS: must begin with a name'],
    [
      { OPERATORS: `bob:admin:${hash}` },
      'OPERATORS: must have one of these roles after the name: read, moderate, full',
    ],
    [
      { OPERATORS: `bob:read:${tokens.bob}` },
      'OPERATORS: must end with the SHA-256 of a token, 64 hex characters',
    ],
    [
      { OPERATORS: `${bob},Bob:full:${hashOf('another')}` },
      'OPERATORS: value 2 of 2 has the name of another operator',
    ],
    [{ OPERATORS: `${bob},carol:full:${hash}` }, 'OPERATORS: value 2 of 2 has the token of another operator'],
    [
      { OPERATORS: `${alice},${bob}`, OPERATOR_TOKEN: tokens.bob },
      'OPERATORS: has an operator whose token is also OPERATOR_TOKEN',
    ],
    [
      { OPERATORS: bob, METRICS_TOKEN: tokens.bob },
      'OPERATORS: has an operator whose token is also METRICS_TOKEN',
    ],
    [
      { OPERATORS: bob, CRON_SECRET: tokens.bob },
      'OPERATORS: has an operator whose token is also CRON_SECRET',
    ],
    [
      { OPERATOR_TOKEN: tokens.shared, METRICS_TOKEN: tokens.shared },
      'METRICS_TOKEN: must not be OPERATOR_TOKEN',
    ],
    [{ METRICS_TOKEN: 'short' }, 'METRICS_TOKEN: must have at least 16 characters'],
  ] as const) {
    const read = () => testPlatform(settings);
    expect(read, problem).toThrow(`\n  ${problem}`);
    for (const secret of [...Object.values(tokens), hash]) expect(read).not.toThrow(secret);
  }
});

test('doctor says which tokens are easy to guess, and which open more than their holders need', () => {
  const found = (changed: Record<string, string>) =>
    checkTokens(
      testPlatform({ OPERATOR_TOKEN: '', METRICS_TOKEN: '', CRON_SECRET: '', ...changed }).settings,
    ).map(({ about, status }) => `${status} ${about}`);
  expect(found({})).toEqual([]);
  expect(found({ OPERATOR_TOKEN: tokens.shared })).toEqual(['warning METRICS_TOKEN']);
  expect(found({ OPERATOR_TOKEN: tokens.shared, METRICS_TOKEN: 'aaaaaaaaaaaaaaaabbbb' })).toEqual([
    'failed METRICS_TOKEN',
  ]);
  expect(
    found({ OPERATOR_TOKEN: tokens.shared, METRICS_TOKEN: tokens.bob, CRON_SECRET: tokens.bob }),
  ).toEqual(['warning CRON_SECRET']);
});
