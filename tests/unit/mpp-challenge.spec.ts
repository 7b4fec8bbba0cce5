import { Challenge, PaymentRequest } from 'mppx';
import { uploads } from '@/lib/catalog';
import { operationOf, writeChallenge } from '@/lib/payments/mpp/mpp-challenge';
import type { AvailableEvmOffer } from '@/lib/payments/network-registry';
import { expect, test } from '../support/without-browser';

const realm = { name: 'api.example.com', secrets: ['test-secret'] as const };
// Only these fields of an offer go into a challenge.
const offer = {
  network: { name: 'base', family: 'evm', chainId: 8453 },
  asset: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  payTo: '0x742d35Cc6634c0532925a3b844bC9e7595F8fE00',
} as unknown as AvailableEvmOffer;
const now = new Date('2026-12-01T00:00:00.123Z');

for (const digest of [null, 'sha-256=:k6I5cakU5erL8KjSUVTNownDwccvu5kU1Hxg88toFYg=:']) {
  test(`a challenge ${digest ? 'for a body' : 'without a body'} is what mppx verifies and would have written`, () => {
    const header = writeChallenge(uploads.create, offer, realm, { digest, now });
    const challenge = Challenge.deserialize(header);
    expect(Challenge.verify(challenge, { secretKey: realm.secrets[0] })).toBe(true);
    expect(Challenge.serialize(challenge)).toBe(header);
    expect(challenge).toMatchObject({
      realm: 'api.example.com',
      method: 'evm',
      intent: 'charge',
      expires: '2026-12-01T00:05:00.123Z',
      request: {
        amount: '5000',
        currency: offer.asset,
        recipient: offer.payTo,
        methodDetails: { chainId: 8453, credentialTypes: ['authorization'], decimals: 6 },
      },
    });
    expect(challenge.digest ?? null).toBe(digest);
    expect(operationOf(challenge)).toBe('uploads.create');
  });
}

test('a realm with quotation marks is one quoted string', () => {
  const odd = { ...realm, name: 'say "hello" \\ now' };
  const header = writeChallenge(uploads.create, offer, odd, { digest: null, now });
  expect(Challenge.deserialize(header).realm).toBe(odd.name);
});

test('two challenges of one millisecond are two payments', () => {
  const write = () =>
    Challenge.deserialize(writeChallenge(uploads.create, offer, realm, { digest: null, now }));
  expect(write().id).not.toBe(write().id);
});

test('a challenge for an unknown operation matches none', () => {
  const without = Challenge.deserialize(writeChallenge(uploads.create, offer, realm, { digest: null, now }));
  expect(operationOf({ ...without, opaque: undefined })).toBe(null);
  expect(operationOf({ ...without, opaque: 'not base64 JSON' })).toBe(null);
  expect(operationOf({ ...without, opaque: PaymentRequest.serialize({ salt: 'only' }) })).toBe(null);
});
