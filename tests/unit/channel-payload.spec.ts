import type { PaymentRequirements } from '@x402/core/types';
import { BATCH_SETTLEMENT_ADDRESS, type ChannelConfig, ERC3009_DEPOSIT_COLLECTOR_ADDRESS } from '@x402/evm';
import {
  computeChannelId,
  createBatchSettlementEIP3009DepositPayload,
  signVoucher,
} from '@x402/evm/batch-settlement/client';
import type { Hex } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { ChannelDigests } from '@/lib/payments/channels/channel-digests';
import { readChannelPayload } from '@/lib/payments/channels/channel-payload';
import { configuredChannels } from '@/lib/payments/channels/channel-terms';
import { testPlatform } from '../support/platform';
import { expect, test } from '../support/without-browser';

const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
const network = 'eip155:8453';
const { settings } = testPlatform({ BATCH_SETTLEMENT: 'base', BATCH_AUTHORIZER_KEY: `0x${'5a'.repeat(32)}` });
const terms = configuredChannels(settings);
if (!terms) throw new Error('channels are off');
const { offer, receiverAuthorizer } = terms;
const digests = new ChannelDigests(8453);
const payer = privateKeyToAccount(generatePrivateKey());
const stranger = privateKeyToAccount(generatePrivateKey());

const config: ChannelConfig = {
  payer: payer.address,
  payerAuthorizer: payer.address,
  receiver: offer.payTo as Hex,
  receiverAuthorizer,
  token: offer.asset as Hex,
  withdrawDelay: 86_400,
  salt: `0x${'0'.repeat(64)}`,
};
const requirements: PaymentRequirements = {
  scheme: 'batch-settlement',
  network,
  amount: '1000',
  asset: offer.asset,
  payTo: offer.payTo,
  maxTimeoutSeconds: 300,
  extra: { name: 'USD Coin', version: '2', receiverAuthorizer, withdrawDelay: 86_400, minDeposit: '1000000' },
};

const read = (payload: unknown, now = new Date()) => readChannelPayload(terms, digests, payload, now);
const refused = (name: string) => `invalid_batch_settlement_evm_${name}`;

/** A voucher that the official client signs for these terms. */
async function voucherPayload(change: Partial<ChannelConfig> = {}, amount = '1000', signer = payer) {
  const channelConfig = { ...config, ...change };
  const voucher = await signVoucher(signer, computeChannelId(channelConfig, network), amount, network);
  return { type: 'voucher' as const, channelConfig, voucher };
}

async function depositPayload(amount = '1000000') {
  const made = await createBatchSettlementEIP3009DepositPayload(
    payer,
    2,
    requirements,
    config,
    amount,
    '1000',
  );
  return made.payload as { deposit: { authorization: { erc3009Authorization: Record<string, string> } } };
}

test('a voucher of the official client is read, with the id of its channel', async () => {
  const payload = await voucherPayload();
  expect(read(payload)).toEqual({
    kind: 'voucher',
    channelId: computeChannelId(config, network),
    config,
    maxClaimableAtomic: 1_000n,
    signature: payload.voucher.signature,
    deposit: null,
    refusal: null,
    refundAtomic: null,
  });
});

test('a channel is one, whatever the letter case of its addresses', async () => {
  const { channelConfig, ...rest } = await voucherPayload();
  const lower = Object.fromEntries(
    Object.entries(channelConfig).map(([name, value]) => [
      name,
      typeof value === 'string' ? value.toLowerCase() : value,
    ]),
  );
  expect(read({ ...rest, channelConfig: lower })).toEqual(read({ ...rest, channelConfig }));
});

test('a channel with another receiver, authorizer, token or delay is not ours, and any other salt is another channel', async () => {
  const other = stranger.address;
  expect(read(await voucherPayload({ receiver: other }))).toBe(refused('receiver_mismatch'));
  expect(read(await voucherPayload({ receiverAuthorizer: other }))).toBe(
    refused('receiver_authorizer_mismatch'),
  );
  expect(read(await voucherPayload({ token: other }))).toBe(refused('token_mismatch'));
  expect(read(await voucherPayload({ withdrawDelay: 900 }))).toBe(refused('withdraw_delay_mismatch'));
  const salted = await voucherPayload({ salt: `0x${'0A'.repeat(32)}` });
  expect(read(salted)).toMatchObject({ channelId: computeChannelId(salted.channelConfig, network) });
  expect(read({ ...salted, channelConfig: config })).toBe(refused('channel_id_mismatch'));
});

test('only signatures that the contract takes are accepted, in one form', async () => {
  const payload = await voucherPayload();
  const { signature } = payload.voucher;
  const signed = (changed: string) =>
    read({ ...payload, voucher: { ...payload.voucher, signature: changed } });
  const v = signature.slice(-2);
  expect(signed(`${signature.slice(0, -2)}${v === '1b' ? '00' : '01'}`)).toMatchObject({ signature });
  const highS = (order - BigInt(`0x${signature.slice(66, 130)}`)).toString(16).padStart(64, '0');
  for (const unusable of [
    `${signature.slice(0, 66)}${highS}${v === '1b' ? '1c' : '1b'}`,
    `${signature.slice(0, -2)}${v === '1b' ? '1c' : '1b'}`,
    `${signature.slice(0, -2)}1d`,
    `0x${'00'.repeat(65)}`,
  ])
    expect(signed(unusable)).toBe(refused('voucher_signature'));
  for (const unreadable of [
    signature.slice(0, -2),
    `${signature}00`,
    '0x',
    signature.slice(2),
    `${signature.slice(0, -1)}g`,
  ])
    expect(signed(unreadable)).toBe('invalid_payload');
  expect(read(await voucherPayload({}, '1000', stranger))).toBe(refused('voucher_signature'));
});

