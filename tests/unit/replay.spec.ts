import { type PaidCall, sha256 } from '@/lib/calls/paid-call';
import { unlessReopened } from '@/lib/calls/refusal';
import { carriesSignatureOf, recognizeReplay, type SignedRequest } from '@/lib/calls/replay';
import type { Payment } from '@/lib/payments/payment';
import { expect, test } from '../support/without-browser';

const payment: Payment = {
  network: 'base',
  asset: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  payer: '0x1111111111111111111111111111111111111111',
  authorization: `0x${'ab'.repeat(32)}`,
  amountAtomic: 5_000n,
  payTo: '0x2222222222222222222222222222222222222222',
  validBefore: new Date(0),
  signed: {
    family: 'evm',
    authorization: {
      from: '0x1111111111111111111111111111111111111111',
      to: '0x2222222222222222222222222222222222222222',
      value: '5000',
      validAfter: '0',
      validBefore: '0',
      nonce: `0x${'ab'.repeat(32)}`,
    },
    signature: `0x${'00'.repeat(65)}`,
    signer: 'key',
  },
};
const fresh: Payment = { ...payment, authorization: `0x${'cd'.repeat(32)}` };
const requestHash = sha256('request');

const delivered: PaidCall = {
  id: 'pc_1',
  operation: 'forms.create',
  state: 'delivered',
  payment,
  sinceHeight: 0n,
  isReadable: true,
  rail: 'x402',
  requestDigest: null,
  requestHash,
  idempotencyKeyHash: sha256('key'),
  claimTokenHash: sha256('token'),
  input: null,
  prepared: null,
  transactionHash: null,
  refusalReason: null,
  isRefusalFinal: false,
  answer: { status: 200, body: '{}' },
  workedBy: null,
  movedAt: new Date(0),
  moveNote: null,
  attempts: 0,
};
const refused: PaidCall = {
  ...delivered,
  state: 'refused',
  refusalReason: 'invalid_exact_evm_insufficient_balance',
  answer: null,
};
const expired = 'invalid_exact_evm_payload_authorization_valid_before';

const ask = (change: Partial<SignedRequest> = {}): SignedRequest => ({
  requestHash,
  idempotencyKey: 'key',
  claimToken: null,
  payment,
  refusal: null,
  ...change,
});
const byPayment = (call: PaidCall) => ({ byAuthorization: call, byKey: null });
const byKey = (call: PaidCall) => ({ byAuthorization: null, byKey: call });
const code = (work: () => unknown) => {
  try {
    return { answered: work() };
  } catch (error) {
    return (error as { code?: string }).code;
  }
};

test('the payment of a call gets its response with its key or claim token while the response is stored', () => {
  const opened = { call: delivered, isProven: true };
  expect(recognizeReplay(byPayment(delivered), ask({ refusal: expired }))).toEqual(opened);
  const withToken = ask({ idempotencyKey: null, claimToken: 'token', refusal: expired });
  expect(recognizeReplay(byPayment(delivered), withToken)).toEqual(opened);
});

test('a payment that came with another request is a conflict, whatever proves who asks', () => {
  for (const proof of [{}, { idempotencyKey: null, claimToken: 'token' }]) {
    const other = ask({ ...proof, requestHash: sha256('other') });
    expect(code(() => recognizeReplay(byPayment(delivered), other))).toBe('idempotency_conflict');
  }
});

test('a payment with the same nonce and another payee or amount gets nothing', () => {
  for (const other of [
    { ...payment, payTo: '0x3333333333333333333333333333333333333333' },
    { ...payment, amountAtomic: 4_999n },
  ]) {
    const asked = ask({ payment: other, refusal: 'invalid_exact_evm_recipient_mismatch' });
    expect(recognizeReplay(byPayment(delivered), asked)).toBeNull();
    expect(recognizeReplay({ byAuthorization: delivered, byKey: delivered }, asked)).toBeNull();
    // The payment is good for the current request, but its nonce is taken.
    expect(code(() => recognizeReplay(byPayment(delivered), ask({ payment: other })))).toBe(
      'idempotency_conflict',
    );
  }
});

