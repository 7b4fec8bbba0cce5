import { Challenge, Credential, PaymentRequest } from 'mppx';
import { Mppx } from 'mppx/client';
import { charge } from 'mppx/evm/client';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { uploads } from '@/lib/catalog';
import { operationOf, type Realm, writeChallenge } from '@/lib/payments/mpp/mpp-challenge';
import { toCredentialHeader } from '@/lib/payments/mpp/mpp-over-mcp';
import { MppRail } from '@/lib/payments/mpp/mpp-rail';
import type { AvailableEvmOffer, NetworkRegistry } from '@/lib/payments/network-registry';
import { sellerOf } from '@/lib/payments/seller';
import { testPlatform } from '../support/platform';
import { expect, test } from '../support/without-browser';

const realm = {
  name: 'api.example.com',
  secrets: ['test-secret'] as const,
  credentialHeader: 'Authorization' as const,
};
const alternate = { ...realm, credentialHeader: 'Payment-Authorization' as const };
// Only these fields of an offer go into a challenge, or into what is signed for it.
const offer = {
  network: {
    ...{ name: 'base', family: 'evm', chainId: 8453, caip2: 'eip155:8453' },
    usdcDomain: { name: 'USD Coin', version: '2' },
  },
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

test('a challenge can select the header of its credential, and is then what mppx verifies and would have written', () => {
  const header = writeChallenge(uploads.create, offer, alternate, { digest: null, now });
  const challenge = Challenge.deserialize(header);
  expect(challenge.header).toBe('Payment-Authorization');
  expect(Challenge.verify(challenge, { secretKey: realm.secrets[0] })).toBe(true);
  expect(Challenge.verify({ ...challenge, header: undefined }, { secretKey: realm.secrets[0] })).toBe(false);
  expect(Challenge.serialize(challenge)).toBe(header);
});

const account = privateKeyToAccount(generatePrivateKey());
const networks = {
  offered: () => [offer],
  all: () => [offer],
  byName: () => offer,
} as unknown as NetworkRegistry;
const app = testPlatform();
const railOf = (one: Realm) => new MppRail(app, networks, one, sellerOf(app));
const unpaid = { path: '/v1/mpp/uploads', query: new URLSearchParams(), body: async () => new Uint8Array() };

/** What the official client sends to a rail after its 402, and how a rail reads it. */
async function headersFor(challenging: MppRail, given: Record<string, string>): Promise<Headers> {
  const sent: Headers[] = [];
  const { status, headers, body } = await challenging.challenge(uploads.create, unpaid, null);
  const client = Mppx.create({
    polyfill: false,
    methods: [
      charge({
        account,
        networks: [8453],
        currencies: [offer.asset as `0x${string}`],
        authorization: { name: 'USD Coin', version: '2' },
        decimals: 6,
        maxAmount: '1',
      }),
    ],
    fetch: async (_: unknown, init?: RequestInit) => {
      sent.push(new Headers(init?.headers));
      return sent.length === 1 ? new Response(body, { status, headers }) : new Response('{}');
    },
  });
  await client.fetch('https://api.example.com/v1/mpp/uploads', { method: 'POST', headers: given });
  return sent[1] ?? new Headers();
}

function readBy(rail: MppRail, headers: Headers) {
  const read = rail.read(uploads.create, headers, app.clock.date());
  if (read.kind === 'unusable') return read.reason;
  return read.kind === 'recognized' ? (read.credential.refusal ?? read.credential.payment.payer) : read.kind;
}

test('behind a gateway that uses Authorization itself, the official client pays in Payment-Authorization', async () => {
  const headers = await headersFor(railOf(alternate), { Authorization: 'Bearer of-the-gateway' });
  expect(headers.get('authorization')).toBe('Bearer of-the-gateway');
  expect(headers.get('payment-authorization')).toMatch(/^Payment /);
  expect(readBy(railOf(alternate), headers)).toBe(account.address);
  // A challenge from before the setting was changed keeps its header.
  expect(readBy(railOf(realm), headers)).toBe(account.address);
});

test('a credential is taken only in the header that its challenge selects, and only once', async () => {
  const rail = railOf(alternate);
  const [usual, selected] = await Promise.all([headersFor(railOf(realm), {}), headersFor(rail, {})]);
  const [ofUsual, ofSelected] = [
    usual.get('authorization') ?? '',
    selected.get('payment-authorization') ?? '',
  ];
  const read = (headers: Record<string, string>) => readBy(rail, new Headers(headers));
  expect(read({ Authorization: ofUsual })).toBe(account.address);
  expect(read({ 'Payment-Authorization': ofUsual })).toBe('wrong_credential_header');
  expect(read({ Authorization: ofSelected })).toBe('wrong_credential_header');
  expect(read({ Authorization: ofUsual, 'Payment-Authorization': ofSelected })).toBe('several_credentials');
  expect(read({ 'Payment-Authorization': 'Bearer x' })).toBe('none');
  const changed = (challenge: object) => {
    const credential = Credential.deserialize(ofSelected);
    return Credential.serialize({
      ...credential,
      challenge: { ...credential.challenge, ...challenge },
    } as never);
  };
  expect(read({ 'X-Other': changed({ header: 'X-Other' }) })).toBe('none');
  expect(read({ 'Payment-Authorization': changed({ header: 'X-Other' }) })).toBe('wrong_credential_header');
  expect(read({ Authorization: changed({ header: undefined }) })).toBe('challenge_not_ours');
  expect(read({ 'Payment-Authorization': changed({ id: '' }) })).toBe('malformed_credential');
  expect(Object.values(toCredentialHeader(Credential.deserialize(ofSelected)) ?? {})).toEqual([ofSelected]);
  expect(Object.keys(toCredentialHeader(Credential.deserialize(ofSelected)) ?? {})).toEqual([
    'payment-authorization',
  ]);
});
