import { spawnSync } from 'node:child_process';

/** As root, or as a user who may have namespaces and stays the same user in them. */
const namespaces = [
  ...(process.getuid?.() === 0 ? [] : ['--user', '--map-current-user', '--keep-caps']),
  '--mount',
];
/** Mounts the working directory over itself, goes there again, and forbids writing. */
const inside = 'mount --bind . . && cd "$PWD" && mount -o remount,bind,ro . && exec "$@"';

/**
 * The command that runs another one where the folder of the project can only be read, as in an image with a read-only root.
 * It is the same process, so signals reach it.
 */
export function onReadOnlyDisk(command: readonly string[]): [program: string, ...args: string[]] {
  return ['unshare', ...namespaces, 'sh', '-c', inside, 'sh', ...command];
}

const [program, ...args] = onReadOnlyDisk(['sh', '-c', 'test -r package.json && ! test -w .']);

/** Whether this machine can do that. It takes Linux, unshare, and the right to have namespaces. */
export const hasReadOnlyDisk = spawnSync(program, args, { stdio: 'ignore' }).status === 0;
