/** How far a page is scrolled, in screens. */
const screensMax = 40;
/** Resolves when what has come into view is shown, and the page knows: observers are told in the frame after. */
function shown(): Promise<void> {
  return new Promise((resolve) => {
    requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(() => resolve())));
  });
}

/** The page's own scroller, and large boxes that scroll within it. */
function scrollers(): Element[] {
  const page = document.scrollingElement ?? document.documentElement;
  const boxes = [...document.querySelectorAll('body, div, main, section, article, ul, ol')].filter(
    (box) =>
      box !== page &&
      box.clientHeight > 0.3 * innerHeight &&
      box.scrollHeight > box.clientHeight + 100 &&
      /auto|scroll/.test(getComputedStyle(box).overflowY),
  );
  return [...boxes, page];
}

/**
 * Scrolls through the page and back, so that parts are loaded that a page loads when they come into view.
 * @param timeMs how long it may take
 * @param before how high the page was when it was scrolled last; it is left as it is if it has not grown
 * @returns how high the page is, in pixels
 */
export async function scrollThrough(timeMs: number, before: number): Promise<number> {
  const end = performance.now() + timeMs;
  const found = scrollers();
  const height = () => Math.max(...found.map(({ scrollHeight }) => scrollHeight));
  if (height() <= before) return before;
  let screens = 0;
  for (const scroller of found) {
    const { scrollTop } = scroller;
    const isAtEnd = () => scroller.scrollTop + scroller.clientHeight >= scroller.scrollHeight - 1;
    while (!isAtEnd() && screens < screensMax && performance.now() < end) {
      scroller.scrollBy({ top: 0.9 * scroller.clientHeight, behavior: 'instant' });
      await shown();
      screens += 1;
    }
    scroller.scrollTo({ top: scrollTop, behavior: 'instant' });
  }
  return height();
}
