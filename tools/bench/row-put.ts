import { createHash, randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { type Bench, logFile, startOurs } from './bench';
import { startBenchChain } from './bench-chain';
import { announcement, newBuyers, signCalls } from './buyers';
import type { LoadRequest } from './load-protocol';
import { startProgram } from './programs';
import { inTurns, median } from './rounds';
import type { Row } from './table';

const sizeBytes = 10 * 1024 * 1024;
const warmUpPuts = 2;

/** PUT of 10 MiB into bought slots, compared with bare node:http servers that hash and store the same bytes on the same disk. */
export async function measurePut(bench: Bench): Promise<Row[]> {
  const { rounds, isQuick } = bench.options;
  const puts = isQuick ? 4 : 8;
  const bytes = randomBytes(sizeBytes);
  const bodyFile = path.join(bench.dir, 'put.bin');
  writeFileSync(bodyFile, bytes);
  const chain = bench.onEnd(await startBenchChain('instant'));
  const ours = await startOurs(bench, chain);
  const slots = await buySlots(ours.url, await newBuyers(chain, 1), puts * rounds + warmUpPuts, bytes);
  const folder = path.join(bench.dir, 'bare-files');
  const bare = bench.onEnd(await startProgram('file-server', [folder], logFile(bench, 'file-server')));
  const digest = createHash('sha256').update(bytes).digest('hex');
  const barePut = (query: string): LoadRequest => ({
    method: 'PUT',
    url: `http://127.0.0.1:${bare.port}/${query}`,
    headers: { 'Content-Length': String(sizeBytes), 'X-Amz-Meta-Sha256': digest },
  });

  const put = (next: (count: number) => LoadRequest[], count: number) => async () => {
    const lanes = [next(count).map((request) => ({ ...request, bodyFile }))];
    const result = await bench.load.run({ kind: 'lanes', lanes });
    if (result.statuses[200] !== count) throw new Error(`PUT: ${JSON.stringify(result.statuses)}`);
    return (count * sizeBytes) / 1e6 / (result.elapsedMs / 1_000);
  };
  const intoSlots = (count: number) => slots.splice(0, count);
  const bareOnly = (count: number) => Array.from({ length: count }, () => barePut(''));
  const bareFlushed = (count: number) => Array.from({ length: count }, () => barePut('?flush'));

  for (const next of [intoSlots, bareOnly, bareFlushed]) await put(next, warmUpPuts)();
  const rates = await inTurns(rounds, {
    ours: put(intoSlots, puts),
    bare: put(bareOnly, puts),
    flushed: put(bareFlushed, puts),
  });
  const row = (label: string, baseline: readonly number[]): Row => {
    const ratio = median(rates.ours) / median(baseline);
    return {
      name: 'upload PUT of 10 MiB with SHA-256, MB/s',
      ours: median(rates.ours).toFixed(0),
      baseline: `${median(baseline).toFixed(0)} ${label}`,
      ratio,
      aim: '>= 1.2x',
      isMet: ratio >= 1.2,
    };
  };
  return [row('bare node:http', rates.bare), row('bare node:http that flushes as ours', rates.flushed)];
}

async function buySlots(
  url: string,
  buyers: Awaited<ReturnType<typeof newBuyers>>,
  count: number,
  bytes: Buffer,
): Promise<LoadRequest[]> {
  const [lane = []] = await signCalls(url, buyers, count, announcement(bytes));
  return Promise.all(
    lane.map(async ({ url: address, ...init }) => {
      const answer = await fetch(address, init);
      if (!answer.ok) throw new Error(`no slot: ${answer.status} ${await answer.text()}`);
      const slot = (await answer.json()) as { uploadUrl: string; uploadHeaders: Record<string, string> };
      return { method: 'PUT', url: slot.uploadUrl, headers: slot.uploadHeaders };
    }),
  );
}
