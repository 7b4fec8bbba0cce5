import { expect, test } from '@playwright/test';
import type { Hex } from 'viem';
import { toPayment } from '@/lib/payments/evm/authorization';
import { EvmSettler } from '@/lib/payments/evm/settler';
import { configuredOffers, isEvmOffer } from '@/lib/payments/networks';
import { RpcNodes } from '@/lib/payments/rpc/nodes';
import { testPlatform } from '../support/platform';
import { Account, usdcCalls } from './evm/accounts';
import { SimulatedChain } from './evm/chain';
import { SimulatedNode, sendToNodes } from './evm/node';
import { newCall } from './stores/journal-rows';
import { memoryWorld } from './stores/journal-world';

/** What the simulation has found, each told on its own. */

const [payer, payee, key] = [new Account('payer'), new Account('payee'), new Account('key')];

/** One process, which settles on Base through some nodes, and a payment of a moment ago. */
async function open(urls: readonly string[]) {
  const world = await memoryWorld();
  const { time } = world;
  const clock = time.createClock();
  const app = testPlatform({ PAY_TO_EVM: payee.address, BASE_RPC_URL: urls.join(',') }, clock);
  const [offer] = configuredOffers(app.settings).filter(isEvmOffer);
  if (!offer) throw new Error('Base is not configured');
  const chain = new SimulatedChain({ network: offer.network, clock });
  chain.giveUsdc(payer.address, 10_000n);
  chain.giveGas(key.address, 10n ** 18n);
  for (let block = 0; block < 5; block += 1) chain.mine();
  const nodes = urls.map((url) => [url, new SimulatedNode(chain, clock, () => 0.5)] as const);
  const rpcs = new RpcNodes(app, offer, sendToNodes(new Map(nodes)));
  const settler = new EvmSettler(app, offer, rpcs, [key.privateKey], world.one.journal);

  const nonce: Hex = `0x${'ab'.repeat(32)}`;
  const terms = { from: payer.address, to: payee.address, nonce };
  const validBefore = BigInt(Math.floor(clock.now() / 1_000) + 600);
  const words = { ...terms, value: 10_000n, validAfter: 0n, validBefore };
  const signature = payer.authorize(offer.network, words);
  const authorization = { ...terms, value: '10000', validAfter: '0', validBefore: `${validBefore}` };
  const payment = toPayment(offer, { family: 'evm', authorization, signature, signer: 'key' });
  const submitAlone = () =>
    chain.act(payer.address, {
      to: offer.network.usdc as Hex,
      data: usdcCalls.transferParts(words, signature),
    });
  return { world, time, chain, nodes: nodes.map(([, node]) => node), settler, payment, submitAlone };
}

test('a payment is found in an earlier block than the newest one when it was accepted, where a reorganization put it', async () => {
  const { time, chain, settler, payment, submitAlone } = await open(['https://node']);
  const accepted = chain.head.number;
  const hash = submitAlone();
  chain.mine();
  chain.reorganize(4);
  expect(chain.blocks.blockOf(hash, chain.head)?.number).toBeLessThan(accepted);
  const trace = { sinceHeight: BigInt(accepted), transactionHash: null };
  const outcome = await time.finish(settler.resolveOutcome(payment, trace), 60_000);
  expect(outcome).toMatchObject({ kind: 'settled', transactionHash: hash });
});

test('a transaction in a block is followed, and its gas is booked, however long a node of several is behind', async () => {
  const { world, time, chain, nodes, settler, payment } = await open(['https://one', 'https://other']);
  chain.start();
  await world.insert('paidCall', newCall('call', { ...payment, payment: null }));
  nodes[1]?.stick();
  const outcome = settler.settle({ paidCallId: 'call', payment });
  await time.pass(60_000);
  expect(await outcome).toMatchObject({ kind: 'unknown' });
  expect(await world.all('settlementTransaction')).toMatchObject([{ state: 'prepared' }]);
  nodes[1]?.follow();
  await time.pass(5_000);
  expect(await world.all('settlementTransaction')).toMatchObject([
    { state: 'confirmed', feeAtomic: 10n ** 18n - chain.gasOf(key.address) },
  ]);
});
