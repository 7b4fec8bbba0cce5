// `npm run deployable -- folder`, after `npm run build`: copies into an empty folder what a server needs to run, and nothing else.
// Of the packages, that is what the build found in them by following imports: a tenth of the files.
import { constants } from 'node:fs';
import { copyFile, cp, lstat, mkdir, readdir, readFile, readlink, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';

const require = createRequire(import.meta.url);
// Next's own copy, with which it finds out what its routes need.
const { nodeFileTrace } = require('next/dist/compiled/@vercel/nft');

const programs = ['server', 'worker', 'tuppence', 'check-thread'].map((name) => `dist/${name}.bundle.js`);

/** Our own files that are read at run time. */
const own = [
  'docs',
  'lib/discovery/typed-clients/tuppence.mts',
  'lib/discovery/typed-clients/tuppence.py',
  'lib/http/api-headers.json',
  'next.config.mjs',
  'package.json',
  'prisma/migrations',
  'public',
];

/** What the framework reads of its own output besides the files of the routes. */
const isServed = (file) =>
  !/^\.next\/(cache|diagnostics|trace|trace-build|turbopack|types|dev)(\/|$)/.test(file);

async function filesBelow(folder) {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => path.join(path.relative('.', path.resolve(entry.parentPath)), entry.name));
}

/** What routes and framework need, as Next wrote it down beside them. */
async function tracedByBuild() {
  const traces = (await filesBelow('.next')).filter((file) => isServed(file) && file.endsWith('.nft.json'));
  const lists = traces.map(async (trace) => {
    const { files } = JSON.parse(await readFile(trace, 'utf8'));
    return files.map((file) => path.join(path.dirname(trace), file));
  });
  return (await Promise.all(lists)).flat();
}

/** Complete fonts in all weights. Function hosts have room only for those that the trace has. */
async function fonts() {
  const { dependencies } = JSON.parse(await readFile('packages/fonts/package.json', 'utf8'));
  const files = Object.keys(dependencies).map((name) => filesBelow(path.join('node_modules', name)));
  return (await Promise.all(files)).flat().filter((file) => /\.(ttf|otf)$/.test(file));
}

/** Types and maps, and what the framework resizes images with, which no page does. */
const isLeftOut = (file) => /\.(map|d\.[cm]?ts)$|^node_modules\/(sharp|@img)\//.test(file);

async function copy(file, folder) {
  const target = path.join(folder, file);
  await mkdir(path.dirname(target), { recursive: true });
  const stats = await lstat(file);
  if (stats.isSymbolicLink()) await symlink(await readlink(file), target);
  else if (stats.isFile()) await copyFile(file, target, constants.COPYFILE_FICLONE);
}

const [folder] = process.argv.slice(2);
if (!folder) {
  console.error('Usage: npm run deployable -- folder');
  process.exit(2);
}
await mkdir(folder, { recursive: true });
if ((await readdir(folder)).length > 0) {
  console.error(`${folder} is not empty.`);
  process.exit(2);
}
const { fileList } = await nodeFileTrace(programs, { base: process.cwd() });
const built = [...(await filesBelow('.next')), ...(await filesBelow('dist'))];
const needed = [...(await tracedByBuild()), ...fileList, ...(await fonts())];
// Without sources of ours, which the bundles contain.
const files = new Set([
  ...needed.filter((file) => file.startsWith('node_modules/') && !isLeftOut(file)),
  ...built.filter((file) => isServed(file) && !/\.(map|nft\.json)$/.test(file)),
]);
for (const file of files) await copy(file, folder);
for (const file of own) await cp(file, path.join(folder, file), { recursive: true, force: true });
