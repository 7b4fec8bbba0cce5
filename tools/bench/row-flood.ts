import { type Bench, logFile, startOurs } from './bench';
import { type BlockMode, startBenchChain } from './bench-chain';
import { newBuyers, signCalls } from './buyers';
import { startLoad } from './programs';
import { inTurns, median } from './rounds';
import type { Row } from './table';
import { measureUnpaidRate, unpaidConnections } from './unpaid-rate';

const buyerCount = 4;
const callsPerBuyer: Readonly<Record<BlockMode, number>> = { instant: 50, '2 s': 8 };

interface Times {
  readonly p50: number;
  readonly p95: number;
  /** Unpaid responses per second meanwhile. */
  readonly unpaid: number;
}

/** How long paying buyers wait, alone and during a flood of unpaid requests. */
export async function measureFlood(bench: Bench): Promise<Row[]> {
  const rows: Row[] = [];
  for (const mode of ['instant', '2 s'] as const) rows.push(await measureMode(bench, mode));
  return rows;
}

async function measureMode(bench: Bench, mode: BlockMode): Promise<Row> {
  const chain = bench.onEnd(await startBenchChain(mode));
  const buyers = await newBuyers(chain, buyerCount);
  const ours = await startOurs(bench, chain);
  // A second load program, because in one process the flood would also delay the measurement of the paid calls.
  const paying = bench.onEnd(await startLoad(logFile(bench, 'paying')));
  const each = bench.options.isQuick ? Math.ceil(callsPerBuyer[mode] / 2) : callsPerBuyer[mode];

  const pay = async (): Promise<Times> => {
    const lanes = await signCalls(ours.url, buyers, each);
    const { calls } = await paying.run({ kind: 'lanes', lanes });
    const failed = calls.filter(({ status }) => status !== 200);
    if (failed.length > 0) throw new Error(`${failed.length} of ${calls.length} valid payments failed`);
    const times = calls.map(({ ms }) => ms).sort((one, other) => one - other);
    return { p50: median(times), p95: times[Math.ceil(times.length * 0.95) - 1] ?? 0, unpaid: 0 };
  };
  const payInFlood = async (): Promise<Times> => {
    let isOver = false;
    const rates: number[] = [];
    const flood = async () => {
      while (!isOver) rates.push((await measureUnpaidRate(bench, ours, 500)).perSecond);
    };
    const flooding = flood();
    try {
      const times = await pay();
      return { ...times, unpaid: median(rates) };
    } finally {
      isOver = true;
      await flooding;
    }
  };

  await pay();
  const { alone, inFlood } = await inTurns(bench.options.rounds, { alone: pay, inFlood: payInFlood });
  const of = (rounds: readonly Times[], field: keyof Times) => median(rounds.map((times) => times[field]));
  const ratio = of(inFlood, 'p95') / of(alone, 'p95');
  return {
    name:
      `paid call p95 ms, ${mode} blocks, ${buyerCount} buyers, beside ${unpaidConnections} unpaid connections ` +
      `(${of(inFlood, 'unpaid').toFixed(0)}/s)`,
    ours: `${of(inFlood, 'p95').toFixed(0)} (p50 ${of(inFlood, 'p50').toFixed(0)})`,
    baseline: `${of(alone, 'p95').toFixed(0)} alone (p50 ${of(alone, 'p50').toFixed(0)})`,
    ratio,
    aim: '<= 2x',
    isMet: ratio <= 2,
  };
}
