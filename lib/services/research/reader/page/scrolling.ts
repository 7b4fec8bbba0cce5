import { inTime } from '@/lib/platform/concurrency/in-time';
import type { Platform } from '@/lib/platform/platform';
import type { FreshPage } from '../chromium/reading-browser';
import { inPageScript } from './in-page-script';
import type { Loading } from './loading';

/** How long scrolling once may take, and what it loads. */
const [scrollMs, loadMs] = [3_000, 5_000];
/** A page that grows when it is scrolled is scrolled again. */
const roundsMax = 2;

/** Scrolls through the shown page, so that it loads the parts that it loads when they come into view. */
export async function loadOnScroll(
  app: Pick<Platform, 'clock'>,
  page: Pick<FreshPage, 'session' | 'frameId'>,
  loading: Loading,
  { deadline, isOver }: { deadline: number; isOver: () => boolean },
): Promise<void> {
  let height: number | null = 0;
  for (let round = 0; round < roundsMax && height !== null && !isOver(); round += 1) {
    height = await scrollThrough(app, page, deadline - app.clock.monotonic(), height);
    await loading.finished(Math.min(deadline, app.clock.monotonic() + loadMs), isOver);
  }
}

/** @returns the page's height afterwards; null if it did not answer in time */
async function scrollThrough(
  app: Pick<Platform, 'clock'>,
  { session, frameId }: Pick<FreshPage, 'session' | 'frameId'>,
  timeMs: number,
  before: number,
): Promise<number | null> {
  const { executionContextId } = await session.send('Page.createIsolatedWorld', {
    frameId,
    worldName: 'reader',
  });
  const scrolling = session.send('Runtime.evaluate', {
    contextId: executionContextId,
    expression: `(() => { ${await inPageScript('page')}\nreturn inPage.scrollThrough(${Math.min(timeMs, scrollMs)}, ${before}); })()`,
    awaitPromise: true,
    returnByValue: true,
  });
  scrolling.catch(() => undefined);
  const scrolled = await inTime(app.clock, scrolling, Math.min(timeMs, 2 * scrollMs), null);
  const height: unknown = scrolled?.result.value;
  return typeof height === 'number' ? height : null;
}
