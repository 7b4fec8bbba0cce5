import type { PaymentPayload } from '@x402/core/types';
import type { BatchSettlementVoucherPayload } from '@x402/evm';
import type { PrivateKeyAccount } from 'viem/accounts';
import { aFile } from '../support/files';
import { withdrawalTimings } from '../support/timings';
import { expect, test } from './fixtures';
import {
  buy,
  callContract,
  changed,
  channelClient,
  channelOf,
  configOf,
  send,
  signTotal,
  startChannelRig,
  type VoucherRequest,
} from './rig/channels';
import { callsOf } from './rig/found';
import type { Answer } from './rig/requests';
import type { Rig } from './rig/rig';
import { until } from './rig/waiting';

// Hostile envelopes for channels, and concurrent requests. Calls cost 5,000.

const price = 5_000n;
const deposited = 1_000_000n;
const mismatch = 'invalid_batch_settlement_evm_cumulative_amount_mismatch';

let rig: Rig;
test.beforeAll(async () => {
  rig = await startChannelRig({ timings: withdrawalTimings });
});
test.afterAll(() => rig.close());

/** A payer whose channel has paid for one call out of a one-dollar deposit. */
async function newPayer(): Promise<PrivateKeyAccount> {
  const payer = await rig.newEvmPayer();
  await buy(rig, channelClient(rig, payer).fetch);
  return payer;
}

async function deliveredTo({ address }: PrivateKeyAccount): Promise<number> {
  return (await callsOf(rig, address)).filter(({ state }) => state === 'delivered').length;
}

/** Envelope fields as a client might send them, which may not match our types. */
type Loose = Record<string, Record<string, unknown>>;

const withPayload = (request: VoucherRequest, change: (payload: Loose) => void) =>
  changed(request, (envelope) => change(envelope.payload as Loose));

function voucherOf({ payload }: PaymentPayload): BatchSettlementVoucherPayload['voucher'] {
  return (payload as unknown as BatchSettlementVoucherPayload).voucher;
}

/** Expects a refusal without a charge, by a 402 that states the reason. */
function expectRefused({ status, body, headers }: Answer, what: string): void {
  expect([what, status]).toEqual([what, 402]);
  expect([what, body.error]).toEqual([what, expect.stringMatching(/^[a-z0-9_]+$/)]);
  expect(headers.get('PAYMENT-RESPONSE')).toBeNull();
}

const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

/** Encodings of one signature. The contract accepts only the first. */
function formsOf(signature: string): Record<string, string> {
  const [r, s, v] = [signature.slice(2, 66), signature.slice(66, 130), signature.slice(130)];
  const isOdd = v === '1c';
  const highS = (order - BigInt(`0x${s}`)).toString(16).padStart(64, '0');
  const compact = ((BigInt(isOdd) << 255n) | BigInt(`0x${s}`)).toString(16).padStart(64, '0');
  return {
    'as signed': signature,
    'v of 0 or 1': `0x${r}${s}${isOdd ? '01' : '00'}`,
    'upper case': `0x${(r + s + v).toUpperCase()}`,
    'high s': `0x${r}${highS}${isOdd ? '1b' : '1c'}`,
    'high s, v of 0 or 1': `0x${r}${highS}${isOdd ? '00' : '01'}`,
    'other v': `0x${r}${s}${isOdd ? '1b' : '1c'}`,
    'v of 35': `0x${r}${s}23`,
    compact: `0x${r}${compact}`,
    padded: `${signature}00`,
    'wrapped for a contract wallet': `${signature}${'64'.repeat(32)}`,
    zeros: `0x${'00'.repeat(65)}`,
    empty: '0x',
  };
}

