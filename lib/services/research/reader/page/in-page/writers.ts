import { all, lengthOf, textOf } from './dom';
import { endOfProse } from './lists';
import { readStructuredData } from './structured-data';

/** The names of who wrote the page, as it says itself. */
function namesOf(main: Element): string[] {
  const metas = all(
    'meta[name="author" i], meta[property="article:author" i], meta[name="parsely-author" i], meta[name="twitter:data1" i]',
    document,
  );
  const marked = all(
    '[rel~="author"], [itemprop~="author"], [class*="author" i] a, [class*="byline" i] a',
    main,
  );
  return [
    ...metas.map((meta) => meta.getAttribute('content') ?? ''),
    ...(readStructuredData(document).author ?? '').split(', '),
    ...marked.map(textOf),
  ]
    .map((name) => name.replace(/^by /i, '').trim())
    .filter((name) => /^\p{Lu}\S+ (\S+ ){0,2}\S+$/u.test(name) && name.length < 40);
}

/** Removes what an article says below its text about who wrote it. */
export function removeWritersBelow(main: Element): void {
  const names = [...new Set(namesOf(main))];
  const prose = endOfProse(main, []);
  if (names.length === 0 || !prose || prose.length < 1_000) return;
  const label = /^(written by|about( the author)?|author|by|posted by|words by)\b\W*/i;
  for (const block of all('div, section, aside, footer, p, h2, h3, h4, h5, h6', main)) {
    const isBelow = prose.end.compareDocumentPosition(block) === Node.DOCUMENT_POSITION_FOLLOWING;
    if (!isBelow || !block.isConnected || lengthOf(block) > 1_200) continue;
    if (block.querySelector('h1') !== null || block.closest('li, td, blockquote')) continue;
    const text = textOf(block).replace(label, '');
    if (names.some((name) => text.startsWith(name))) block.remove();
  }
}
