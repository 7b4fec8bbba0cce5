import { execFile } from 'node:child_process';
import { createReadStream, existsSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createBrotliDecompress } from 'node:zlib';
import { extract } from 'tar-fs';
import { randomToken } from '@/lib/platform/ids';
import { packaged, packageFolder } from './binary';
import { renderFolder } from './folder';

const probeTimeoutMs = 10_000;

/**
 * The folder of shared libraries that a Chromium needs on this host; null when the host has them. Slim images and function
 * hosts lack some (NSS, NSPR, expat). The package has these too.
 */
export async function findLibraries(chromium: string): Promise<string | null> {
  return (await runs(chromium)) ? null : unpackLibraries();
}

/** Whether a program can be loaded. The dynamic linker ends a program that lacks a library before it does anything. */
function runs(chromium: string): Promise<boolean> {
  return new Promise((resolve) => {
    execFile(chromium, ['--version'], { env: { NODE_ENV: 'production' }, timeout: probeTimeoutMs }, (error) =>
      resolve(error === null),
    );
  });
}

/**
 * Unpacks the package's libraries, once.
 * @returns the folder's path, which every user may read
 */
export async function unpackLibraries(): Promise<string> {
  const folder = path.join(await renderFolder(), `libraries-${packaged.version}`);
  if (!existsSync(folder)) {
    const source = path.join(/* turbopackIgnore: true */ packageFolder(packaged.name), packaged.libraries);
    // Written under another name until it is complete, because several processes may do this at once, and any may be
    // killed.
    const temporary = `${folder}.${randomToken(8)}`;
    try {
      await pipeline(
        createReadStream(/* turbopackIgnore: true */ source),
        createBrotliDecompress(),
        extract(temporary, { dmode: 0o755, fmode: 0o755 }),
      );
      await rename(temporary, folder).catch((error: unknown) => {
        // Another process was first.
        if (!existsSync(folder)) throw error;
      });
    } finally {
      await rm(temporary, { recursive: true, force: true });
    }
  }
  return path.join(folder, 'lib');
}
