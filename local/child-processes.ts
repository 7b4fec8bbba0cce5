// Every process of the local stack is started and ended here. None may outlive the process that started it: a small
// shell guard holds the other end of a pipe and ends what is left when that pipe closes, however its parent died.
import { type ChildProcess, execFileSync, type SpawnOptions, spawn } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';

const guardScript = `
trap '' INT TERM HUP
kept=""
while read -r verb pid signal; do
  case $verb in
    watch) kept="$kept $pid:$signal" ;;
    forget) left=""
      for entry in $kept; do case $entry in "$pid":*) ;; *) left="$left $entry" ;; esac; done
      kept=$left ;;
  esac
done
for entry in $kept; do kill -"\${entry#*:}" "\${entry%%:*}" 2>/dev/null; done
`;

let guardInput: Writable | undefined;

function tellGuard(line: string): void {
  // Windows has no POSIX shell; there the children end with stop() only.
  if (process.platform === 'win32') return;
  if (!guardInput) {
    const guard = spawn('sh', ['-c', guardScript], { detached: true, stdio: ['pipe', 'ignore', 'ignore'] });
    guard.on('error', () => undefined);
    guard.stdin.on('error', () => undefined);
    guard.unref();
    // The pipe of a spawned process is a socket, which can be unreferenced although the type does not say so.
    (guard.stdin as Writable & { unref?: () => void }).unref?.();
    guardInput = guard.stdin;
  }
  guardInput.write(`${line}\n`);
}

export type GuardedChild = {
  process: ChildProcess;
  pid: number;
  hasExited(): boolean;
  /** Resolves when the child has gone, for whatever reason. */
  exited: Promise<void>;
  /** Ends the child with its stop signal, and with SIGKILL when it has not gone after the grace period. */
  stop(): Promise<void>;
};

export type GuardedSpawn = {
  command: string;
  args: string[];
  options?: SpawnOptions;
  stopSignal?: 'SIGINT' | 'SIGTERM';
  graceMs?: number;
  /** Remembers the pid across runs, for `endStaleProcess`. */
  pidFile?: string;
};

/** Starts a child in its own process group (Ctrl-C reaches only us) that ends when this process does. */
export async function spawnGuarded(spec: GuardedSpawn): Promise<GuardedChild> {
  const stopSignal = spec.stopSignal ?? 'SIGTERM';
  const child = spawn(spec.command, spec.args, { detached: true, ...spec.options });
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', reject);
  });
  // A test that forgets to stop its chain must still be able to end.
  child.unref();
  const pid = child.pid as number; // Set, because 'spawn' was emitted.
  tellGuard(`watch ${pid} ${stopSignal.slice(3)}`);
  if (spec.pidFile) writeFileSync(spec.pidFile, `${pid}\n`);
  const hasExited = () => child.exitCode !== null || child.signalCode !== null;
  const exited = new Promise<void>((resolve) => {
    child.once('exit', () => {
      tellGuard(`forget ${pid}`);
      if (spec.pidFile) rmSync(spec.pidFile, { force: true });
      resolve();
    });
  });
  return {
    process: child,
    pid,
    hasExited,
    exited,
    async stop() {
      if (hasExited()) return;
      child.kill(stopSignal);
      const killer = setTimeout(() => child.kill('SIGKILL'), spec.graceMs ?? 5000);
      await exited;
      clearTimeout(killer);
    },
  };
}

/** The command line of a running process, or undefined when there is none. */
export function findCommandLine(pid: number): string | undefined {
  try {
    if (process.platform === 'linux') {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim() || undefined;
    }
    const line = execFileSync('ps', ['-o', 'command=', '-p', String(pid)], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    return line.toString().trim() || undefined;
  } catch {
    return undefined;
  }
}

/** Ends a process that an earlier run left behind, if its command line proves it to be that one. */
export async function endStaleProcess(pid: number, marker: string): Promise<void> {
  const isOurs = () => findCommandLine(pid)?.includes(marker) ?? false;
  for (const [signal, waitMs] of [
    ['SIGINT', 5000],
    ['SIGKILL', 2000],
  ] as const) {
    if (!isOurs()) return;
    try {
      process.kill(pid, signal);
    } catch {
      return;
    }
    for (let waited = 0; waited < waitMs && isOurs(); waited += 50) await sleep(50);
  }
}

/** Like `endStaleProcess`, with the pid that `spawnGuarded` wrote. */
export async function endRecordedProcess(pidFile: string, marker: string): Promise<void> {
  let pid: number;
  try {
    pid = Number.parseInt(readFileSync(pidFile, 'utf8'), 10);
  } catch {
    return;
  }
  if (pid > 1) await endStaleProcess(pid, marker);
  rmSync(pidFile, { force: true });
}
