import { execFile } from 'node:child_process';

/** The outcome of a run of the operator's program. */
export interface OperatorRun {
  readonly exitCode: number;
  readonly output: string;
  readonly errors: string;
}

/** Runs `tuppence`, as built, with these settings. */
export function runOperatorProgram(
  settings: Record<string, string | undefined>,
  ...args: string[]
): Promise<OperatorRun> {
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      // Newer versions of Node print these warnings, and they would be in its error output.
      ['--pending-deprecation', 'dist/tuppence.js', ...args],
      { env: { PATH: process.env.PATH, HOME: process.env.HOME, NODE_ENV: 'production', ...settings } },
      (_, output, errors) => resolve({ exitCode: child.exitCode ?? -1, output, errors }),
    );
  });
}
