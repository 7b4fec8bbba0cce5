import { InMemoryClientChannelStorage } from '@x402/evm/batch-settlement/client';
import type { PrivateKeyAccount } from 'viem/accounts';
import { aFile } from '../support/files';
import { expect, test } from './fixtures';
import { buy, channelClient, channelOf, startChannelRig } from './rig/channels';
import { callsOf } from './rig/found';
import type { Rig } from './rig/rig';

// The official client, unmodified.

const price = 5_000;

let rig: Rig;
test.beforeAll(async () => {
  rig = await startChannelRig({
    settings: { BATCH_DEPOSIT_USDC_MIN: '0.25', BATCH_DEPOSIT_USDC_MAX: '0.25' },
  });
});
test.afterAll(() => rig.close());

async function expectCharged(payer: PrivateKeyAccount, calls: number): Promise<void> {
  expect((await channelOf(rig, payer)).charged).toBe(calls * price);
  const delivered = (await callsOf(rig, payer.address)).filter(({ state }) => state === 'delivered');
  expect(delivered).toHaveLength(calls);
}

/** Loses the answer to the nth request that pays, after the server has given it. */
function losingAnswer(nth: number): typeof globalThis.fetch {
  let paid = 0;
  return async (input, init) => {
    const request = new Request(input, init);
    const answer = await globalThis.fetch(request);
    if (!request.headers.has('PAYMENT-SIGNATURE')) return answer;
    paid += 1;
    if (paid === nth) throw new TypeError('the connection was lost');
    return answer;
  };
}

for (const [what, nth] of [
  ['the deposit', 1],
  ['a voucher', 2],
] as const) {
  test(`an answer to ${what} is lost: the client repeats the call, gets the answer, and is in step again`, async () => {
    const payer = await rig.newEvmPayer();
    const storage = new InMemoryClientChannelStorage();
    const { fetch } = channelClient(rig, payer, { storage, fetch: losingAnswer(nth) });
    const call = { method: 'POST', ...aFile() };
    const url = `${rig.apiUrl}/v1/uploads`;
    if (nth === 2) await buy(rig, fetch);
    await expect(fetch(url, call)).rejects.toThrow('the connection was lost');
    const again = await fetch(url, call);
    expect([again.status, again.headers.get('Idempotent-Replayed')]).toEqual([200, 'true']);
    await expectCharged(payer, nth);
    await buy(rig, fetch, 2);
    await expectCharged(payer, nth + 2);
  });
}

test('a client that has forgotten its channel goes on where it stands', async () => {
  const payer = await rig.newEvmPayer();
  await buy(rig, channelClient(rig, payer).fetch, 2);
  await buy(rig, channelClient(rig, payer).fetch, 2);
  await expectCharged(payer, 4);
});

test('a client that lost its channel and cannot read the chain is told why, and pays nothing twice', async () => {
  const payer = await rig.newEvmPayer();
  await buy(rig, channelClient(rig, payer).fetch, 2);
  const { fetch } = channelClient(rig, payer, { readsChain: false });
  const answer = await fetch(`${rig.apiUrl}/v1/uploads`, { method: 'POST', ...aFile() });
  expect([answer.status, (await answer.json()).error]).toEqual([
    402,
    'invalid_batch_settlement_evm_cumulative_amount_mismatch',
  ]);
  await expectCharged(payer, 2);
});

test('a channel that runs out is topped up by the next call', async () => {
  const payer = await rig.newEvmPayer();
  const { fetch } = channelClient(rig, payer);
  await buy(rig, fetch, 52);
  await expectCharged(payer, 52);
  expect((await channelOf(rig, payer)).balance).toBeGreaterThan(250_000);
});

test('an idempotency key gets its answer again, whatever voucher comes with it, and charges nothing more', async () => {
  const payer = await rig.newEvmPayer();
  const { fetch } = channelClient(rig, payer);
  const call = { method: 'POST', ...aFile() };
  const headers = { 'Idempotency-Key': 'the-same-upload' };
  const url = `${rig.apiUrl}/v1/uploads`;
  const first = await fetch(url, { ...call, headers });
  await buy(rig, fetch);
  const again = await fetch(url, { ...call, headers });
  expect((await again.json()).id).toBe((await first.json()).id);
  await expectCharged(payer, 2);
  await buy(rig, fetch);
  await expectCharged(payer, 3);
});
