import { setTimeout as sleep } from 'node:timers/promises';
import { type Bench, logFile, startOurs } from './bench';
import { startBenchChain } from './bench-chain';
import { newBuyers, signCalls } from './buyers';
import type { LoadRequest } from './load-protocol';
import { spawnOurServer } from './programs';
import { median } from './rounds';
import type { Row } from './table';

const killsPerRound = 3;

/** The pause between requests to a server that does not accept connections yet. */
const pauseMs = 5;
const startMsMax = 30_000;

interface Awake {
  readonly first402Ms: number;
  readonly firstPaidMs: number;
}

/**
 * How long a server that has served paid calls is unavailable when it is killed and restarted at once, as by a supervisor:
 * until it answers an unpaid call, and until it has served a new paid one.
 */
export async function measureAwake(bench: Bench): Promise<Row[]> {
  const { rounds, isQuick } = bench.options;
  const kills = isQuick ? killsPerRound : rounds * killsPerRound;
  const chain = bench.onEnd(await startBenchChain('instant'));
  const { url, pid: firstPid, settings } = await startOurs(bench, chain);
  const [lane = []] = await signCalls(url, await newBuyers(chain, 1), kills + 1);
  const [warmUp, ...payments] = lane;
  if (!warmUp) throw new Error('no payment was signed');
  await pay(warmUp);
  const env = { ...settings, PORT: new URL(url).port };

  const times: Awake[] = [];
  let pid = firstPid;
  for (const payment of payments) {
    process.kill(pid, 'SIGKILL');
    const killedAt = performance.now();
    await untilEnded(pid);
    const child = bench.onEnd(await spawnOurServer(logFile(bench, 'awake'), env));
    pid = child.pid;
    await untilAnswered(url);
    const first402Ms = performance.now() - killedAt;
    await pay(payment);
    times.push({ first402Ms, firstPaidMs: performance.now() - killedAt });
    process.stderr.write(`  kill ${times.length} of ${kills}\n`);
    // A server that is killed while it is still starting would say nothing about a running one.
    await sleep(1_000);
  }
  return [
    toRow('kill -9 to the first 402, ms', 1_000, times, ({ first402Ms }) => first402Ms),
    toRow('kill -9 to the first new paid call, ms', 2_000, times, ({ firstPaidMs }) => firstPaidMs),
  ];
}

async function pay({ url, ...init }: LoadRequest): Promise<void> {
  const answer = await fetch(url, init);
  if (!answer.ok) throw new Error(`a payment was answered ${answer.status}: ${await answer.text()}`);
}

async function untilEnded(pid: number): Promise<void> {
  for (;;) {
    try {
      process.kill(pid, 0);
    } catch {
      return;
    }
    await sleep(1);
  }
}

async function untilAnswered(url: string): Promise<void> {
  for (const deadline = performance.now() + startMsMax; ; ) {
    const status = await fetch(url, { method: 'POST' }).then(
      async (answer) => {
        await answer.arrayBuffer();
        return answer.status;
      },
      () => null,
    );
    if (status === 402) return;
    if (performance.now() > deadline) throw new Error(`no 402 from ${url}: ${status}`);
    await sleep(pauseMs);
  }
}

function toRow(name: string, aimMs: number, times: readonly Awake[], of: (time: Awake) => number): Row {
  const values = times.map(of);
  const mine = median(values);
  return {
    name,
    ours: mine.toFixed(0),
    baseline: `${Math.min(...values).toFixed(0)} to ${Math.max(...values).toFixed(0)}`,
    ratio: null,
    aim: `<= ${aimMs}`,
    isMet: mine <= aimMs,
  };
}
