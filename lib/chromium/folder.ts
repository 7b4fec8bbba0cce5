import { chmod, lstat, mkdir, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { randomToken } from '@/lib/platform/ids';

/**
 * Where the renderer keeps what it needs on the disk: the unpacked browser, its font settings, and a folder per running
 * browser for everything that one writes. Nobody else may write here; the unprivileged user of the browser may read.
 */
export async function renderFolder(): Promise<string> {
  const uid = process.getuid?.() ?? 0;
  const folder = path.join(tmpdir(), `tuppence-render-${uid}`);
  await mkdir(folder, { recursive: true, mode: 0o711 });
  const found = await lstat(folder);
  // The place is known to everybody on the machine: somebody else may have been here first.
  if (!found.isDirectory() || (process.getuid && found.uid !== uid)) {
    throw new Error('the folder of the renderer belongs to somebody else');
  }
  await chmod(folder, 0o711);
  return folder;
}

/** A new folder for one browser, named after this process so that the leftovers of dead ones can be told. */
export async function newBrowserFolder(): Promise<string> {
  const folder = path.join(await renderFolder(), `browser.${process.pid}.${randomToken(8)}`);
  await mkdir(folder, { mode: 0o700 });
  return folder;
}

/** Removes the folders of browsers whose server process is gone. */
export async function removeAbandonedFolders(): Promise<void> {
  const root = await renderFolder();
  for (const name of await readdir(root)) {
    const pid = Number(/^browser\.(\d+)\./.exec(name)?.[1]);
    if (!pid || isRunning(pid)) continue;
    await rm(path.join(root, name), { recursive: true, force: true });
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it runs, under another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
