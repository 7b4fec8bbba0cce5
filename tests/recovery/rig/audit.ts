import { type ChildProcess, execFile, fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { programsFolder } from '../../support/stack';

/** A program in one file, made once per run: it then starts in a third of the time. */
async function bundle(entry: string): Promise<string> {
  const outfile = path.join(programsFolder(), `${path.basename(entry, '.ts')}.mjs`);
  if (existsSync(outfile)) return outfile;
  // Workers may come here at once.
  const unfinished = `${outfile}.${process.pid}`;
  await build({
    entryPoints: [entry],
    outfile: unfinished,
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    logLevel: 'error',
  });
  await rename(unfinished, outfile);
  return outfile;
}

// Next's type of ProcessEnv demands NODE_ENV.
const environment = (settings: Record<string, string>) => ({
  ...settings,
  PATH: process.env.PATH,
  LOG_LEVEL: 'silent',
  NODE_ENV: 'test' as const,
});

export interface Auditor {
  /** What the audit finds, a line each; empty when ledger and chains agree. */
  audit(fromBlock: number): Promise<string[]>;
  close(): Promise<void>;
}

/** The audit under these settings, in a process that is started when it is first needed. */
export function openAuditor(settings: Record<string, string>): Auditor {
  let started: Promise<ChildProcess> | undefined;
  const start = async () =>
    fork(await bundle('tests/recovery/rig/audit-process.ts'), { env: environment(settings) });
  return {
    async audit(fromBlock) {
      started ??= start();
      const child = await started;
      const answer = await answerOf(child, fromBlock);
      if (!answer.findings) throw new Error(`the audit did not run: ${answer.failure}`);
      return answer.findings;
    },
    async close() {
      const child = await started;
      started = undefined;
      if (!child || child.exitCode !== null) return;
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    },
  };
}

function answerOf(
  child: ChildProcess,
  fromBlock: number,
): Promise<{ findings?: string[]; failure?: string }> {
  return new Promise((resolve, reject) => {
    const end = (code: number | null) => reject(new Error(`the audit ended with ${code}`));
    child.once('exit', end);
    child.once('message', (answer: { findings?: string[]; failure?: string }) => {
      child.off('exit', end);
      resolve(answer);
    });
    child.send(fromBlock);
  });
}

/** Runs the operator's own program, `npm run audit:ledger`, and reads what it prints. */
export async function runAuditProgram(
  settings: Record<string, string>,
  fromBlock: number,
): Promise<{ findings: string[]; exitCode: number }> {
  const run = promisify(execFile)(
    process.execPath,
    [await bundle('lib/operator/audit-ledger.ts'), '--from-block', String(fromBlock)],
    { env: environment(settings) },
  );
  const { stdout, stderr, code } = await run.then(
    (done) => ({ ...done, code: 0 }),
    (error: { stdout: string; stderr: string; code: number }) => error,
  );
  const findings = stderr.split('\n').filter((line) => line.startsWith('broken: '));
  const isAnswered = stdout.includes('The ledger and the chains agree') || findings.length > 0;
  if (!isAnswered) throw new Error(`the audit did not run:\n${stdout}${stderr}`);
  return { findings, exitCode: code };
}