test('each form of a signature is refused, or made the one that the contract takes', async () => {
  const payer = await newPayer();
  let charged = price;
  const taken: string[] = [];
  const names = Object.keys(formsOf(`0x${'00'.repeat(65)}`));
  for (const name of names) {
    const request = await signTotal(rig, payer, { total: charged + price });
    const signature = formsOf(voucherOf(request.envelope).signature)[name];
    const answer = await send(
      withPayload(request, ({ voucher }) => Object.assign(voucher ?? {}, { signature })),
    );
    if (answer.status === 200) {
      taken.push(name);
      charged += price;
    } else expectRefused(answer, name);
  }
  expect(taken).toEqual(['as signed', 'v of 0 or 1', 'upper case']);
  // Nothing is claimed before the payer asks for everything. The newest voucher covers all calls.
  await callContract(rig, payer, 'initiateWithdraw', [await configOf(rig, payer), deposited]);
  await until('the claim', async () => BigInt((await channelOf(rig, payer)).claimed) === charged);
  expect(await deliveredTo(payer)).toBe(1 + taken.length);
  expect(await rig.audit()).toEqual([]);
});

test('vouchers for the last money of a channel, in any order on two servers, never go beyond it, and the client tops up', async () => {
  const { BATCH_AUTHORIZER_KEY = '' } = rig.serverEnv;
  const other = await startChannelRig({ beside: rig, settings: { BATCH_AUTHORIZER_KEY } });
  try {
    for (const isLastFirst of [false, true]) {
      const payer = await rig.newEvmPayer();
      const { fetch, scheme } = channelClient(rig, payer);
      await buy(rig, fetch);
      // Enough is left for exactly two more calls.
      await scheme.refund(`${rig.apiUrl}/v1/channels/refund`, { amount: '985000' });
      const requests = await Promise.all(
        [2n, 3n, 4n, 5n].map((calls) => signTotal(rig, payer, { total: calls * price })),
      );
      if (isLastFirst) requests.reverse();
      const answers = await Promise.all(
        requests.map((request, index) =>
          send(index % 2 ? request : { ...request, url: request.url.replace(rig.apiUrl, other.apiUrl) }),
        ),
      );
      const paid = answers.filter(({ status }) => status === 200).length;
      for (const { status, body } of answers.filter((answer) => answer.status !== 200))
        expect([status, body.error]).toEqual([402, mismatch]);
      expect(paid).toBeLessThanOrEqual(2);
      expect(await channelOf(rig, payer)).toMatchObject({ charged: Number(price) * (1 + paid) });
      expect(await deliveredTo(payer)).toBe(1 + paid);
      // The client is told, and continues until the money runs out. Then it deposits again.
      await buy(rig, fetch, 3);
      const { charged, balance } = await channelOf(rig, payer);
      expect([charged, balance]).toEqual([Number(price) * (4 + paid), 15_000 + 1_000_000]);
    }
    expect(await rig.audit()).toEqual([]);
  } finally {
    await other.close();
  }
});

test('parallel calls of one official client are charged once each or not at all', async () => {
  const payer = await newPayer();
  const { fetch } = channelClient(rig, payer);
  const files = Array.from({ length: 5 }, () => aFile());
  const ask = async (file: ReturnType<typeof aFile>) => {
    const answer = await fetch(`${rig.apiUrl}/v1/uploads`, { method: 'POST', ...file });
    return { status: answer.status, body: await answer.json(), headers: answer.headers };
  };
  const answers = await Promise.all(files.map(ask));
  for (const { status, headers } of answers) {
    expect([200, 402, 503]).toContain(status);
    if (status === 503) expect(headers.get('Retry-After')).not.toBeNull();
  }
  const paid = answers.filter(({ status }) => status === 200);
  expect(paid.length).toBeGreaterThan(0);
  expect(new Set(paid.map(({ body }) => body.id)).size).toBe(paid.length);
  expect(await channelOf(rig, payer)).toMatchObject({ charged: Number(price) * (1 + paid.length) });
  // The calls that lost are bought by retries, one after another.
  for (const [index, file] of files.entries())
    if (answers[index]?.status !== 200) expect((await ask(file)).status).toBe(200);
  expect(await channelOf(rig, payer)).toMatchObject({ charged: Number(price) * 6 });
  expect(await deliveredTo(payer)).toBe(6);
});
