import { readFileSync, readlinkSync } from 'node:fs';

/** A process, so that others on its machine can tell whether it has ended. */
export interface ProcessIdentity {
  /** The same for processes that can see each other: one boot of one machine, one PID namespace, one user. */
  readonly machine: string;
  /** The PID, and when the process began, because PIDs are reused. */
  readonly process: string;
}

/** This process; null where Linux does not provide all of this. */
export function ownIdentity(): ProcessIdentity | null {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    const pidNamespace = readlinkSync('/proc/self/ns/pid');
    const startedAt = startTimeOf(process.pid);
    if (startedAt === null) return null;
    return {
      machine: `${boot} ${pidNamespace} ${process.getuid?.()}`,
      process: `${process.pid} ${startedAt}`,
    };
  } catch {
    return null;
  }
}

/** Whether a process of this machine has ended. */
export function hasEnded({ process: other }: Pick<ProcessIdentity, 'process'>): boolean {
  const [pid, startedAt] = other.split(' ');
  return startTimeOf(Number(pid)) !== startedAt;
}

/** When a process began, in clock ticks since the boot (proc(5)); null when it has ended. */
function startTimeOf(pid: number): string | null {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch (error) {
    if (
      (error as NodeJS.ErrnoException).code === 'ENOENT' ||
      (error as NodeJS.ErrnoException).code === 'ESRCH'
    )
      return null;
    throw error;
  }
  // The second field is the name of the program, in parentheses, which may contain anything.
  const [state, ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const hasStopped = state === 'Z' || state === 'X';
  return hasStopped ? null : (fields[18] ?? null);
}
