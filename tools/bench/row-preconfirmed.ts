import { preconfirm } from '@/tests/support/preconfirming-node';
import { startRpcProxy } from '@/tests/support/rpc-proxy';
import { type Bench, startOurs } from './bench';
import { startBenchChain } from './bench-chain';
import { newBuyers, signCalls } from './buyers';
import { inTurns, median } from './rounds';
import type { Row } from './table';

/** The interval that Base states for its sequencer. */
const afterMs = 200;

/**
 * How long a lone buyer waits with two-second blocks behind a node that pre-confirms: our server answering on the node's
 * word, and the same server waiting for the blocks. The next call is sent after each response.
 */
export async function measurePreconfirmed(bench: Bench): Promise<Row[]> {
  const chain = bench.onEnd(await startBenchChain('2 s'));
  const [buyer] = await newBuyers(chain, 1);
  if (!buyer) throw new Error('there is no buyer');
  const calls = bench.options.isQuick ? 5 : 10;

  const contestant = async (max: string) => {
    const proxy = await startRpcProxy(chain.rpcUrl, { sendsSynchronously: true });
    bench.onEnd({ stop: () => proxy.close() });
    preconfirm(proxy, chain.rpcUrl, { afterMs });
    const settings = { PRECONFIRMED_USDC_MAX: `base=${max}` };
    const { url } = await startOurs(bench, chain, { rpcUrl: proxy.url, settings });
    return async (): Promise<number> => {
      const lanes = await signCalls(url, [buyer], calls);
      const { statuses, calls: answered } = await bench.load.run({ kind: 'lanes', lanes });
      if (statuses[200] !== calls)
        throw new Error(`${statuses[200] ?? 0} of ${calls} payments were answered`);
      return median(answered.map(({ ms }) => ms));
    };
  };

  const contestants = { on: await contestant('5'), off: await contestant('0') };
  await inTurns(1, contestants);
  const times = await inTurns(bench.options.rounds, contestants);
  const [on, off] = [median(times.on), median(times.off)];
  return [
    {
      name: `paid call of one buyer, 2 s blocks, pre-confirmed after ${afterMs} ms, p50 ms`,
      ours: on.toFixed(0),
      baseline: `${off.toFixed(0)} waiting for the block`,
      ratio: on / off,
      aim: '',
      isMet: null,
    },
  ];
}
