import { expect, test } from '../support/without-browser';
import { attacks } from './attacks/table';
import { read } from './sources';
import { allTitles } from './test-titles';

test('every known attack is in the table, once', () => {
  const numbered = (letter: string, length: number) =>
    Array.from({ length }, (_, index) => `${letter}${String(index + 1).padStart(2, '0')}`);
  expect(attacks.map(({ id }) => id)).toEqual([...numbered('A', 46), ...numbered('V', 29)]);
});

for (const { id, what, shownBy } of attacks) {
  test(`${id}, ${what}: its tests exist`, () => {
    expect(shownBy).not.toEqual([]);
    const titles = allTitles();
    for (const { file, title, cases = [] } of shownBy) {
      expect(titles.get(file), file).toContain(title);
      const source = read(file);
      expect(
        cases.filter((words) => !source.includes(words.replaceAll("'", "\\'")) && !source.includes(words)),
      ).toEqual([]);
    }
  });
}
