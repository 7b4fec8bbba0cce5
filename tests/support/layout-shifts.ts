import type { Page } from '@playwright/test';

/** How much of a page moves while nobody does anything: https://web.dev/articles/cls */

/** The window sizes in which pages are watched. */
export const desktopAndPhone = [
  { width: 1280, height: 900 },
  { width: 390, height: 844 },
] as const;

const watch = `(() => {
  const shifts = [];
  const keep = (entries) => {
    // What follows an input within half a second is expected by the person who made it.
    for (const { value, hadRecentInput, sources } of entries)
      if (!hadRecentInput) shifts.push({ value, moved: sources.map(describe) });
  };
  const describe = ({ node, previousRect: from, currentRect: to }) =>
    nameOf(node) + ' by ' + Math.round(to.x - from.x) + ', ' + Math.round(to.y - from.y);
  const nameOf = (node) => {
    const element = node instanceof Element ? node : node?.parentElement;
    return element ? element.tagName.toLowerCase() + (element.id ? '#' + element.id : '') : 'something removed';
  };
  const observer = new PerformanceObserver((list) => keep(list.getEntries()));
  observer.observe({ type: 'layout-shift', buffered: true });
  window.takeLayoutShifts = () => {
    keep(observer.takeRecords());
    return shifts;
  };
})()`;

interface LayoutShift {
  readonly value: number;
  /** The elements that moved, and how many pixels to the right and down: `main#content by 0, 12`. */
  readonly moved: readonly string[];
}

/** Records the layout shifts of every document that this page opens from now on. */
export function watchLayoutShifts(page: Page): Promise<unknown> {
  return page.addInitScript(watch);
}

/** All layout shifts of the open document so far. */
export function layoutShiftsOf(page: Page): Promise<LayoutShift[]> {
  // A shift is reported once its frame has been drawn.
  return page.evaluate<LayoutShift[]>(
    'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(() => done(takeLayoutShifts())))))',
  );
}
