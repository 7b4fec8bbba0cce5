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

test('a planted bug is found by tests without servers, or says why not', () => {
  const isDear = (files: readonly string[]) => needOf(files) === 'servers';
  const unexplained = plantedBugs.filter(
    ({ foundBy, needsServers }) => isDear(foundBy) !== (needsServers !== undefined),
  );
  expect(unexplained.map(({ bug }) => bug)).toEqual([]);
});
