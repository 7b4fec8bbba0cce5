import { readdir, rm, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import path from 'node:path';
import { randomToken } from '@/lib/platform/ids';
import { hasCode } from './system-error';

/** Longer than any request, so another machine's file of this age is abandoned. */
const leftoverAgeMs = 3_600_000;

/** Names the writing process, so that its temporary files can be told from those of dead processes. */
export function newOwner(): string {
  return `${hostname().replaceAll('.', '-')}.${process.pid}.${randomToken(6)}`;
}

/** A name for an owner's temporary file. */
export function temporaryName(owner: string): string {
  return `${owner}.${randomToken(12)}`;
}

/** Removes the temporary files of dead owners, and returns their number. */
export async function removeLeftovers(folder: string, owner: string, now: Date): Promise<number> {
  let removed = 0;
  for (const name of await listFolder(folder)) {
    if (name.startsWith(`${owner}.`)) continue;
    const leftover = path.join(folder, name);
    if (!isOwnerGone(name) && !(await isOlderThan(leftover, now.getTime() - leftoverAgeMs))) continue;
    await rm(leftover, { force: true });
    removed += 1;
  }
  return removed;
}

async function listFolder(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return [];
    throw error;
  }
}

/** Whether the process in a file's name ran on this machine and has ended. */
function isOwnerGone(name: string): boolean {
  const [host, pid] = name.split('.');
  if (host !== hostname().replaceAll('.', '-')) return false;
  // Our own process id with another tag: in a container every start has the same process id.
  if (Number(pid) === process.pid) return true;
  try {
    process.kill(Number(pid), 0);
    return false;
  } catch (error) {
    return hasCode(error, 'ESRCH');
  }
}

async function isOlderThan(file: string, timeMs: number): Promise<boolean> {
  try {
    return (await stat(file)).mtimeMs < timeMs;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return false;
    throw error;
  }
}
