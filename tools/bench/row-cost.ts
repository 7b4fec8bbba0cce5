import { type Bench, type PaidServer, startOfficial, startOurs } from './bench';
import { startBenchChain } from './bench-chain';
import { newBuyers, signCalls } from './buyers';
import { cpuMs } from './cpu-time';
import { type CountingProxy, startCountingProxy } from './programs';
import { inTurns, median } from './rounds';
import type { Row } from './table';

const callsPerRound: Readonly<Record<number, number>> = { 1: 128, 32: 512 };

interface Cost {
  readonly cpuMs: number | null;
  readonly rpcCalls: number;
  readonly roundTrips: number;
}

/** What one paid call costs its server: CPU time, calls to the node and HTTP round trips to it; with instant blocks. */
export async function measureCost(bench: Bench): Promise<Row[]> {
  const chain = bench.onEnd(await startBenchChain('instant'));
  const buyers = await newBuyers(chain, 32);
  const proxies = {
    ours: bench.onEnd(await startCountingProxy(chain.rpcUrl, `${bench.dir}/proxy.log`)),
    baseline: bench.onEnd(await startCountingProxy(chain.rpcUrl, `${bench.dir}/proxy.log`)),
  };
  const ours = await startOurs(bench, chain, { rpcUrl: proxies.ours.url });
  const { beforeDir } = bench.options;
  // With the queue, because without it most payments of 32 buyers fail; and with the default polling, which asks the node
  // least often.
  const baseline =
    beforeDir === null
      ? await startOfficial(bench, chain, { hasQueue: true, rpcUrl: proxies.baseline.url })
      : await startOurs(bench, chain, { rpcUrl: proxies.baseline.url, checkout: beforeDir });
  const label = beforeDir === null ? 'official' : 'before';

  const pay = async (
    server: PaidServer,
    proxy: CountingProxy,
    buyerCount: number,
    calls: number,
  ): Promise<Cost> => {
    const lanes = await signCalls(server.url, buyers.slice(0, buyerCount), Math.ceil(calls / buyerCount));
    await proxy.take();
    const before = cpuMs(server.pid);
    const result = await bench.load.run({ kind: 'lanes', lanes });
    const after = cpuMs(server.pid);
    const traffic = await proxy.take();
    const served = result.statuses[200] ?? 0;
    if (bench.options.isQuick) process.stderr.write(`${JSON.stringify({ served, ...traffic.methods })}\n`);
    return {
      cpuMs: before === null || after === null ? null : (after - before) / served,
      rpcCalls: traffic.calls / served,
      roundTrips: traffic.roundTrips / served,
    };
  };

  const contestants = (buyerCount: number, calls: number) => ({
    ours: () => pay(ours, proxies.ours, buyerCount, calls),
    baseline: () => pay(baseline, proxies.baseline, buyerCount, calls),
  });
  for (const buyerCount of [1, 32]) await inTurns(1, contestants(buyerCount, 96));
  const rows: Row[] = [];
  for (const [key, all] of Object.entries(callsPerRound)) {
    const buyerCount = Number(key);
    const calls = bench.options.isQuick ? all / 2 : all;
    const costs = await inTurns(bench.options.rounds, contestants(buyerCount, calls));
    const name = `${buyerCount} ${buyerCount === 1 ? 'buyer' : 'buyers'}`;
    rows.push(...toRows(name, label, costs, beforeDir === null && buyerCount === 32));
  }
  return rows;
}

function toRows(
  name: string,
  against: string,
  { ours, baseline }: Record<'ours' | 'baseline', Cost[]>,
  hasCpuAim: boolean,
): Row[] {
  const row = (
    label: string,
    field: keyof Cost,
    aim: string,
    isReached: (mine: number, theirs: number) => boolean,
  ): Row => {
    const [mine, theirs] = [ours, baseline].map((costs) => {
      const values = costs.map((cost) => cost[field]);
      return values.includes(null) ? null : median(values as number[]);
    });
    const isKnown = typeof mine === 'number' && typeof theirs === 'number';
    return {
      name: `${label} per paid call, ${name}`,
      ours: isKnown ? mine.toFixed(2) : 'Linux only',
      baseline: isKnown ? `${theirs.toFixed(2)} ${against}` : '',
      ratio: isKnown ? mine / theirs : null,
      aim,
      isMet: aim === '' || !isKnown ? null : isReached(mine, theirs),
    };
  };
  return [
    row('CPU ms', 'cpuMs', hasCpuAim ? '<= 0.1x' : '', (mine, theirs) => mine <= 0.1 * theirs),
    row('RPC calls', 'rpcCalls', '<= 2', (mine) => mine <= 2),
    row('round trips to the node', 'roundTrips', '', () => true),
  ];
}
