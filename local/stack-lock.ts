import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { findCommandLine } from './child-processes';

type Owner = { pid: number; commandLine: string };

/** Thrown when a living process already runs a stack in the folder. */
export class StackInUseError extends Error {
  constructor(
    readonly dir: string,
    readonly pid: number,
  ) {
    super(`A local stack already runs in ${dir} (process ${pid}).`);
  }
}

/** The living process that runs a stack in the folder. */
export function findStackOwner(dir: string): number | undefined {
  let owner: Owner;
  try {
    owner = JSON.parse(readFileSync(path.join(dir, 'stack.lock'), 'utf8')) as Owner;
  } catch {
    return undefined;
  }
  // The command line tells the owner from a stranger who was given its pid later.
  return findCommandLine(owner.pid) === owner.commandLine ? owner.pid : undefined;
}

/** Makes this process the one that may run a stack in the folder; answers how to let go. */
export function lockStack(dir: string): () => void {
  const file = path.join(dir, 'stack.lock');
  const pid = findStackOwner(dir);
  if (pid !== undefined) throw new StackInUseError(dir, pid);
  const owner: Owner = { pid: process.pid, commandLine: findCommandLine(process.pid) ?? '' };
  writeFileSync(file, JSON.stringify(owner), { mode: 0o600 });
  return () => rmSync(file, { force: true });
}