test('under a known key another payment gets the response only if it would be accepted now', () => {
  expect(recognizeReplay(byKey(delivered), ask({ payment: fresh }))).toEqual({
    call: delivered,
    isProven: true,
  });
  for (const refusal of [expired, 'invalid_exact_evm_recipient_mismatch', 'body_digest_mismatch']) {
    expect(recognizeReplay(byKey(delivered), ask({ payment: fresh, refusal }))).toBeNull();
    // The answer does not even reveal whether something is stored under the key.
    const otherBody = ask({ payment: fresh, refusal, requestHash: sha256('other') });
    expect(recognizeReplay(byKey(delivered), otherBody)).toBeNull();
  }
});

test('while a refusal is not final, a request without its key or token proves nothing', () => {
  const asked = ask({ idempotencyKey: null });
  expect(recognizeReplay(byPayment(refused), asked)).toEqual({ call: refused, isProven: false });
  expect(code(() => recognizeReplay(byPayment(refused), ask({ idempotencyKey: 'a guess' })))).toBe(
    'idempotency_conflict',
  );
  expect(recognizeReplay(byPayment(refused), ask())).toEqual({ call: refused, isProven: true });
  const final = { ...refused, isRefusalFinal: true, idempotencyKeyHash: null };
  expect(recognizeReplay(byPayment(final), asked)).toEqual({ call: final, isProven: true });
});

test('the response of a call that lost its payment in a reorganization is shown to its caller alone', () => {
  const lost = { ...delivered, state: 'refused', isRefusalFinal: true } as const;
  for (const proof of [{}, { idempotencyKey: null, claimToken: 'token' }])
    expect(recognizeReplay(byPayment(lost), ask(proof))).toEqual({ call: lost, isProven: true });
  for (const stranger of [{ idempotencyKey: null }, { idempotencyKey: 'a guess' }])
    expect(recognizeReplay(byPayment(lost), ask(stranger))).toEqual({ call: lost, isProven: false });
});

test('a refusal is not told once another process has reopened the call', async () => {
  const told = async (current: PaidCall) =>
    unlessReopened({ calls: { find: async () => current } }, refused, 'refused');
  expect(await told(refused)).toBe('refused');
  for (const state of ['claimed', 'settling', 'settled', 'delivered'] as const)
    expect(await told({ ...refused, state })).toEqual({ kind: 'unknown' });
});

test('a payment that an operator has booked as found is used, whatever is asked for with it', () => {
  const booked: PaidCall = {
    ...delivered,
    operation: 'transfers.unmatched',
    state: 'needs_attention',
    requestHash: Buffer.alloc(0),
    idempotencyKeyHash: null,
    claimTokenHash: null,
    answer: null,
  };
  for (const asked of [
    ask(),
    ask({ idempotencyKey: null }),
    ask({ idempotencyKey: null, claimToken: 'token' }),
  ])
    expect(code(() => recognizeReplay(byPayment(booked), asked))).toBe('payment_already_used');
});

test('the very signature of a call is recognized in any letter case; another, or one on other terms, is not', () => {
  const { signed } = payment;
  if (signed.family !== 'evm') throw new Error('an EVM payment');
  const ofWallet = { ...signed, signature: `0x${'ab'.repeat(100)}`, signer: 'wallet' } as const;
  const call = { ...delivered, payment: { ...payment, signed: ofWallet } };
  const carries = (changed: Partial<typeof signed>) =>
    carriesSignatureOf(call, { ...payment, signed: { ...ofWallet, ...changed } });
  expect(carries({})).toBe(true);
  expect(carries({ signature: `0x${'AB'.repeat(100)}` })).toBe(true);
  // It is the same signature with or without a wrapper.
  expect(carries({ signer: 'undeployed' })).toBe(true);
  expect(carries({ signature: `0x${'ab'.repeat(99)}` })).toBe(false);
  expect(carries({ signature: '0x' })).toBe(false);
  expect(carries({ authorization: { ...signed.authorization, value: '4999' } })).toBe(false);
  expect(carries({ authorization: { ...signed.authorization, validBefore: '1' } })).toBe(false);
  const erased = { ...delivered, payment: { ...payment, signed: { family: 'erased' as const } } };
  expect(carriesSignatureOf(erased, { ...payment, signed: ofWallet })).toBe(true);
});
