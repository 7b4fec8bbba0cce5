import { createReadStream, createWriteStream } from 'node:fs';
import { access, chmod, constants, rename, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createBrotliDecompress } from 'node:zlib';
import { randomToken } from '@/lib/platform/ids';
import { renderFolder } from './folder';

/** The browser in an npm package, for Linux on x64. */
export const packaged = {
  name: '@sparticuz/chromium',
  file: 'bin/chromium.br',
  /** Libraries that are missing in Amazon Linux 2023. */
  libraries: 'bin/al2023.tar.br',
  version: '147.0.0',
};

/** Resolves packages from the server's folder, regardless of the bundle that this module is in. */
const installed = createRequire(path.join(process.cwd(), 'package.json'));

/**
 * Finds Chromium: the operator's, or the packaged one, which is unpacked once.
 * @param own the operator's, if configured
 * @returns null when there is none for this machine
 */
export async function findChromium(own: string | undefined): Promise<string | null> {
  if (own !== undefined) return (await isExecutable(own)) ? own : null;
  if (process.platform !== 'linux' || process.arch !== 'x64') return null;
  return unpackChromium();
}

async function unpackChromium(): Promise<string | null> {
  const file = path.join(await renderFolder(), `chromium-${packaged.version}`);
  if (await isExecutable(file)) return file;
  const source = path.join(/* turbopackIgnore: true */ packageFolder(packaged.name), packaged.file);
  // Written under another name until it is complete, because several processes may do this at once, and any may be
  // killed.
  const temporary = `${file}.${randomToken(8)}`;
  try {
    await pipeline(
      createReadStream(/* turbopackIgnore: true */ source),
      createBrotliDecompress(),
      createWriteStream(temporary),
    );
    await chmod(temporary, 0o755);
    await rename(temporary, file);
  } finally {
    await rm(temporary, { force: true });
  }
  return file;
}

/**
 * The folder of an installed package. Joining it to a path needs `turbopackIgnore`, or the build would trace the whole
 * repository.
 */
export function packageFolder(name: string): string {
  const main = installed.resolve(name);
  const marker = path.join('node_modules', ...name.split('/'));
  return main.slice(0, main.lastIndexOf(marker) + marker.length);
}

async function isExecutable(file: string): Promise<boolean> {
  return access(file, constants.X_OK).then(
    () => true,
    () => false,
  );
}
