// Starts and ends every process of the local stack. None may outlive the process that started it, even after SIGKILL: a small
// shell script, the guard, reads from a pipe that closes when that process dies, and then ends the remaining children. execa's
// cleanup runs inside the parent, so it cannot do this.
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

function sendToGuard(line: string): void {
  // Windows has no POSIX shell: on it, children end only with stop().
  if (process.platform === 'win32') return;
  if (!guardInput) {
    const guard = spawn('sh', ['-c', guardScript], { detached: true, stdio: ['pipe', 'ignore', 'ignore'] });
    guard.on('error', () => undefined);
    guard.stdin.on('error', () => undefined);
    guard.unref();
    // The pipe is a socket, which has `unref` although its type does not say so.
    (guard.stdin as Writable & { unref?: () => void }).unref?.();
    guardInput = guard.stdin;
  }
  guardInput.write(`${line}\n`);
}

export type GuardedChild = {
  process: ChildProcess;
  pid: number;
  hasExited(): boolean;
  /** Resolves when the child has exited, for any reason. */
  exited: Promise<void>;
  /** Sends the stop signal, and SIGKILL if the child has not exited after the grace period. */
  stop(): Promise<void>;
};

export type GuardedSpawn = {
  command: string;
  args: string[];
  options?: SpawnOptions;
  stopSignal?: 'SIGINT' | 'SIGTERM';
  graceMs?: number;
  /** Keeps the pid for a later run, which ends the process with `endRecordedProcess` if it is still there. */
  pidFile?: string;
};

/** Starts a child that ends when this process does. It has its own process group, so Ctrl-C does not reach it. */
export async function spawnGuarded(spec: GuardedSpawn): Promise<GuardedChild> {
  const stopSignal = spec.stopSignal ?? 'SIGTERM';
  const child = spawn(spec.command, spec.args, { detached: true, ...spec.options });
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', reject);
  });
  // A test that does not stop its chain must still be able to end.
  child.unref();
  const pid = child.pid as number; // Set when 'spawn' is emitted.
  sendToGuard(`watch ${pid} ${stopSignal.slice(3)}`);
  if (spec.pidFile) writeFileSync(spec.pidFile, `${pid}\n`);
  const hasExited = () => child.exitCode !== null || child.signalCode !== null;
  const exited = new Promise<void>((resolve) => {
    child.once('exit', () => {
      sendToGuard(`forget ${pid}`);
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

/** The command line of a running process; undefined if there is no such process. */
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

/** Ends a process that an earlier run left behind, if its command line contains the marker. */
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

/** Ends the process whose pid `spawnGuarded` wrote to the file, if its command line contains the marker. */
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
