import { existsSync } from 'node:fs';
import { plantedBugs } from '@/tools/planted-bugs/bugs';
import { needOf } from '@/tools/planted-bugs/needs';
import { expect, test } from '../support/without-browser';
import { read } from './sources';

test('every planted bug still has the place where it is planted, and the tests that find it', () => {
  const changes = plantedBugs.flatMap((planted) => planted.changes);
  const lost = changes.filter(({ file, find }) => find !== '' && read(file).split(find).length !== 2);
  expect(lost).toEqual([]);
  const files = plantedBugs.flatMap(({ foundBy }) => foundBy);
  expect(files.filter((file) => !existsSync(file))).toEqual([]);
});

test('the docs say how many bugs are planted', () => {
  const cheap = plantedBugs.filter(({ needsServers }) => needsServers === undefined);
  expect(read('docs/reliability.md')).toContain(
    `| ${plantedBugs.length}, of which ${cheap.length} are found by tests without servers`,
  );
});

test('a planted bug is found by tests without servers, or says why not', () => {
  const isDear = (files: readonly string[]) => needOf(files) === 'servers';
  const unexplained = plantedBugs.filter(
    ({ foundBy, needsServers }) => isDear(foundBy) !== (needsServers !== undefined),
  );
  expect(unexplained.map(({ bug }) => bug)).toEqual([]);
});
