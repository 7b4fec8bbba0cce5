import { configuredOffers } from '@/lib/payments/network-offers';
import { RpcNodes } from '@/lib/payments/rpc/network-rpcs';
import { connectToAny, connectToEach } from '@/lib/payments/solana/solana-connections';
import { productionTimings } from '@/lib/platform/timings';
import { VirtualTime } from '../simulation/virtual-clock';
import { startFaultyNode } from '../support/faulty-node';
import { testPlatform } from '../support/platform';
import { timedOn } from '../support/timed';
import { expect, test } from '../support/without-browser';

const { slowMs, aliveWithinMs, anyWithinMs } = productionTimings.rpc;

/** Two RPCs of Solana that a test can break, on a clock that only the test moves. */
async function openSolana() {
  const nodes = await Promise.all([startFaultyNode(() => 7), startFaultyNode(() => 7)]);
  const clock = new VirtualTime().createClock();
  const SOLANA_RPC_URL = nodes.map(({ url }) => url).join(',');
  const PAY_TO_SOLANA = '11111111111111111111111111111112';
  const app = testPlatform({ SOLANA_RPC_URL, PAY_TO_SOLANA }, clock);
  const offer = configuredOffers(app.settings).find(({ network }) => network.family === 'solana');
  if (!offer) throw new Error('Solana is not configured');
  const rpcs = new RpcNodes(app, offer);
  return {
    clock,
    nodes,
    rpcs,
    any: connectToAny(app, rpcs),
    each: connectToEach(app, rpcs),
    close: () => Promise.all(nodes.map((node) => node.close())),
  };
}

for (const behavior of ['hangs', 'drips'] as const) {
  test(`an RPC of Solana that ${behavior} delays one call, and is left out of comparisons while it does`, async () => {
    const { clock, nodes, rpcs, any, each, close } = await openSolana();
    try {
      nodes[0]?.behave(behavior);
      const one = await timedOn(clock, any.getSlot());
      expect(one.value).toBe(7);
      expect(one.ms).toBeLessThan(slowMs + 500);
      for (let call = 0; call < 5; call += 1) expect(await any.getSlot()).toBe(7);
      const compared = await timedOn(
        clock,
        Promise.allSettled(each.map((connection) => connection.getSlot())),
      );
      expect(compared.value).toMatchObject([{ status: 'rejected' }, { status: 'fulfilled', value: 7 }]);
      expect(compared.ms).toBeLessThan(aliveWithinMs + 500);
      expect(rpcs.all.map(({ fault }) => fault)).toEqual(['hanging', null]);
    } finally {
      await close();
    }
  });
}

test('if all RPCs of Solana hang, a call ends within its limit', async () => {
  const { clock, nodes, any, close } = await openSolana();
  try {
    for (const node of nodes) node.behave('hangs');
    const one = await timedOn(clock, any.getSlot());
    expect(one.value).toBeInstanceOf(Error);
    expect(one.ms).toBeLessThanOrEqual(anyWithinMs + 100);
  } finally {
    await close();
  }
});

test('an RPC of Solana that answers with 500 or 429 delays nothing', async () => {
  for (const behavior of ['status-500', 'status-429', 'garbage'] as const) {
    const { clock, nodes, rpcs, any, close } = await openSolana();
    try {
      nodes[0]?.behave(behavior);
      const startedAt = clock.monotonic();
      for (let call = 0; call < 3; call += 1) expect(await any.getSlot()).toBe(7);
      expect(clock.monotonic()).toBe(startedAt);
      expect(rpcs.all.map(({ fault }) => fault)).toEqual(['failing', null]);
    } finally {
      await close();
    }
  }
});
