import type { Hex } from 'viem';
import { toPayment } from '@/lib/payments/evm/authorization';
import { EvmSettler } from '@/lib/payments/evm/evm-settler';
import { configuredOffers, isEvmOffer } from '@/lib/payments/network-offers';
import { RpcNodes } from '@/lib/payments/rpc/network-rpcs';
import { testPlatform } from '../../support/platform';
import { memoryWorld } from '../stores/journal-world';
import { Account, usdcCalls } from './accounts';
import { SimulatedChain } from './chain';
import { SimulatedNode, sendToNodes } from './node';

const [payer, payee, key] = [new Account('payer'), new Account('payee'), new Account('key')];

interface ProcessOptions {
  /** How far the time of the process is ahead. */
  readonly aheadMs?: number;
  /** How long a message to or from the database takes. By default it takes no time. */
  readonly latencyMs?: number;
  /** Runs before each request to a node. */
  readonly beforeRequest?: (body: string) => void;
}

/** One process, which settles on Base through some nodes, and a payment of a moment ago. */
export async function openProcess(
  urls: readonly string[],
  { aheadMs = 0, latencyMs, beforeRequest = () => undefined }: ProcessOptions = {},
) {
  const world = await memoryWorld(latencyMs === undefined ? undefined : () => latencyMs);
  const { time } = world;
  const clock = time.createClock();
  const app = testPlatform(
    { PAY_TO_EVM: payee.address, BASE_RPC_URL: urls.join(',') },
    time.createClock(aheadMs),
  );
  const [offer] = configuredOffers(app.settings).filter(isEvmOffer);
  if (!offer) throw new Error('Base is not configured');
  const chain = new SimulatedChain({ network: offer.network, clock });
  chain.giveUsdc(payer.address, 10_000n);
  chain.giveGas(key.address, 10n ** 18n);
  for (let block = 0; block < 5; block += 1) chain.mine();
  const nodes = urls.map((url) => [url, new SimulatedNode(chain, clock, () => 0.5)] as const);
  const send = sendToNodes(new Map(nodes));
  const rpcs = new RpcNodes(app, offer, (url, body, signal) => {
    beforeRequest(body);
    return send(url, body, signal);
  });
  const settler = new EvmSettler(app, offer, rpcs, [key.privateKey], world.one.journal);

  const nonce: Hex = `0x${'ab'.repeat(32)}`;
  const terms = { from: payer.address, to: payee.address, nonce };
  const validBefore = BigInt(Math.floor(clock.now() / 1_000) + 600);
  const words = { ...terms, value: 10_000n, validAfter: 0n, validBefore };
  const signature = payer.authorize(offer.network, words);
  const authorization = { ...terms, value: '10000', validAfter: '0', validBefore: `${validBefore}` };
  const payment = toPayment(offer, { family: 'evm', authorization, signature, signer: 'key' });
  const to = offer.network.usdc as Hex;
  const submitAlone = () => chain.act(payer.address, { to, data: usdcCalls.transferParts(words, signature) });
  const cancel = () => {
    const cancelled = payer.cancel(offer.network, nonce);
    return chain.act(payer.address, { to, data: usdcCalls.cancelParts(payer.address, nonce, cancelled) });
  };
  const spend = () => chain.act(payer.address, { to, data: usdcCalls.transfer(key.address, 10_000n) });
  /** The payer signs something else with the same nonce. */
  const useElsewhere = () => {
    const others = { ...words, to: payer.address };
    const data = usdcCalls.transferParts(others, payer.authorize(offer.network, others));
    return chain.act(payer.address, { to, data });
  };
  return {
    ...{ world, time, app, offer, chain, rpcs, nodes: nodes.map(([, node]) => node) },
    ...{ settler, payment, submitAlone, cancel, spend, useElsewhere, payee, gasKey: key.address },
  };
}
