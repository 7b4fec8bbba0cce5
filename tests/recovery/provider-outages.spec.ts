import { randomUUID } from 'node:crypto';
import { neural } from '@/lib/catalog';
import { type FailingProvider, startFailingProvider } from '../support/failing-provider';
import { breakingTimings } from '../support/timings';
import { expect, test } from './fixtures';
import { fundedAccount, payFrom } from './rig/accounts';
import { transfersOf, untilState } from './rig/found';
import { ask, persist, sign } from './rig/requests';
import type { Rig } from './rig/rig';
import { until } from './rig/waiting';

let provider: FailingProvider;
test.beforeEach(async ({ rig }) => {
  provider = await startFailingProvider();
  await rig.restart({ EXA_BASE_URL: provider.url }, timings);
});
test.afterEach(async ({ rig }) => {
  await provider.down();
  await rig.kill();
});

/** As in production, but an operation is tried again soon. */
const timings = {
  ...breakingTimings,
  providers: { ...breakingTimings.providers, unreachableMs: 300, outageMs: 1_000, outageMaxMs: 1_000 },
};

const order = () => ({ path: '/neural/search', body: JSON.stringify({ query: randomUUID() }) });

const statusOf = async (rig: Rig, id: string) => (await fetch(`${rig.apiUrl}/v1/paid-calls/${id}`)).json();

test('a paid call that could not be sent is delivered when the provider is back, and bought there once', async ({
  rig,
}) => {
  const request = await sign(rig, await rig.newEvmPayer(), order());
  await provider.downAfterOneConnection();
  const first = await ask(request);
  expect(first.body.error).toMatchObject({
    code: 'delivery_requires_reconciliation',
    reason: 'provider_unreachable',
    payment: 'kept',
    retry: 'same_request',
  });
  expect(first.headers.get('retry-after')).toBeTruthy();
  expect(await statusOf(rig, first.body.error.paidCallId)).toMatchObject({
    state: 'settled',
    reason: 'provider_unreachable',
  });
  await provider.up();
  expect((await persist(request)).status).toBe(200);
  expect(provider.calls).toBe(1);
  expect(await transfersOf(rig, request.payer)).toHaveLength(1);
  expect(await rig.audit()).toEqual([]);
});

test('a paid call that could not be sent for a while is on the worklist with its reason, and is never kept', async ({
  rig,
}) => {
  await rig.restart({ EXA_BASE_URL: provider.url, WORKLIST_LIMIT: '1' }, timings);
  const request = await sign(rig, await rig.newEvmPayer(), order());
  await provider.downAfterOneConnection();
  expect((await ask(request)).body.error.reason).toBe('provider_unreachable');
  const { id } = await untilState(rig, request.payer, 'needs_attention');
  expect(await statusOf(rig, id)).toMatchObject({ reason: 'provider_unreachable', payment: 'kept' });
  expect((await ask(request)).body.error).toMatchObject({
    code: 'delivery_needs_attention',
    reason: 'provider_unreachable',
    payment: 'kept',
    retry: 'stop',
  });
  const listed = await rig.tuppence('worklist', '--json');
  const items = listed.output
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { id: string });
  expect(items.find((item) => item.id === id)).toMatchObject({
    kind: 'needs_attention',
    reason: 'provider_unreachable',
  });
  const paused = async () => (await (await fetch(`${rig.apiUrl}/health/ready`)).json()).paused ?? [];
  await until('it counts for WORKLIST_LIMIT', async () => (await paused()).includes('neural.search'));
  expect(provider.calls).toBe(0);
  expect(await rig.audit()).toEqual([]);
});

test('an account gets its money back by itself, once, when nothing could be sent for its call', async ({
  rig,
}) => {
  const account = await fundedAccount(rig);
  const read = async (path: string) =>
    (await fetch(`${rig.apiUrl}${path}`, { headers: { Authorization: `Bearer ${account.token}` } })).json();
  const before = await read('/v1/account');
  const request = payFrom(rig, account, neural.search, order());
  await provider.downAfterOneConnection();
  const first = await ask(request);
  expect(first.body.error).toMatchObject({
    code: 'call_refunded',
    reason: 'provider_unreachable',
    payment: 'refunded',
  });
  expect(await read('/v1/account')).toEqual(before);
  expect((await ask(request)).body.error.code).toBe('call_refunded');
  expect(await read('/v1/account')).toEqual(before);
  expect(await statusOf(rig, first.body.error.paidCallId)).toMatchObject({
    state: 'refunded',
    payment: 'refunded',
    refund: { state: 'confirmed', accountId: account.accountId },
  });
  expect(await rig.audit()).toEqual([]);
});
