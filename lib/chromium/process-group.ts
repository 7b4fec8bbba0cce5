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
 * What the processes of a group hold in memory for themselves, together, in bytes: without what is mapped from files and
 * shared among them, such as the program. Null where the system does not tell (`/proc` is Linux's).
 */
export async function groupMemory(leaderPid: number): Promise<number | null> {
  const names = await readdir('/proc').catch(() => null);
  if (!names) return null;
  let pages = 0;
  await Promise.all(
    names
      .filter((name) => /^\d+$/.test(name))
      .map(async (name) => {
        const text = await readProc(name, 'stat');
        // proc(5): the command in parentheses may contain anything, so fields are counted after it.
        const [, , group] = text.slice(text.lastIndexOf(')') + 2).split(' ');
        if (Number(group) !== leaderPid) return;
        const [, resident = 0, shared = 0] = (await readProc(name, 'statm')).split(' ').map(Number);
        pages += resident - shared;
      }),
  );
  return pages * pageBytes;
}

/** Empty when the process is gone. */
function readProc(pid: string, file: string): Promise<string> {
  return readFile(`/proc/${pid}/${file}`, 'latin1').catch(() => '');
}
