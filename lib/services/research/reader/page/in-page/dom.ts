/** What selectors find within a node. */
export function all(selector: string, within: ParentNode): Element[] {
  return [...within.querySelectorAll(selector)];
}

/** The text of an element, in one line. */
export function textOf(element: Element | null): string {
  return (element?.textContent ?? '').replace(/\s+/g, ' ').trim();
}

/** A text in one line, cut off at 2,000 characters; undefined if there is none. */
export function short(text: string | null | undefined): string | undefined {
  const trimmed = (text ?? '').replace(/\s+/g, ' ').trim();
  return trimmed === '' ? undefined : trimmed.slice(0, 2_000);
}

export function lengthOf(element: Element): number {
  return textOf(element).length;
}

/** The part of an element's text that is in links. */
export function linkShare(element: Element): number {
  const whole = lengthOf(element);
  const linked = all('a[href]', element).reduce((sum, link) => sum + lengthOf(link), 0);
  return whole === 0 ? 0 : linked / whole;
}

/** The class and the identifier of an element, with their words apart. */
export function nameOf(element: Element): string {
  const names = ['class', 'id'].map((name) => element.getAttribute(name) ?? '').join(' ');
  return names.replace(/([a-z])([A-Z])/g, '$1 $2');
}

/**
 * Removes boxes of the main part with such a name.
 * @param words one of them is in each such name, in lower or upper case; so that a browser finds few boxes to look at
 * @param shareMax a box with a larger part of the text stays
 */
export function removeNamed(
  main: Element,
  { words, name, shareMax }: { words: readonly string[]; name: RegExp; shareMax: number },
  isKept: (box: Element) => boolean = () => false,
): void {
  const lengthMax = shareMax * lengthOf(main);
  const isWord = (node: Node | null) =>
    node?.nodeType === Node.TEXT_NODE && /[\p{L}\p{N}]/u.test(node.textContent ?? '');
  const selectors = words.flatMap((word) => [`[class*="${word}" i]`, `[id*="${word}" i]`]);
  for (const box of all(selectors.join(', '), main)) {
    if (!box.isConnected || !name.test(nameOf(box)) || lengthOf(box) >= lengthMax || isKept(box)) continue;
    // A part of a sentence belongs to it.
    if (isWord(box.previousSibling) || isWord(box.nextSibling)) continue;
    if (box.querySelector('h1') === null && box.closest('h1, pre') === null) box.remove();
  }
}

/** Those elements that are in no other of them. */
export function outermostOf(elements: readonly Element[]): Element[] {
  const known = new Set(elements);
  return [...known].filter((element) => {
    for (let up = element.parentElement; up; up = up.parentElement) if (known.has(up)) return false;
    return true;
  });
}

/** Whether an element contains the whole page, or its title or main part. */
export function holdsPage(element: Element): boolean {
  const { body, documentElement } = element.ownerDocument;
  return (
    element.contains(body ?? documentElement) || element.querySelector('h1, main, [role="main"]') !== null
  );
}
