import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { about } from '@/lib/catalog/about';
import { adapter, adapterFiles } from '@/lib/catalog/adapter';
import { buildMcp } from '@/scripts/build-mcp.mjs';
import { expect, test } from '../support/without-browser';

async function digestsIn(folder: string): Promise<[file: string, digest: string][]> {
  const files = (await readdir(folder)).sort();
  const digest = async (file: string): Promise<[string, string]> => [
    file,
    createHash('sha256')
      .update(await readFile(path.join(folder, file)))
      .digest('hex'),
  ];
  return Promise.all(files.map(digest));
}

test('two builds of the adapter have the same bytes, under names with the version', async () => {
  const folders = ['one', 'other'].map((name) => test.info().outputPath(name));
  for (const folder of folders) await buildMcp(folder);
  const [first = [], second] = await Promise.all(
    folders.map((folder) => digestsIn(path.join(folder, 'dist/adapter'))),
  );
  expect(first).toEqual(second);
  const expected = Object.values(adapterFiles).map((file) => path.basename(file.path));
  expect(first.map(([file]) => file)).toEqual(expected.sort());
});

test('the package of the adapter has the version of the API, needs no other package and runs nothing when it is installed', async () => {
  const manifest = JSON.parse(await readFile('packages/client/package.json', 'utf8'));
  expect(manifest).toMatchObject({ name: adapter.packageName, version: about.version, private: true });
  // npx runs the command that has the package's name.
  expect(Object.keys(manifest.bin)).toContain(manifest.name);
  for (const member of ['scripts', 'dependencies', 'optionalDependencies', 'peerDependencies'])
    expect(manifest[member], member).toBeUndefined();
});
