import { readdirSync, readFileSync } from 'node:fs';

interface Stat {
  readonly pid: number;
  readonly parent: number;
  readonly ms: number;
}

/** CPU time that a process has used so far, user and system, in milliseconds; null where there is no /proc. */
export function cpuMs(pid: number): number | null {
  return readStat(pid)?.ms ?? null;
}

/** The same for a process and all of its descendants that are still running. */
export function cpuMsWithChildren(pid: number): number | null {
  const first = readStat(pid);
  if (!first) return null;
  const all = readdirSync('/proc').flatMap((name) =>
    /^\d+$/.test(name) ? (readStat(Number(name)) ?? []) : [],
  );
  const tree = [first];
  for (const one of tree) tree.push(...all.filter(({ parent }) => parent === one.pid));
  return tree.reduce((total, { ms }) => total + ms, 0);
}

/** Null where there is no /proc, or the process has ended. */
function readStat(pid: number): Stat | null {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return null;
  }
  // The fields after the name in parentheses. Counting all fields, the parent is the 4th, and utime and stime are the 14th
  // and 15th, in ticks of 10 ms.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return { pid, parent: Number(fields[1]), ms: (Number(fields[11]) + Number(fields[12])) * 10 };
}
