import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { cpus, loadavg, tmpdir, totalmem } from 'node:os';
import path from 'node:path';
import { startStack } from '@/local/stack';
import { buildBaselineApp } from './baseline-app';
import type { Bench } from './bench';
import { type BenchOptions, type RowName, readOptions } from './options';
import { startLoad } from './programs';
import { measureAirports } from './row-airports';
import { measureAwake } from './row-awake';
import { measureChannels } from './row-channels';
import { measureCost } from './row-cost';
import { measureFlood } from './row-flood';
import { measureFormContent } from './row-form-content';
import { measureFreeAddresses } from './row-free-addresses';
import { measureFreeFloods } from './row-free-floods';
import { measureFrontDoor } from './row-front-door';
import { measureIdle } from './row-idle';
import { measureLedgerSize } from './row-ledger-size';
import { measureOpenLoop } from './row-open-loop';
import { measureOwnTime } from './row-own-time';
import { measurePaidRate } from './row-paid-rate';
import { measurePaywall } from './row-paywall';
import { measurePdf } from './row-pdf';
import { measurePut } from './row-put';
import { measureReplay } from './row-replay';
import { measureUnpaid } from './row-unpaid';
import { formatTable, type Row } from './table';

const measures: Readonly<Record<RowName, (bench: Bench) => Promise<Row[]>>> = {
  unpaid: measureUnpaid,
  'front-door': measureFrontDoor,
  flood: measureFlood,
  'free-floods': measureFreeFloods,
  'free-addresses': measureFreeAddresses,
  idle: measureIdle,
  'paid-rate': measurePaidRate,
  'open-loop': measureOpenLoop,
  cost: measureCost,
  'own-time': measureOwnTime,
  channels: measureChannels,
  replay: measureReplay,
  awake: measureAwake,
  put: measurePut,
  'ledger-size': measureLedgerSize,
  pdf: measurePdf,
  'form-content': measureFormContent,
  airports: measureAirports,
  paywall: measurePaywall,
};

type Stop = () => Promise<void>;

/** Everything that runs, in the order of its start. Stopped in reverse order. */
const running: Stop[] = [];

async function stopDownTo(left: number): Promise<void> {
  while (running.length > left) await running.pop()?.();
}

function onEnd<Part extends { stop(): Promise<void> }>(part: Part): Part {
  running.push(() => part.stop());
  return part;
}

async function measure(options: BenchOptions): Promise<{ rows: Row[]; failures: string[] }> {
  const dir = mkdtempSync(path.join(tmpdir(), 'tuppence-bench-'));
  running.push(async () => rmSync(dir, { recursive: true, force: true }));
  // PostgreSQL's account, which is not ours when we are root, must be able to enter the folder.
  chmodSync(dir, 0o711);
  const baselineAppDir = await buildBaselineApp();
  if (options.profileDir) mkdirSync(options.profileDir, { recursive: true });
  // With fsync, as in production: otherwise the ledger would look cheaper than it is.
  const stack = onEnd(await startStack({ dir: path.join(dir, 'stack'), payers: 1, fsync: true }));
  const load = onEnd(await startLoad(path.join(dir, 'load.log')));
  const bench: Bench = { options, dir, stack, baselineAppDir, load, onEnd };
  const rows: Row[] = [];
  const failures: string[] = [];
  for (const name of options.rows) {
    process.stderr.write(`${name}\n`);
    const before = running.length;
    try {
      rows.push(...(await measures[name](bench)));
    } catch (error) {
      failures.push(`${name}: ${error instanceof Error ? error.stack : error}`);
    }
    await stopDownTo(before);
  }
  return { rows, failures };
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    stopDownTo(0).finally(() => process.exit(130));
  });
}

try {
  const options = readOptions(process.argv.slice(2));
  const { rows, failures } = await measure(options);
  const memoryGiB = (totalmem() / 2 ** 30).toFixed(0);
  console.log(
    `\n${cpus().length} cores (${cpus()[0]?.model.trim()}), ${memoryGiB} GiB, Node ${process.version}, ` +
      `load ${loadavg()[0]?.toFixed(1)}; median of ${options.rounds} rounds${options.isQuick ? ', quick' : ''}\n`,
  );
  console.log(formatTable(rows));
  for (const failure of failures) console.error(`\nnot measured: ${failure}`);
  process.exitCode = failures.length > 0 ? 1 : 0;
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
} finally {
  await stopDownTo(0);
}
