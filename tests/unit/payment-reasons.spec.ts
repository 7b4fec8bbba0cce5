import { messageOf, paymentReasons, reasonOf } from '@/lib/catalog/errors/payment-reasons';
import { findMisplaced } from '@/lib/http/misplaced-credential';
import { windowRefusal } from '@/lib/payments/evm/authorization';
import { acceptsFlow, matchesOffer, type OfferedRequirements } from '@/lib/payments/x402/x402-requirements';
import { listFiles, read } from '../repo/sources';
import { expect, test } from '../support/without-browser';

/** Why payments are refused, in codes and in words. */

const known = Object.keys(paymentReasons);

test('every reason code of the x402 protocol that the code can give has words', () => {
  const codes = listFiles(/^lib\/payments\/.*\.ts$/).flatMap((file) => [
    ...read(file).matchAll(/'(invalid_(?:exact|batch_settlement)_[a-z0-9_]+)'/g),
  ]);
  const used = new Set(codes.map(([, code = '']) => code));
  expect(used.size).toBeGreaterThan(20);
  // A refund pays for nothing, and its errors are explained in its guide.
  const unknown = [...used].filter((code) => !known.includes(code) && !/refund|channel_not_found/.test(code));
  expect(unknown).toEqual([]);
});

test('every message is whole sentences, with and without the facts', () => {
  const facts = { wallet: '0xabc', price: '0.005', network: 'Base' };
  for (const code of known) {
    for (const message of [messageOf(reasonOf(code)), messageOf(reasonOf(code), facts)]) {
      expect(message, code).toMatch(/^[A-Z`].*\.$/);
      expect(message, code).not.toMatch(/[{}]/);
    }
  }
  expect(messageOf(reasonOf('invalid_exact_evm_insufficient_balance'), facts)).toBe(
    'The wallet 0xabc holds less than 0.005 USDC on Base. Send USDC to it on this network, then send the same request again.',
  );
  expect(reasonOf('a_code_of_some_facilitator').message).toMatch(/not accepted/);
});

test('a wallet that holds too little is told to fund it, and not to pay', () => {
  for (const code of known.filter((one) => /insufficient/.test(one)))
    expect([code, reasonOf(code).retry]).toEqual([code, 'stop']);
});

test('the end of an authorization is refused for what is wrong with it', () => {
  const now = 1_800_000_000n;
  const prefix = 'invalid_exact_evm_payload_authorization_valid_before';
  const refusal = (seconds: bigint) => windowRefusal(now + seconds, now, 300);
  expect([-1n, 0n, 1n, 29n, 30n, 300n, 360n, 361n].map(refusal)).toEqual([
    prefix,
    prefix,
    `${prefix}_too_soon`,
    `${prefix}_too_soon`,
    null,
    null,
    null,
    `${prefix}_too_late`,
  ]);
  // A device whose clock is five minutes ahead signs for 300 seconds of its own time.
  expect(messageOf(reasonOf(refusal(600n) ?? ''))).toContain(
    'the clock of your device is more than a minute ahead',
  );
});

test('addresses of EVM networks are the same in every letter case, other values are not', () => {
  const offered: OfferedRequirements = {
    scheme: 'exact',
    network: 'eip155:8453',
    amount: '5000',
    amountUsdcAtomic: '5000',
    asset: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
    payTo: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
    maxTimeoutSeconds: 300,
    extra: {
      name: 'USD Coin',
      version: '2',
      receiverAuthorizer: '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC',
    },
  };
  const lower = JSON.parse(
    JSON.stringify(offered).replaceAll(/0x[0-9a-fA-F]{40}/g, (one) => one.toLowerCase()),
  );
  expect(matchesOffer(lower, offered)).toBe(true);
  expect(matchesOffer({ ...lower, extra: { ...lower.extra, name: 'usd coin' } }, offered)).toBe(false);
  expect(matchesOffer({ ...offered, payTo: offered.asset }, offered)).toBe(false);
  const solana = { ...offered, network: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp' as const };
  const mint = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
  expect(matchesOffer({ ...solana, asset: mint.toLowerCase() }, { ...solana, asset: mint })).toBe(false);
});

test('a client accepts a payment flow by naming it, by naming a worse one, or by not knowing any', () => {
  const accepted = (paymentFlow?: unknown) => ({ extra: { name: 'USD Coin', paymentFlow } }) as never;
  const known = [undefined, null, 'upfront', 'authorization', 'escrow', {}, ['upfront']];
  const taken = (flow: 'upfront' | 'authorization') => known.map((one) => acceptsFlow(accepted(one), flow));
  expect(taken('upfront')).toEqual([true, true, true, false, false, false, false]);
  expect(taken('authorization')).toEqual([true, true, true, true, false, false, false]);
});

test('a credential at the path of another rail is told where it belongs', () => {
  const paths = { x402: '/v1/forms', mpp: '/v1/mpp/forms', account: '/v1/account/forms' };
  const hint = (rail: keyof typeof paths, headers: Record<string, string>) =>
    findMisplaced({ paths }, rail, new Headers(headers))?.hint;
  expect(hint('x402', { Authorization: 'Bearer tpt_x' })).toContain(
    'Authorization: Bearer is for /v1/account/forms',
  );
  expect(hint('mpp', { 'PAYMENT-SIGNATURE': 'x' })).toContain('PAYMENT-SIGNATURE is for /v1/forms');
  expect(hint('account', { Authorization: 'Payment x' })).toContain('is for /v1/mpp/forms');
  expect(hint('x402', { 'PAYMENT-SIGNATURE': 'x' })).toBeUndefined();
  expect(hint('x402', {})).toBeUndefined();
  const { x402 } = paths;
  expect(
    findMisplaced({ paths: { x402 } }, 'x402', new Headers({ Authorization: 'Payment x' }))?.hint,
  ).toContain('cannot pay for this call');
});
