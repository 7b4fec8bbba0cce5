import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { onReadOnlyDisk } from './read-only-disk';

/** A process running our own build, which a test may stop or kill. */
export interface Program {
  readonly pid: number;
  /** Its log output so far. */
  output(): string;
  /** kill -9: the process cannot finish anything. */
  kill(): Promise<void>;
  /** Sends SIGTERM, and waits for the process to exit. */
  stop(): Promise<void>;
}

interface ProgramOptions {
  readonly timeoutMs?: number;
  readonly args?: readonly string[];
  readonly cwd?: string;
  /** Whether the folder that it runs in is read-only. */
  readonly isOnReadOnlyDisk?: boolean;
}

/**
 * Starts a script with Node and waits until it is up. Throws an error with its output if it exits early or takes too long.
 * @param isUp receives the log output so far
 */
export async function startProgram(
  script: string,
  env: Record<string, string>,
  isUp: (output: string) => boolean,
  { timeoutMs = 120_000, args = [], cwd, isOnReadOnlyDisk = false }: ProgramOptions = {},
): Promise<Program> {
  let output = '';
  const command = [process.execPath, script, ...args] as const;
  const [program, ...rest] = isOnReadOnlyDisk ? onReadOnlyDisk(command) : command;
  const child: ChildProcess = spawn(program, rest, {
    cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env.PATH, NODE_ENV: 'production', NEXT_TELEMETRY_DISABLED: '1', ...env },
  });
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
  }
  const exited = once(child, 'exit');
  const hasExited = () => child.exitCode !== null || child.signalCode !== null;
  const end = async (signal: NodeJS.Signals) => {
    if (!hasExited()) {
      child.kill(signal);
      await exited;
    }
  };
  const deadline = Date.now() + timeoutMs;
  while (!isUp(output)) {
    if (hasExited() || Date.now() > deadline) {
      await end('SIGKILL');
      throw new Error(`${script} did not start:\n${output}`);
    }
    await sleep(50);
  }
  return {
    pid: child.pid ?? 0,
    output: () => output,
    kill: () => end('SIGKILL'),
    stop: () => end('SIGTERM'),
  };
}
