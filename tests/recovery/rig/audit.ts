import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';

let auditProgram: Promise<string> | undefined;

/** The operator's program in one file, made once per worker: it then starts in a third of the time. */
function bundleAudit(): Promise<string> {
  // Beside the packages that it loads.
  const outfile = path.resolve(`node_modules/.cache/tuppence/audit-${process.pid}.mjs`);
  auditProgram ??= build({
    entryPoints: ['lib/operator/audit-ledger.ts'],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    logLevel: 'error',
  }).then(() => outfile);
  return auditProgram;
}

/** Runs the operator's own program in a process of its own: modules keep the settings they were first loaded with. */
export async function audit(env: Record<string, string>, fromBlock: number): Promise<string[]> {
  const run = promisify(execFile)(
    process.execPath,
    [await bundleAudit(), '--from-block', String(fromBlock)],
    // Next's type of ProcessEnv demands NODE_ENV.
    { env: { ...env, PATH: process.env.PATH, LOG_LEVEL: 'silent', NODE_ENV: 'test' } },
  );
  const { stdout, stderr, failure } = await run.then(
    (done) => ({ ...done, failure: null }),
    (error: { stdout: string; stderr: string; message: string }) => ({ ...error, failure: error.message }),
  );
  const findings = stderr.split('\n').filter((line) => line.startsWith('broken: '));
  const isAnswered = stdout.includes('The ledger and the chains agree') || findings.length > 0;
  if (!isAnswered) throw new Error(`the audit did not run: ${failure}\n${stdout}${stderr}`);
  return findings;
}
