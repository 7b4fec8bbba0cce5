import { readdir, readFile } from 'node:fs/promises';

/** kill -9 to a whole process group; quiet when it is gone already. */
export function killGroup(leaderPid: number): void {
  try {
    process.kill(-leaderPid, 'SIGKILL');
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}

/** Waits until a killed group has no process left: one that dies may still be writing. */
export async function groupEnd(leaderPid: number): Promise<void> {
  for (let waitedMs = 0; waitedMs < 5_000; waitedMs += 20) {
    try {
      process.kill(-leaderPid, 0);
    } catch {
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

const pageBytes = 4096;

/**
 * What the processes of a group hold in memory, together, in bytes; shared pages count once for each. Null where the
 * system does not tell (`/proc` is Linux's).
 */
export async function groupMemory(leaderPid: number): Promise<number | null> {
  const names = await readdir('/proc').catch(() => null);
  if (!names) return null;
  let pages = 0;
  await Promise.all(
    names
      .filter((name) => /^\d+$/.test(name))
      .map(async (name) => {
        const text = await readFile(`/proc/${name}/stat`, 'latin1').catch(() => '');
        // proc(5): the command in parentheses may contain anything, so fields are counted after it.
        const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
        const [, , group] = fields;
        if (Number(group) === leaderPid) pages += Number(fields[21] ?? 0);
      }),
  );
  return pages * pageBytes;
}
