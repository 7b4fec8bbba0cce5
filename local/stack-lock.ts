import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { findCommandLine } from './child-processes';

type Owner = { pid: number; commandLine: string };

// Not proper-lockfile, which notices only after seconds without a heartbeat that an owner was killed: a stack must be able to
// start again at once.
const lockFileOf = (dir: string) => path.join(dir, 'stack.lock');

/** Thrown when a running process already has a stack in the folder. */
export class StackInUseError extends Error {
  constructor(
    readonly dir: string,
    readonly pid: number,
  ) {
    super(`A local stack already runs in ${dir} (process ${pid}).`);
  }
}

/** The running process that has a stack in the folder. */
export function findStackOwner(dir: string): number | undefined {
  let owner: Owner;
  try {
    owner = JSON.parse(readFileSync(lockFileOf(dir), 'utf8')) as Owner;
  } catch {
    return undefined;
  }
  // The system may have given the pid of a killed owner to another program.
  return findCommandLine(owner.pid) === owner.commandLine ? owner.pid : undefined;
}

/** Makes this process the only one that may run a stack in the folder. Returns the function that releases the lock. */
export function lockStack(dir: string): () => void {
  const file = lockFileOf(dir);
  const owner: Owner = { pid: process.pid, commandLine: findCommandLine(process.pid) ?? '' };
  // `wx` fails if the file exists, so of two processes that start at the same time only one gets the lock.
  const write = () => writeFileSync(file, JSON.stringify(owner), { mode: 0o600, flag: 'wx' });
  try {
    write();
  } catch {
    const pid = findStackOwner(dir);
    if (pid !== undefined) throw new StackInUseError(dir, pid);
    rmSync(file, { force: true });
    write();
  }
  return () => rmSync(file, { force: true });
}