test("a voucher key other than the payer's own proves nothing about the payer, and none at all neither (V10)", async () => {
  const delegated = await voucherPayload({ payerAuthorizer: stranger.address }, '1000', stranger);
  expect(read(delegated)).toBe(refused('voucher_signature'));
  const zero = await voucherPayload({ payerAuthorizer: `0x${'0'.repeat(40)}` });
  expect(read(zero)).toBe(refused('voucher_signature'));
});

test('amounts have one form, and fit the contract', async () => {
  const payload = await voucherPayload();
  for (const amount of [
    '0x10',
    '1e3',
    ' 1000',
    '01000',
    '-1',
    '1.0',
    '',
    '1000n',
    (2n ** 128n).toString(),
    1000,
    null,
  ])
    expect(read({ ...payload, voucher: { ...payload.voucher, maxClaimableAmount: amount } })).toBe(
      'invalid_payload',
    );
  const most = (2n ** 128n - 1n).toString();
  expect(read(await voucherPayload({}, most))).toMatchObject({ maxClaimableAtomic: 2n ** 128n - 1n });
});

test('a voucher for one amount or chain is none for another', async () => {
  const payload = await voucherPayload();
  expect(read({ ...payload, voucher: { ...payload.voucher, maxClaimableAmount: '1001' } })).toBe(
    refused('voucher_signature'),
  );
  expect(readChannelPayload(terms, new ChannelDigests(137), payload, new Date())).toBe(
    refused('channel_id_mismatch'),
  );
});

test('a deposit of the official client is read, and any change to it is found', async () => {
  const payload = await depositPayload();
  const signed = payload.deposit.authorization.erc3009Authorization;
  const { validBefore, signature } = signed;
  const expected = {
    authorization: {
      from: payer.address,
      to: ERC3009_DEPOSIT_COLLECTOR_ADDRESS,
      value: '1000000',
      validBefore,
    },
    signature,
    call: { to: BATCH_SETTLEMENT_ADDRESS },
  };
  expect(read(payload)).toMatchObject({ kind: 'deposit', maxClaimableAtomic: 1_000n, deposit: expected });
  const changed = (change: object) =>
    read({
      ...payload,
      deposit: { ...payload.deposit, authorization: { erc3009Authorization: { ...signed, ...change } } },
    });
  const unsigned = 'invalid_exact_evm_signature';
  expect(changed({ salt: `0x${'11'.repeat(32)}` })).toBe(unsigned);
  expect(changed({ validAfter: '1' })).toBe(unsigned);
  expect(read({ ...payload, deposit: { ...payload.deposit, amount: '2000000' } })).toBe(unsigned);
  const { deposit, ...voucher } = payload as typeof payload & { voucher: object };
  expect(read({ ...voucher, type: 'voucher' })).toMatchObject({ kind: 'voucher', deposit: null });
  expect(read({ ...voucher, deposit: { ...deposit, authorization: { permit2Authorization: {} } } })).toBe(
    'invalid_payload',
  );
});

test('a deposit below the least, above the most, or near its end is refused', async () => {
  for (const [amount, reason] of [
    ['1', 'deposit_below_min_deposit'],
    ['999999', 'deposit_below_min_deposit'],
    ['5000001', 'deposit_above_max_deposit'],
  ] as const)
    expect(read(await depositPayload(amount))).toMatchObject({ refusal: refused(reason) });
  expect(read(await depositPayload('5000000'))).toMatchObject({ kind: 'deposit', refusal: null });
  const payload = await depositPayload();
  const late = 'invalid_exact_evm_payload_authorization_valid_before';
  expect(read(payload, new Date(Date.now() + 275_000))).toMatchObject({ refusal: `${late}_too_soon` });
  expect(read(payload, new Date(Date.now() - 90_000))).toMatchObject({ refusal: `${late}_too_late` });
});

test('a refund names an amount, or everything', async () => {
  const payload = { ...(await voucherPayload()), type: 'refund' };
  expect(read(payload)).toMatchObject({ kind: 'refund', refundAtomic: null });
  expect(read({ ...payload, amount: '500' })).toMatchObject({ kind: 'refund', refundAtomic: 500n });
  expect(read({ ...payload, amount: '0x1' })).toBe('invalid_payload');
});

test('a payload from a seller to a facilitator, or none at all, is not taken as a buyer’s', async () => {
  const payload = await voucherPayload();
  for (const type of ['claim', 'settle', 'enriched-refund', undefined])
    expect(read({ ...payload, type })).toBe('invalid_payload');
  for (const nothing of [null, [], 'voucher', {}, { type: 'voucher' }])
    expect(read(nothing)).toBe('invalid_payload');
});
