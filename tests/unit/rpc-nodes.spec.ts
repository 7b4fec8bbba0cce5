import { createPublicClient } from 'viem';
import { openTransports } from '@/lib/payments/evm/rpc-transports';
import { configuredOffers } from '@/lib/payments/network-offers';
import { RpcNodes } from '@/lib/payments/rpc/network-rpcs';
import { OngoingProblems } from '@/lib/platform/ongoing-problem';
import { productionTimings } from '@/lib/platform/timings';
import { VirtualTime } from '../simulation/virtual-clock';
import { type Behavior, type FaultyNode, startFaultyNode } from '../support/faulty-node';
import { testPlatform } from '../support/platform';
import { timedOn } from '../support/timed';
import { expect, test } from '../support/without-browser';

const { slowMs, aliveWithinMs, answerWithinMs, anyWithinMs, probeFirstMs } = productionTimings.rpc;

/** A network with RPCs that a test can break, on a clock that only the test moves. */
async function openNetwork(count: number) {
  const nodes = await Promise.all(Array.from({ length: count }, () => startFaultyNode()));
  const clock = new VirtualTime().createClock();
  const BASE_RPC_URL = nodes.map(({ url }) => url).join(',');
  const logged: [message: string, details: object][] = [];
  const write = (details: object, message: string) => logged.push([message, details]);
  const platform = testPlatform({ BASE_RPC_URL }, clock);
  const log = { info: write, warn: write, error: write };
  const app = { ...platform, problems: new OngoingProblems(log as unknown as typeof platform.log, clock) };
  const [offer] = configuredOffers(app.settings);
  if (!offer) throw new Error('Base is not configured');
  const rpcs = new RpcNodes(app, offer);
  const { any, each } = openTransports(app, rpcs);
  const client = createPublicClient({ transport: any });
  const witnesses = each.map((transport) => createPublicClient({ transport }));
  const usable = async () => {
    const { values } = await app.metrics.rpcUsable.get();
    return values.map(({ value }) => value);
  };
  return {
    clock,
    nodes: nodes as [FaultyNode, ...FaultyNode[]],
    rpcs,
    logged,
    usable,
    /** Asks any of the RPCs. */
    ask: () => client.getBlockNumber({ cacheTime: 0 }),
    /** Asks one RPC, as one of several that are compared. */
    compare: (index: number) =>
      witnesses[index]?.getBlockNumber({ cacheTime: 0 }) ?? Promise.reject(new Error('no such RPC')),
    close: () => Promise.all(nodes.map((node) => node.close())),
  };
}

type Network = Awaited<ReturnType<typeof openNetwork>>;

async function onNetwork(count: number, work: (network: Network) => Promise<void>): Promise<void> {
  const network = await openNetwork(count);
  try {
    await work(network);
  } finally {
    await network.close();
  }
}

const hanging: readonly Behavior[] = ['hangs', 'drips'];
const failing: readonly Behavior[] = ['status-500', 'status-429', 'garbage'];

for (const behavior of hanging) {
  test(`an RPC that ${behavior} delays one call, by a second, and is then left alone`, async () => {
    await onNetwork(2, async (network) => {
      const [first] = network.nodes;
      first.behave(behavior);
      const one = await timedOn(network.clock, network.ask());
      expect(one.value).toBe(5n);
      expect(one.ms).toBeGreaterThanOrEqual(slowMs);
      expect(one.ms).toBeLessThan(slowMs + 500);
      for (let call = 0; call < 5; call += 1) expect(await network.ask()).toBe(5n);
      await network.clock.time.pass(aliveWithinMs);
      expect(network.rpcs.all.map(({ fault }) => fault)).toEqual(['hanging', null]);
      expect(first.asked.filter((method) => method === 'eth_blockNumber')).toHaveLength(1);
    });
  });
}

for (const behavior of failing) {
  test(`an RPC with "${behavior}" delays nothing, and is asked last afterwards`, async () => {
    await onNetwork(2, async (network) => {
      const [first] = network.nodes;
      first.behave(behavior);
      const startedAt = network.clock.monotonic();
      for (let call = 0; call < 5; call += 1) expect(await network.ask()).toBe(5n);
      expect(network.rpcs.all.map(({ fault }) => fault)).toEqual(['failing', null]);
      expect(first.asked).toEqual(['eth_blockNumber']);
      expect(network.clock.monotonic()).toBe(startedAt);
    });
  });
}

test('an RPC that answers every call with an internal error is found out by a ping, and others are asked', async () => {
  await onNetwork(2, async (network) => {
    const [first] = network.nodes;
    first.behave('error');
    expect(await network.ask()).toBe(5n);
    await expect.poll(() => network.rpcs.all[0]?.fault).toBe('failing');
    expect(await network.ask()).toBe(5n);
    expect(first.asked).toEqual(['eth_blockNumber', 'eth_chainId']);
  });
});

test('an RPC that nobody can connect to delays nothing', async () => {
  await onNetwork(2, async (network) => {
    await network.nodes[0].close();
    expect(await network.ask()).toBe(5n);
    expect(network.rpcs.all.map(({ fault }) => fault)).toEqual(['failing', null]);
  });
});

