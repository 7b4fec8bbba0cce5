/**
 * Measures of elements that the rules about content share.
 */
export function measure() {
  const all = (selector: string, within: ParentNode) => [...within.querySelectorAll(selector)];
  const textOf = (element: Element) => (element.textContent ?? '').replace(/\s+/g, ' ').trim();
  const lengthOf = (element: Element) => textOf(element).length;
  /** The part of an element's text that is in links. */
  function linkShare(element: Element): number {
    const whole = lengthOf(element);
    const linked = all('a[href]', element).reduce((sum, link) => sum + lengthOf(link), 0);
    return whole === 0 ? 0 : linked / whole;
  }
  return { all, textOf, lengthOf, linkShare };
}

export type Measure = ReturnType<typeof measure>;
