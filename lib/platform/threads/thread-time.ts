import { readFileSync } from 'node:fs';

/**
 * CPU time of threads. Node 20 tells that of the process only, so it is read from Linux: proc(5), `/proc/[pid]/task/[tid]/stat`.
 * A thread knows its own id only there.
 */

/** The clock ticks of these figures are a hundredth of a second on Linux, whatever the kernel's own are. */
const msPerTick = 10;

/** A place in shared memory for which thread runs a job, and its CPU time at the start of it. */
export function newThreadMark(): Int32Array {
  return new Int32Array(new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT));
}

/** Called in a thread when it begins a job. Leaves the mark empty where the system does not tell. */
export function markThread(mark: Int32Array): void {
  const stat = readStat('/proc/thread-self/stat');
  if (!stat) return;
  mark[0] = stat.id;
  mark[1] = stat.ticks;
}

/** How much CPU time a thread has used since it set the mark, in milliseconds; null when that is not known. */
export function cpuMsSince(mark: Int32Array): number | null {
  const [id = 0, ticks = 0] = mark;
  const stat = id === 0 ? null : readStat(`/proc/self/task/${id}/stat`);
  return stat && (stat.ticks - ticks) * msPerTick;
}

function readStat(file: string): { id: number; ticks: number } | null {
  let text: string;
  try {
    text = readFileSync(file, 'latin1');
  } catch {
    return null;
  }
  // The command in parentheses may contain anything, so fields are counted after it.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [user, system] = [Number(fields[11]), Number(fields[12])];
  return { id: Number.parseInt(text, 10), ticks: user + system };
}