test('if all RPCs hang, a call ends within its limit, and later calls end within a second', async () => {
  for (const count of [1, 2, 6]) {
    await onNetwork(count, async (network) => {
      for (const node of network.nodes) node.behave('hangs');
      const one = await timedOn(network.clock, network.ask());
      expect(one.value).toBeInstanceOf(Error);
      expect(one.ms).toBeLessThanOrEqual(anyWithinMs + 100);
      await network.clock.time.pass(anyWithinMs);
      for (let call = 0; call < 5; call += 1) {
        const later = await timedOn(network.clock, network.ask());
        expect(String(later.value)).toMatch(/no RPC of base answers/);
        expect(later.ms).toBeLessThanOrEqual(slowMs + 50);
      }
    });
  }
});

test('a wait that an RPC asks for with Retry-After delays no call', async () => {
  await onNetwork(1, async (network) => {
    network.nodes[0].behave('status-429');
    const one = await timedOn(network.clock, network.ask());
    expect(one.value).toBeInstanceOf(Error);
    expect(one.ms).toBeLessThan(slowMs);
  });
});

test('the only RPC of a network is still asked when it fails at once, so that its next answer counts', async () => {
  await onNetwork(1, async (network) => {
    const [only] = network.nodes;
    only.behave('status-500');
    expect((await timedOn(network.clock, network.ask())).value).toBeInstanceOf(Error);
    only.behave('answers');
    expect(await network.ask()).toBe(5n);
  });
});

test('an RPC that answers again is used again by itself; its metric and two log lines tell', async () => {
  await onNetwork(2, async (network) => {
    const [first] = network.nodes;
    first.behave('hangs');
    await timedOn(network.clock, network.ask());
    await network.clock.time.pass(aliveWithinMs);
    for (let call = 0; call < 20; call += 1) await network.ask();
    expect(await network.usable()).toEqual([0, 1]);
    first.behave('answers');
    await network.clock.time.pass(probeFirstMs);
    await expect
      .poll(async () => {
        await network.ask();
        return network.rpcs.all[0]?.fault;
      })
      .toBeNull();
    expect(await network.usable()).toEqual([1, 1]);
    const before = first.asked.length;
    await network.ask();
    expect(first.asked).toHaveLength(before + 1);
    expect(network.logged.map(([message]) => message)).toEqual([
      'an RPC does not work',
      'over: an RPC does not work',
    ]);
    expect(network.logged[0]?.[1]).toMatchObject({ network: 'base', rpc: 1, fault: 'hanging' });
    expect(JSON.stringify(network.logged)).not.toContain(new URL(first.url).port);
  });
});

test('an RPC that only hangs with one method is not used again before it answers that method', async () => {
  await onNetwork(2, async (network) => {
    const [first] = network.nodes;
    first.behave((method) => (method === 'eth_blockNumber' ? 'hangs' : 'answers'));
    await timedOn(network.clock, network.ask());
    await timedOn(network.clock, network.clock.sleep(answerWithinMs));
    await expect.poll(() => network.rpcs.all[0]?.fault).toBe('hanging');
    for (let call = 0; call < 30; call += 1) {
      await network.clock.time.pass(500);
      expect(await network.ask()).toBe(5n);
      expect(network.rpcs.all[0]?.fault).toBe('hanging');
    }
  });
});

test('the only RPC stays in use when it is slow with one request and answers others', async () => {
  await onNetwork(1, async (network) => {
    const [only] = network.nodes;
    only.behave((method) => (method === 'eth_blockNumber' ? 'hangs' : 'answers'));
    const one = await timedOn(network.clock, network.ask());
    expect(one.value).toBeInstanceOf(Error);
    expect(network.rpcs.all[0]?.fault).toBeNull();
  });
});

test('a comparison leaves an RPC out only while it does not answer', async () => {
  await onNetwork(2, async (network) => {
    const [first] = network.nodes;
    first.behave('hangs');
    const one = await timedOn(network.clock, network.compare(0));
    expect(one.value).toBeInstanceOf(Error);
    expect(one.ms).toBeLessThan(aliveWithinMs + 500);
    // A request has been waiting for longer than a moment, so it does not answer now.
    await expect(network.compare(0)).rejects.toThrow(/does not answer/);
    // It answers again, but no probe was due yet.
    first.behave('answers');
    await expect.poll(() => network.rpcs.all[0]?.isOverdue).toBe(false);
    expect(network.rpcs.all[0]?.fault).toBe('hanging');
    expect(await network.compare(0)).toBe(5n);
  });
});

test('an RPC that fails has a second to answer in a comparison', async () => {
  await onNetwork(2, async (network) => {
    const [first] = network.nodes;
    first.behave('hangs');
    await timedOn(network.clock, network.compare(0));
    await network.clock.time.pass(2 * answerWithinMs);
    const again = await timedOn(network.clock, network.compare(0));
    expect(again.value).toBeInstanceOf(Error);
    expect(again.ms).toBeGreaterThanOrEqual(slowMs);
    expect(again.ms).toBeLessThan(slowMs + 500);
  });
});
