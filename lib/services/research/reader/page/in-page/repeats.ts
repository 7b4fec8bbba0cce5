import { all, textOf } from './dom';

/**
 * Removes repetitions: pages have the same text once for wide screens and once for narrow ones, and sliders repeat their
 * first slides.
 */
export function removeRepeats(main: Element): void {
  const [lengthMin, lengthMax, repeatsMax] = [40, 4_000, 4];
  const seen = new Map<string, Element[]>();
  for (const element of all('*', main)) {
    if (element.closest('pre, table, blockquote, math, code')) continue;
    // Steps and terms may say the same twice.
    if (element.closest('li')?.querySelector('h2, h3, h4, h5, h6, img, p, div') === null) continue;
    const text = textOf(element);
    if (text.length < lengthMin || text.length > lengthMax) continue;
    const earlier = seen.get(text);
    if (earlier === undefined) seen.set(text, [element]);
    else if (!earlier.some((one) => one.contains(element))) earlier.push(element);
  }
  for (const [, ...repeats] of seen.values()) {
    // More often than a slider, it is said of each item of a list.
    if (repeats.length <= repeatsMax) for (const repeat of repeats) repeat.remove();
  }
}

const blocks =
  'p, div, section, article, h1, h2, h3, h4, h5, h6, ul, ol, li, dl, dt, dd, table, tr, td, th, figure, figcaption, blockquote, pre, form';

/** Removes lines that only say again what the line before them says. */
export function removeEchoes(main: Element): void {
  let before = '';
  for (const line of all(`:is(${blocks}):not(:has(${blocks}))`, main)) {
    const text = textOf(line);
    if (text === '') continue;
    const isPart = line.closest('pre, table, li, dl, h1, h2, h3, h4, h5, h6') !== null;
    const isEcho = text === before && text.length > 2 && !isPart;
    before = text;
    if (isEcho) line.remove();
  }
}
