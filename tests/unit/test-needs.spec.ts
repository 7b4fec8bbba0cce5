import { chooseTests, findTestNeeds } from '@/local/test-needs.mjs';
import { expect, test } from '../support/without-browser';

/** What `npm test` builds and starts for the tests that it was asked for. */

const needsOf = (...args: string[]) => [...findTestNeeds('.', args)].sort();

test('unit tests and the model need no build, no database, no chain and no browser', () => {
  expect(needsOf('tests/unit', 'tests/model')).toEqual([]);
});

test('tests of the ledger need a database and nothing else', () => {
  expect(needsOf('tests/repo/moves-and-postings.spec.ts')).toEqual(['database']);
});

test('tests of the API need the whole stack, also beside tests that need nothing', () => {
  const everything = ['browser', 'build', 'database', 'stack'];
  expect(needsOf('tests/api/replay.spec.ts')).toEqual(everything);
  expect(needsOf('tests/unit/ids.spec.ts', 'tests/api/replay.spec.ts:12')).toEqual(everything);
  expect(needsOf()).toEqual([...everything, 'full-tier packages'].sort());
});

test('only tests that use a package of the full tier need those packages', () => {
  expect(needsOf('tests/api/validators.spec.ts')).toContain('full-tier packages');
  expect(needsOf('tests/repo/storage-contract.spec.ts')).toEqual(['full-tier packages']);
});

test('listing the tests needs nothing', () => {
  expect(needsOf('--list')).toEqual([]);
});

test('the value of an option names no test', () => {
  expect(chooseTests('.', ['--grep', 'tests/api', 'tests/unit/ids.spec.ts'])).toEqual([
    'tests/unit/ids.spec.ts',
  ]);
});
