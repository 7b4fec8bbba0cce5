import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { baselinePaths } from './baseline-app';
import { type Bench, startBaseline, startOurRoutes } from './bench';
import { startBenchChain } from './bench-chain';
import type { SeenAnswer } from './constant-route';
import type { Server } from './programs';
import { inTurns } from './rounds';
import type { Row } from './table';
import { measureUnpaidRate, unpaidRows } from './unpaid-rate';

/** Unpaid calls to the route handler, compared with a handler that only sends the same bytes. */
export async function measureUnpaid(bench: Bench): Promise<Row[]> {
  const chain = bench.onEnd(await startBenchChain('instant'));
  const ours = await startOurRoutes(bench, chain);
  const oursUrl = `${ours.url}/v1/uploads`;
  const seenFile = path.join(bench.dir, 'seen-answer.json');
  writeFileSync(seenFile, JSON.stringify(await seeAnswer(oursUrl)));
  const baseline = await startBaseline(bench, { BENCH_SEEN_ANSWER: seenFile });
  const baselineUrl = `${baseline.url}${baselinePaths.constant}`;
  await checkEqualSize(oursUrl, baselineUrl);

  const durationMs = bench.options.isQuick ? 1_000 : 3_000;
  const flood = (server: Server, url: string) => () =>
    measureUnpaidRate(bench, { url, pid: server.pid }, durationMs);
  const contestants = { ours: flood(ours, oursUrl), baseline: flood(baseline, baselineUrl) };
  await inTurns(1, contestants);
  const rates = await inTurns(bench.options.rounds, contestants);
  const bare = { label: 'bare Next route', rates: rates.baseline };
  return unpaidRows('unpaid 402, route handler', 0.95, rates.ours, bare);
}

/** Headers that the framework, its configuration or the connection adds to both responses. */
const addedByOthers =
  /^(access-control-|x-content-type-options|connection|date|keep-alive|transfer-encoding|vary)/;

async function seeAnswer(url: string): Promise<SeenAnswer> {
  const answer = await fetch(url, { method: 'POST' });
  const headers = Object.fromEntries([...answer.headers].filter(([name]) => !addedByOthers.test(name)));
  return { status: answer.status, headers, body: await answer.text() };
}

async function checkEqualSize(...urls: string[]): Promise<void> {
  const sizes = await Promise.all(
    urls.map(async (url) => {
      const answer = await fetch(url, { method: 'POST' });
      const names = [...answer.headers].map(([name, value]) => `${name}:${value.length}`).sort();
      return JSON.stringify([answer.status, (await answer.text()).length, names]);
    }),
  );
  if (new Set(sizes).size > 1)
    throw new Error(`the answers differ in more than content:\n${sizes.join('\n')}`);
}
