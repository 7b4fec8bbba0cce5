/** 2 KB of nested `use` elements: without scripts or external references, they expand to more shapes than can be drawn. */
const levels = 'abcdefghij';
export const bomb = `<svg viewBox="0 0 9 9"><defs><g id="a"><rect width="1" height="1"/></g>${[
  ...levels.slice(1),
]
  .map((id, at) => `<g id="${id}">${`<use href="#${levels[at]}"/>`.repeat(10)}</g>`)
  .join('')}</defs><use href="#j"/></svg>`;
