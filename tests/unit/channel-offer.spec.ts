import type { PaymentRequired } from '@x402/core/types';
import { ExactEvmScheme } from '@x402/evm';
import { BatchSettlementEvmScheme } from '@x402/evm/batch-settlement/client';
import { x402Client } from '@x402/fetch';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { billing, operations } from '@/lib/catalog';
import type { Operation } from '@/lib/catalog/operation';
import { ChannelDigests } from '@/lib/payments/channels/channel-digests';
import { OfferedChannels } from '@/lib/payments/channels/channel-offer';
import { readChannelPayload } from '@/lib/payments/channels/channel-payload';
import { channelRequirementsFor } from '@/lib/payments/channels/channel-requirements';
import { ChannelScheme } from '@/lib/payments/channels/channel-scheme';
import { configuredChannels } from '@/lib/payments/channels/channel-terms';
import { toAtomic } from '@/lib/payments/money';
import { configuredOffers } from '@/lib/payments/network-offers';
import { type AvailableOffer, NetworkRegistry } from '@/lib/payments/network-registry';
import { RpcNodes } from '@/lib/payments/rpc/network-rpcs';
import { sellerOf } from '@/lib/payments/seller';
import { ChallengeWriter } from '@/lib/payments/x402/x402-challenge';
import { matchesOffer } from '@/lib/payments/x402/x402-requirements';
import { paymentFlowOf } from '@/lib/platform/upstream/availability';
import { testPlatform } from '../support/platform';
import { expect, test } from '../support/without-browser';

const rpc = 'http://127.0.0.1:1';
const solana = '11111111111111111111111111111112';
const app = testPlatform({
  POLYGON_RPC_URL: rpc,
  ARBITRUM_RPC_URL: rpc,
  SOLANA_RPC_URL: rpc,
  PAY_TO_SOLANA: solana,
  BATCH_SETTLEMENT: 'base',
  BATCH_AUTHORIZER_KEY: `0x${'5a'.repeat(32)}`,
});
const wallet = privateKeyToAccount(generatePrivateKey());

/** Four networks that have passed their check, and channels that have not. */
function openNetworks() {
  const terms = configuredChannels(app.settings);
  if (!terms) throw new Error('channels are off');
  // Challenges use only the fee payer of a settler.
  const settler = { feePayer: solana };
  const offers = configuredOffers(app.settings).map(
    (offer) => ({ ...offer, settler, nodes: new RpcNodes(app, offer) }) as unknown as AvailableOffer,
  );
  const networks = new NetworkRegistry(offers);
  const channels = new OfferedChannels(networks, terms);
  // Challenges use neither what is stored of channels nor what was verified.
  const nothing = { find: async () => null, isPublished: async () => false, of: () => null };
  const scheme = new ChannelScheme(channels, { book: nothing, verified: nothing });
  const write = (...schemes: ChannelScheme[]) => {
    const writer = new ChallengeWriter(app, networks, sellerOf(app), schemes);
    return (operation: Operation) => {
      const { json, base64 } = writer.write(operation, operation.paths.x402 ?? '', null);
      return { challenge: JSON.parse(json) as PaymentRequired, header: base64 };
    };
  };
  return { terms, networks, channels, off: write(), on: write(scheme) };
}

const ofX402 = operations.filter(({ paths }) => paths.x402 !== undefined);
const cheapest = ofX402.reduce((least, one) => (Number(one.price) < Number(least.price) ? one : least));

test('with channels on, operations up to 0.015 USDC have one more entry, the last, and nothing else changes', () => {
  const { channels, off, on } = openNetworks();
  channels.report([]);
  const offered: string[] = [];
  for (const operation of ofX402) {
    const { challenge, header } = on(operation);
    const before = off(operation).challenge;
    const added = challenge.accepts.slice(before.accepts.length);
    expect(challenge.accepts.slice(0, before.accepts.length)).toEqual(before.accepts);
    const ofResponse = { claim: null, 'sign-in-with-x': null };
    expect({ ...challenge.extensions, ...ofResponse }).toEqual({ ...before.extensions, ...ofResponse });
    // All headers of a 402 together stay below 8 KB.
    expect(off(operation).header.length, operation.id).toBeLessThan(7_100);
    expect(header.length, operation.id).toBeLessThan(7_400);
    const isCheap = toAtomic(operation.price) <= 15_000n && !operation.variablePrice;
    expect(
      added.map(({ scheme, network, amount }) => [scheme, network, amount]),
      operation.id,
    ).toEqual(isCheap ? [['batch-settlement', 'eip155:8453', toAtomic(operation.price).toString()]] : []);
    if (isCheap) offered.push(operation.id);
  }
  expect(offered.length).toBeGreaterThan(5);
  expect(offered.length).toBeLessThan(ofX402.length);
  expect(offered).not.toContain(billing.deposit.id);
});

test('channels are offered while their contract is right and their network is offered', () => {
  const { terms, networks, channels, on } = openNetworks();
  const isOffered = () => on(cheapest).challenge.accepts.some(({ scheme }) => scheme === 'batch-settlement');
  expect(isOffered()).toBe(false);
  channels.report([]);
  expect(isOffered()).toBe(true);
  networks.report(terms.offer.network.name, ['the node is down']);
  expect(isOffered()).toBe(false);
  networks.report(terms.offer.network.name, []);
  expect(isOffered()).toBe(true);
  channels.report(['the contract differs']);
  expect(isOffered()).toBe(false);
});

test('a client that knows only `exact` signs the same with channels on', async () => {
  const { channels, off, on } = openNetworks();
  channels.report([]);
  const client = new x402Client().register('eip155:*', new ExactEvmScheme(wallet));
  const [with_, without] = await Promise.all(
    [on, off].map((write) => client.createPaymentPayload(write(cheapest).challenge)),
  );
  expect(with_?.accepted).toEqual(without?.accepted);
});

test('the official client answers the offer with a deposit that we read, for what we ask', async () => {
  const { terms, channels, on } = openNetworks();
  channels.report([]);
  const client = new x402Client().register('eip155:8453', new BatchSettlementEvmScheme(wallet));
  const { accepted, payload } = await client.createPaymentPayload(on(cheapest).challenge);
  const requirements = channelRequirementsFor(terms, toAtomic(cheapest.price));
  expect(requirements && matchesOffer(accepted, requirements)).toBe(true);
  expect(readChannelPayload(terms, new ChannelDigests(8453), payload, new Date())).toMatchObject({
    kind: 'deposit',
    config: { payer: wallet.address },
    maxClaimableAtomic: toAtomic(cheapest.price),
    deposit: { authorization: { value: '1000000' } },
    refusal: null,
  });
});

test('all entries of a 402 have one payment flow, so a client with both schemes chooses as it did without flows', async () => {
  const { channels, on } = openNetworks();
  channels.report([]);
  const flows = new Set<unknown>();
  const client = new x402Client()
    .register('eip155:8453', new ExactEvmScheme(wallet))
    .register('eip155:8453', new BatchSettlementEvmScheme(wallet));
  for (const operation of ofX402) {
    const { challenge } = on(operation);
    const flow = paymentFlowOf(app, operation);
    flows.add(flow);
    for (const { extra } of challenge.accepts)
      expect(extra?.paymentFlow ?? 'authorization', operation.id).toBe(flow);
    if (toAtomic(operation.price) > 1_000_000n) continue;
    const { accepted } = await client.createPaymentPayload(challenge);
    expect([operation.id, accepted]).toEqual([operation.id, challenge.accepts[0]]);
  }
  expect(flows.size).toBe(2);
});
