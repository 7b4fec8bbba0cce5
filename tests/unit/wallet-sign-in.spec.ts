import { rateLimits } from '@/lib/catalog/rate-limits';
import { RateLimits } from '@/lib/http/rate-limit';
import { spendingCsv } from '@/lib/http/wallet-lists';
import {
  boughtTerms,
  issueSignIn,
  listTerms,
  messageRefusal,
  readSignIn,
  type SignedIn,
} from '@/lib/payments/sign-in/sign-in-message';
import { type Clock, systemClock } from '@/lib/platform/clock';
import { testPlatform } from '../support/platform';
import { expect, test } from '../support/without-browser';

const uri = 'https://api.example.com/v1/wallet/calls';
const terms = listTerms(uri);
const key = (byte: number) => Buffer.alloc(32, byte).toString('base64');

/** A clock that is this many milliseconds fast. */
const fastBy = (ms: number): Clock => ({
  ...systemClock,
  now: () => systemClock.now() + ms,
  date: () => new Date(systemClock.now() + ms),
});

const signed = (message: object): SignedIn => ({
  ...(message as SignedIn),
  address: '0x0000000000000000000000000000000000000001',
  chainId: 'eip155:8453',
  type: 'eip191',
  signature: '0x',
});

test('a message is accepted for five minutes by every process that knows its key', () => {
  const issuer = testPlatform({ DATA_KEY: key(1) });
  const message = signed(issueSignIn(issuer, terms));
  const judge = (settings: Record<string, string>, ms = 0) =>
    messageRefusal(testPlatform(settings, fastBy(ms)), message, terms);
  expect(judge({ DATA_KEY: key(1) })).toBeNull();
  expect(judge({ DATA_KEY: `${key(2)},${key(1)}` }), 'after a rotation').toBeNull();
  expect(judge({ DATA_KEY: key(1) }, 295_000)).toBeNull();
  expect(judge({ DATA_KEY: key(1) }, 301_000)).toBe('invalid_siwx_expired');
  // The clock of a process may be some seconds behind that of another.
  expect(judge({ DATA_KEY: key(1) }, -9_000)).toBeNull();
  expect(judge({ DATA_KEY: key(1) }, -60_000)).toBe('invalid_siwx_issued_at_in_future');
  expect(judge({ DATA_KEY: key(2) })).toBe('invalid_siwx_nonce');
  expect(judge({ DATA_KEY: key(1), NETWORKS: 'test' }), 'of a test service').toBe('invalid_siwx_nonce');
});

test('a message is accepted only with our statement and resources, and without a request ID', () => {
  const app = testPlatform();
  const message = signed(issueSignIn(app, terms));
  const judge = (change: Partial<SignedIn>) => messageRefusal(app, { ...message, ...change }, terms);
  expect(judge({})).toBeNull();
  expect(judge({ statement: 'Welcome to Other.' })).toBe('invalid_siwx_statement');
  expect(judge({ statement: undefined })).toBe('invalid_siwx_statement');
  expect(judge({ resources: [] })).toBe('invalid_siwx_resources');
  expect(judge({ resources: [uri, uri] })).toBe('invalid_siwx_resources');
  expect(judge({ resources: ['https://other.example/'] })).toBe('invalid_siwx_resources');
  expect(judge({ requestId: '' })).toBe('invalid_siwx_request_id');
});

test('a message to list calls gets no stored response, and the other way round', () => {
  const app = testPlatform();
  const list = signed(issueSignIn(app, listTerms(uri)));
  const bought = signed(issueSignIn(app, boughtTerms(uri)));
  expect(messageRefusal(app, bought, boughtTerms(uri))).toBeNull();
  expect(messageRefusal(app, list, boughtTerms(uri))).toBe('invalid_siwx_statement');
  expect(messageRefusal(app, bought, listTerms(uri))).toBe('invalid_siwx_statement');
});

test('two messages never have the same nonce', () => {
  const app = testPlatform();
  const nonces = Array.from({ length: 1_000 }, () => issueSignIn(app, terms).nonce);
  expect(new Set(nonces).size).toBe(nonces.length);
});

test('a header of any length and content is read or refused', () => {
  const message = signed(issueSignIn(testPlatform(), terms));
  const header = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64');
  expect(readSignIn(header(message))).toEqual(message);
  expect(readSignIn(header({ ...message, unknown: 1 }))).toEqual(message);
  expect(readSignIn(header({ ...message, unknown: 'x'.repeat(16_384) }))).toBeNull();
  expect(readSignIn('')).toBeNull();
  expect(readSignIn(Buffer.from([0xff, 0xfe]).toString('base64'))).toBeNull();
});

test('the CSV has what each call has cost in the end', () => {
  const call = {
    id: 'pc_1',
    operation: 'uploads.create',
    state: 'delivered',
    price: '0.005',
    currency: 'USDC',
    network: 'base',
    transaction: '0xab',
    reason: null,
    payment: 'kept',
    retry: 'same_request',
    refund: null,
    createdAt: '2026-12-01T00:00:00.000Z',
    movedAt: '2026-12-01T00:00:01.000Z',
  } as const;
  const refund = {
    state: 'confirmed',
    amount: '0.005',
    currency: 'USDC',
    network: 'base',
    transaction: '0xcd',
    accountId: null,
    at: '2026-12-02T00:00:00.000Z',
  } as const;
  const calls = [
    call,
    { ...call, id: 'pc_2', state: 'refunded', payment: 'refunded', refund },
    { ...call, id: 'pc_3', state: 'unknown', payment: 'unknown', transaction: null },
    { ...call, id: 'pc_4', state: 'kept', operation: '=cmd' },
  ] as const;
  expect(spendingCsv(calls).split('\r\n')).toEqual([
    'date,operation,network,amount,currency,transaction,paidCallId,state,spent,refundTransaction',
    '2026-12-01T00:00:00.000Z,uploads.create,base,0.005,USDC,0xab,pc_1,delivered,0.005,',
    '2026-12-01T00:00:00.000Z,uploads.create,base,0.005,USDC,0xab,pc_2,refunded,0,0xcd',
    '2026-12-01T00:00:00.000Z,uploads.create,base,0.005,USDC,,pc_3,unknown,,',
    "2026-12-01T00:00:00.000Z,'=cmd,base,0.005,USDC,0xab,pc_4,kept,0.005,",
    '',
  ]);
});

test('sign-ins of a contract wallet do not use up the limit of the same address on another network', async () => {
  const limits = new RateLimits(1 / rateLimits.signIns.quota);
  const address = '0x0000000000000000000000000000000000000001';
  const isRefused = async (onlyOn: 'base' | 'polygon' | null) =>
    (await limits.countSignIn({ address, onlyOn })).refusal !== null;
  expect([await isRefused('polygon'), await isRefused('polygon')]).toEqual([false, true]);
  expect([await isRefused('base'), await isRefused('base')]).toEqual([false, true]);
  expect([await isRefused(null), await isRefused(null)]).toEqual([false, true]);
});
