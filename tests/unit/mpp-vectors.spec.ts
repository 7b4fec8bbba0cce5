import { Challenge } from 'mppx';
import { type Hex, keccak256, toBytes } from 'viem';
import { recognizeEvmPayment, usdcDomainSeparator } from '@/lib/payments/evm/authorization';
import type { EvmNetwork, Offer } from '@/lib/payments/network-offers';
import { networkTable } from '@/lib/payments/network-table';
import { bodyDigest } from '@/lib/payments/rail';
import { expect, test } from '../support/without-browser';

/** Published vectors, computed with plain HMAC, keccak and EIP-712 code, independently of any library. */
const secretKey = 'test-secret-0123456789abcdef-0123456789';
const payTo = '0x742d35Cc6634c0532925a3b844bC9e7595F8fE00';
const payer = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';

const vectors = [
  {
    chain: 'base',
    chainId: 8453,
    usdc: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
    extra: {},
    id: 'ajopXUE1bP6NVrImJrkRQeb06sfljIqiIxJu-LkpLb4',
    nonce: '0xa32ae6b456482166ea8ef7e13f408c3757b68fb28618b75af946090038a69aba',
    separator: '0x02fa7265e7c5d81118673727957699e4d68f74cd74b7db77da710fe8a2c7834f',
    signature:
      '0xa14b3de0fe6b46edc6d4b407786771a8b8369e905e704b2bcf14489898e5dbea4fe1d4b69ec2d84f3a1807a36194517ea3cbac4a2028eb3c0828b1ee409236201c',
  },
  {
    chain: 'arbitrum',
    chainId: 42161,
    usdc: '0xaf88d065e77c8cC2239327C5EDb3A432268e5831',
    extra: {},
    id: 'rk8epCyZP8RbIdpSofmhrwtVCS5A8d-ZbNth6zgtqzI',
    nonce: '0x1cc31d56adb6fb4c87cdbf1ea6f0a3b59c0fd10208f3eb29f8d7d6e8e97afd46',
    separator: '0x08d11903f8419e68b1b8721bcbe2e9fc68569122a77ef18c216f10b3b5112c78',
    signature:
      '0x73b4b3153cd743e2a75bf6c8aa6d115d603b9d81f248571b493e7c0b47f9905045ba94ca27710acf9cffc6bd36c2d81211ce2149afc41ec0b180e337437519741b',
  },
  {
    chain: 'polygon',
    chainId: 137,
    usdc: '0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359',
    extra: {
      digest: 'sha-256=:k6I5cakU5erL8KjSUVTNownDwccvu5kU1Hxg88toFYg=:',
      opaque: 'eyJyb3V0ZSI6IlBPU1QgL3YxL2VjaG8ifQ',
    },
    id: 'ztUMNyqhWs4btm1eLxVwNYpNRDmtHvnLB3m1fjK75FQ',
    nonce: '0xb6fa1ff1dc95c2cf18ad77c15445cf53577d07b84025f0b4cafb334984116972',
    separator: '0xcaa2ce1a5703ccbe253a34eb3166df60a705c561b44b192061e28f2a985be2ca',
    signature:
      '0xc709566344d760ef0b8265bf55c04fb4332f959d96f2ca6a506bca1a28dabb213da9a3613406e7918342d044fb09db81722a0df82bf8a25310682cafea8bc05d1c',
  },
] as const;

for (const vector of vectors) {
  test(`the published vector for ${vector.chain} gives its id, nonce, domain and signer`, () => {
    const challenge = Challenge.from({
      realm: 'api.example.com',
      method: 'evm',
      intent: 'charge',
      expires: '2026-12-01T00:00:00.000Z',
      request: {
        amount: '10000',
        currency: vector.usdc,
        recipient: payTo,
        methodDetails: { chainId: vector.chainId, credentialTypes: ['authorization'], decimals: 6 },
      },
      ...vector.extra,
      secretKey,
    });
    expect(challenge.id).toBe(vector.id);
    expect(keccak256(toBytes(challenge.id + challenge.realm))).toBe(vector.nonce);
    // Only these fields of an offer decide what is signed.
    const network = networkTable.main.find(({ name }) => name === vector.chain);
    const fields = { network, asset: vector.usdc };
    const offer = fields as unknown as Offer<EvmNetwork>;
    expect(usdcDomainSeparator(offer)).toBe(vector.separator);
    const authorization = {
      from: payer as Hex,
      to: payTo as Hex,
      value: '10000',
      validAfter: '0',
      validBefore: '1796083200',
      nonce: vector.nonce,
    };
    const payment = recognizeEvmPayment(offer, {
      family: 'evm',
      authorization,
      signature: vector.signature,
      signer: 'key',
    });
    expect(payment).toMatchObject({ payer, authorization: vector.nonce, amountAtomic: 10_000n });
  });
}

test('the digest of a body has the form of RFC 9530', () => {
  const digest = bodyDigest(Buffer.from('{"hello":"world"}'));
  expect(digest).toBe('sha-256=:k6I5cakU5erL8KjSUVTNownDwccvu5kU1Hxg88toFYg=:');
});
