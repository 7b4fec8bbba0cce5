import { chmod, lstat, mkdir, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { randomToken } from '@/lib/platform/ids';

/**
 * The renderer's files: the unpacked browser, font settings, and a folder per running browser. Only this user may write
 * here. The browser's unprivileged user may read.
 */
export async function renderFolder(): Promise<string> {
  const uid = process.getuid?.() ?? 0;
  const folder = path.join(tmpdir(), `tuppence-render-${uid}`);
  await mkdir(folder, { recursive: true, mode: 0o711 });
  const found = await lstat(folder);
  // The path is predictable, so another user may have created it first.
  if (!found.isDirectory() || (process.getuid && found.uid !== uid)) {
    throw new Error('the folder of the renderer belongs to another user');
  }
  await chmod(folder, 0o711);
  return folder;
}

/** A new folder for one browser, named after this process so that folders of dead processes can be removed. */
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
    // EPERM: it is running as another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
