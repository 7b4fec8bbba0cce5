import { arrows } from '@/app/_site/states/layout';
import { legalMoves } from '@/lib/ledger/states';
import { expect, test } from '../support/without-browser';
import { drawnFiles } from './diagram';

test('the page about reliability has the current moves of a paid call, and its drawing shows them', () => {
  for (const { file, current, wanted } of drawnFiles())
    expect(current, `${file}: npm run generate:diagram`).toBe(wanted);
  const [page, drawing] = drawnFiles();
  expect(page?.wanted).toContain('| `settling`, `unknown` → `settled` | Payment found on the chain |');
  expect(drawing?.wanted).toContain('data-move="settling settled"');
});

test('the drawing has an arrow for each legal move, and no other', () => {
  const drawn = arrows.flatMap(({ from, to }) => (from === null ? [] : [`${from} > ${to}`]));
  const legal = Object.entries(legalMoves).flatMap(([from, next]) => next.map((to) => `${from} > ${to}`));
  expect(drawn.toSorted()).toEqual(legal.toSorted());
});
