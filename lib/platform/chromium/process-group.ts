import { readdir, readFile } from 'node:fs/promises';

/** Sends SIGKILL to a process group, if it still exists. */
export function killGroup(leaderPid: number): void {
  try {
    process.kill(-leaderPid, 'SIGKILL');
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}

/** Waits until a killed group has no processes, because a dying one may still write. */
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
const readAtOnce = 32;

/**
 * The private memory of a process group in bytes, without mapped files and shared memory. Null where the system does
 * not report it (only Linux has `/proc`).
 */
export async function groupMemory(leaderPid: number): Promise<number | null> {
  const names = await readdir('/proc').catch(() => null);
  if (!names) return null;
  const pids = names.filter((name) => /^\d+$/.test(name));
  const pagesOf = async (pid: string) => {
    const text = await readProc(pid, 'stat');
    // proc(5): the command in parentheses may contain anything, so fields are counted after it.
    const [, , group] = text.slice(text.lastIndexOf(')') + 2).split(' ');
    if (Number(group) !== leaderPid) return 0;
    const [, resident = 0, shared = 0] = (await readProc(pid, 'statm')).split(' ').map(Number);
    return resident - shared;
  };
  let pages = 0;
  // Limits the number of open files, however many processes the machine has.
  while (pids.length > 0) {
    const some = await Promise.all(pids.splice(-readAtOnce).map(pagesOf));
    pages += some.reduce((sum, one) => sum + one, 0);
  }
  return pages * pageBytes;
}

/** Returns an empty string when the process is gone. */
function readProc(pid: string, file: string): Promise<string> {
  return readFile(`/proc/${pid}/${file}`, 'latin1').catch(() => '');
}
