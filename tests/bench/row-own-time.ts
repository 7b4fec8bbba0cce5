import { type Bench, startOurs } from './bench';
import { startBenchChain } from './bench-chain';
import { newBuyers, signCalls } from './buyers';
import { startCountingProxy } from './programs';
import { inTurns, median } from './rounds';
import type { Row } from './table';

interface Times {
  readonly own: number;
  readonly total: number;
}

/**
 * One buyer's call as the buyer sees it, less the time from the arrival of the broadcast at the node to the departure
 * of the receipt: what the chain takes, and our asking for the receipt, do not count; verification does.
 */
export async function measureOwnTime(bench: Bench): Promise<Row[]> {
  const chain = bench.onEnd(await startBenchChain('instant'));
  const buyers = await newBuyers(chain, 1);
  const proxy = bench.onEnd(await startCountingProxy(chain.rpcUrl, `${bench.dir}/proxy.log`));
  const ours = await startOurs(bench, chain, { rpcUrl: proxy.url });
  const calls = bench.options.isQuick ? 40 : 100;

  const pay = async (): Promise<Times> => {
    const lanes = await signCalls(ours.url, buyers, calls);
    await proxy.take();
    const result = await bench.load.run({ kind: 'lanes', lanes });
    const { settlements } = await proxy.take();
    if (settlements.length !== calls || result.statuses[200] !== calls) {
      throw new Error(`${calls} payments: ${settlements.length} settled, ${result.statuses[200]} answered`);
    }
    const own = result.calls.map(({ ms }, index) => ms - (settlements[index] ?? 0));
    return { own: median(own), total: median(result.calls.map(({ ms }) => ms)) };
  };

  await pay();
  const { ours: times } = await inTurns(bench.options.rounds, { ours: pay });
  const own = median(times.map((time) => time.own));
  const total = median(times.map((time) => time.total));
  return [
    {
      name: 'paid call, our time outside the confirmation, p50 ms',
      ours: own.toFixed(1),
      baseline: `${total.toFixed(1)} the whole call`,
      ratio: null,
      aim: '<= 10',
      isMet: own <= 10,
    },
  ];
}
