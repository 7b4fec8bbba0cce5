import { existsSync, lstatSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';

const lockFile = z.object({
  packages: z.record(
    z.string(),
    z.object({ dev: z.boolean().optional(), link: z.boolean().optional(), version: z.string().optional() }),
  ),
});

/** The packages of a lock file by their places, such as `node_modules/next`, without the project itself and its folders. */
export function lockedPackages(): Map<string, { readonly isForProduction: boolean }> {
  const { packages } = lockFile.parse(JSON.parse(readFileSync('package-lock.json', 'utf8')));
  const places = Object.entries(packages).filter(
    ([place, { link }]) => place.includes('node_modules/') && !link,
  );
  return new Map(places.map(([place, { dev }]) => [place, { isForProduction: !dev }]));
}

/** Whether the package at a place is installed. Those for other platforms are not. */
export const isInstalled = (place: string): boolean => existsSync(place);

/** The bytes that a folder takes on a disk. `isCounted` leaves out files and whole folders, by their paths. */
export function diskBytes(folder: string, isCounted: (file: string) => boolean = () => true): number {
  if (!existsSync(folder)) return 0;
  return readdirSync(folder, { withFileTypes: true }).reduce((sum, entry) => {
    const file = path.join(folder, entry.name);
    if (!isCounted(file)) return sum;
    if (entry.isDirectory()) return sum + diskBytes(file, isCounted);
    return entry.isFile() ? sum + lstatSync(file).blocks * 512 : sum;
  }, 0);
}

/** The bytes of installed packages, each without the packages inside it. */
export function packagesBytes(places: Iterable<string>): number {
  return [...places].reduce(
    (sum, place) => sum + diskBytes(place, (file) => path.basename(file) !== 'node_modules'),
    0,
  );
}
