import { all, lengthOf, linkShare, textOf } from './dom';

/** Removes what stands above the page's title and consists of links: menus, announcements, the way to the page. */
export function removeLinksAbove(main: Element): void {
  const title = main.querySelector('h1');
  if (!title || textOf(title) === '') return;
  const isAbove = (element: Element) =>
    (title.compareDocumentPosition(element) & Node.DOCUMENT_POSITION_PRECEDING) !== 0 &&
    !element.contains(title);
  // A link within a sentence belongs to it.
  const above = all('div, section, header, ul, ol, li, p, table, a[href]', main)
    .filter(isAbove)
    .filter((element) => element.nodeName !== 'A' || element.parentElement?.contains(title));
  const outermost = all('*', main).filter(
    (element) => element.parentElement?.contains(title) && isAbove(element),
  );
  const length = outermost.reduce((sum, element) => sum + lengthOf(element), 0);
  if (length > 0.3 * lengthOf(main)) return;
  for (const element of above) {
    const isByline =
      element.querySelector('time, [rel~="author"], h2, h3') !== null || element.matches('[rel~="author"]');
    // The way to a page may end with its title.
    const length = textOf(element).replace(textOf(title), '').length;
    const share = element.nodeName === 'A' ? 1 : (linkShare(element) * lengthOf(element)) / length;
    if (element.isConnected && lengthOf(element) > 0 && !isByline && share > 0.7) element.remove();
  }
}
