import { spawnSync } from 'node:child_process';

/** For root, or for a user who may create namespaces and stays the same user in them. */
const namespaces = [
  ...(process.getuid?.() === 0 ? [] : ['--user', '--map-current-user', '--keep-caps']),
  '--mount',
];
/** Bind-mounts the working directory over itself, enters it again, and makes it read-only. */
const inside = 'mount --bind . . && cd "$PWD" && mount -o remount,bind,ro . && exec "$@"';

/**
 * The command that runs another one with the project's folder read-only, as in an image with a read-only root. It replaces
 * its own process with that command, so signals reach it.
 */
export function onReadOnlyDisk(command: readonly string[]): [program: string, ...args: string[]] {
  return ['unshare', ...namespaces, 'sh', '-c', inside, 'sh', ...command];
}

const [program, ...args] = onReadOnlyDisk(['sh', '-c', 'test -r package.json && ! test -w .']);

/** Whether this machine can do that. It takes Linux, `unshare`, and permission to create namespaces. */
export const hasReadOnlyDisk = spawnSync(program, args, { stdio: 'ignore' }).status === 0;
