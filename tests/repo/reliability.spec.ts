import { legalMoves } from '@/lib/ledger/states';
import { worklistKinds } from '@/lib/ledger/worklist';
import { expect, test } from '../support/without-browser';
import { attacks } from './attacks/table';
import { read } from './sources';

const page = read('docs/reliability.md');

/** The rows of the table with this header, as lists of cells. */
function rowsBelow(head: string): string[][] {
  const [, table = ''] = page.split(head);
  const lines = table.trim().split('\n');
  const end = lines.findIndex((line) => !line.startsWith('|'));
  return lines.slice(1, end).map((line) =>
    line
      .split('|')
      .map((cell) => cell.trim())
      .slice(1, -1),
  );
}

const codeIn = (cell = '') => [...cell.matchAll(/`(\w+)`/g)].map(([, code = '']) => code);

test('the page about reliability has every state with the moves that are legal', () => {
  const written = rowsBelow('| State | What it means | What can follow |').map(([state, , next]) => [
    codeIn(state)[0],
    codeIn(next),
  ]);
  expect(Object.fromEntries(written)).toEqual(legalMoves);
});

test('the page about reliability says of everything that waits for an operator what to do', () => {
  const written = rowsBelow('| Open | What it means | What to do |').flatMap(([open]) => codeIn(open));
  expect(worklistKinds.filter((kind) => !written.includes(kind))).toEqual([]);
});

test('the pages about reliability and security count the attacks that are tested', () => {
  const of = (kind: string) => attacks.filter(({ id }) => id.startsWith(kind)).length;
  const written = `${of('A')} attacks on payments and ${of('V')} on payment channels`;
  expect(page).toContain(written);
  expect(read('docs/security.md')).toContain(written);
});
