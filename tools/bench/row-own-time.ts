import { type Bench, startOurs } from './bench';
import { startBenchChain } from './bench-chain';
import { newBuyers, signCalls } from './buyers';
import { signTransfers, timeTransfers } from './chain-alone';
import { startCountingProxy } from './programs';
import { inTurns, median } from './rounds';
import type { Row } from './table';

interface Times {
  readonly own: number;
  readonly total: number;
}

/**
 * One buyer's call as the buyer sees it, less the time from the arrival of the broadcast at the node to the departure of the
 * receipt. So the chain's time and our polling for the receipt do not count, but verification does. Compared with the same
 * payments sent to the node without a server, through the same proxy.
 */
export async function measureOwnTime(bench: Bench): Promise<Row[]> {
  const chain = bench.onEnd(await startBenchChain('instant'));
  const [buyer] = await newBuyers(chain, 1);
  if (!buyer) throw new Error('there is no buyer');
  const calls = bench.options.isQuick ? 40 : 100;

  const contestant = async (checkout?: string) => {
    const proxy = bench.onEnd(await startCountingProxy(chain.rpcUrl, `${bench.dir}/proxy.log`));
    const { url } = await startOurs(bench, chain, { rpcUrl: proxy.url, checkout });
    const pay = async (): Promise<Times> => {
      const lanes = await signCalls(url, [buyer], calls);
      await proxy.take();
      const result = await bench.load.run({ kind: 'lanes', lanes });
      const { settlements } = await proxy.take();
      if (settlements.length !== calls || result.statuses[200] !== calls) {
        throw new Error(`${calls} payments: ${settlements.length} settled, ${result.statuses[200]} answered`);
      }
      const own = result.calls.map(({ ms }, index) => ms - (settlements[index] ?? 0));
      return { own: median(own), total: median(result.calls.map(({ ms }) => ms)) };
    };
    const payAlone = async (): Promise<Times> => {
      const [lane = []] = await signCalls(url, [buyer], calls);
      const total = median(await timeTransfers(proxy.url, await signTransfers(chain, lane)));
      return { own: 0, total };
    };
    return { pay, payAlone };
  };

  const { pay, payAlone } = await contestant();
  const { beforeDir } = bench.options;
  const contestants: Record<string, () => Promise<Times>> = { ours: pay, chain: payAlone };
  if (beforeDir !== null) contestants.before = (await contestant(beforeDir)).pay;
  await inTurns(1, contestants);
  const times = await inTurns(bench.options.rounds, contestants);
  const medianOf = (name: string, part: keyof Times) => median((times[name] ?? []).map((time) => time[part]));
  const alone = medianOf('chain', 'total');
  const rowsOf = (name: string, label: string): Row[] => {
    const own = medianOf(name, 'own');
    const total = medianOf(name, 'total');
    return [
      {
        name: `paid call of one buyer${label}, our time outside the confirmation, p50 ms`,
        ours: own.toFixed(1),
        baseline: `${alone.toFixed(1)} the chain alone`,
        ratio: own / alone,
        aim: '<= 0.5x',
        isMet: own <= 0.5 * alone,
      },
      {
        name: `  the whole call${label}`,
        ours: total.toFixed(1),
        baseline: `${alone.toFixed(1)} the chain alone`,
        ratio: total / alone,
        aim: '',
        isMet: null,
      },
    ];
  };
  return [...rowsOf('ours', ''), ...(beforeDir === null ? [] : rowsOf('before', ', before'))];
}
