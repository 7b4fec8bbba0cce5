import { all, lengthOf, textOf } from './dom';

const headings = 'h1, h2, h3, h4, h5, h6';
/** What stands above a table of contents, and the command that hides it. */
const label =
  /^((table of )?contents?( table)?|in this (article|post|guide|page|story|section|review)|on this page|page contents|quick (links|navigation)|jump (to|ahead)( (section|a section))?|what.s (inside|in this .*)|inhalt(sverzeichnis)?|auf dieser seite|sommaire|table des matières|dans cet article|au sommaire|índice|contenido|en este artículo|indice( dei contenuti)?|in questo articolo|inhoud(sopgave)?|spis treści|innehåll|содержание|目次|目录|目錄|목차)( *[[(]?(hide|show|toggle|close)[\])]?)?\s*:?$/i;
/** Headings and links differ in numbers and signs. */
const flat = (text: string) =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .replace(/^[\d ]+/, '')
    .trim();

/** Removes tables of contents: links to headings of the page itself say again what these say. */
export function removeContentsLists(main: Element): void {
  const titles = new Set(all(headings, main).map((heading) => flat(textOf(heading))));
  const here = document.URL.replace(/#.*$/, '');
  const isToHeading = (link: Element) => {
    const address = link.getAttribute('href') ?? '';
    const text = flat(textOf(link));
    return address.replace(/#.*$/, '') === here && address.includes('#') && titles.has(text);
  };
  // Found once: a link is in many boxes.
  const toHeadings = new Set(all('a[href]', main).filter(isToHeading));
  if (toHeadings.size === 0) return;
  for (const list of all('ul, ol, nav, div, section, p, table', main)) {
    if (!list.isConnected || list.querySelector(headings) !== null) continue;
    const links = all('a[href]', list);
    if (links.length < 3) continue;
    const known = links.filter((link) => toHeadings.has(link));
    const linked = links.reduce((sum, link) => sum + lengthOf(link), 0);
    if (known.length < 0.6 * links.length || linked < 0.7 * lengthOf(list)) continue;
    removeWithLabel(list, main);
  }
}

/** Removes a list together with the label above it. */
function removeWithLabel(list: Element, main: Element): void {
  let box = list;
  for (let up = list.parentElement; up && up !== main && main.contains(up); up = up.parentElement) {
    const rest = textOf(up).replace(textOf(list), '').trim();
    if (rest !== '' && !label.test(rest)) break;
    box = up;
  }
  const before = box.previousElementSibling;
  if (before && label.test(textOf(before))) before.remove();
  box.remove();
}
