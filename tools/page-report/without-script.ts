import type { Browser, Page } from '@playwright/test';
import type { PageState } from './state';
import { devices, openWindow, reach } from './visit';

/** Whether a state has the same content and the same forms without scripts. */

/** Every heading, link and form control that a reader sees. */
const outline = `(() => {
  const seen = [];
  const isShown = (one) => one.checkVisibility({ visibilityProperty: true });
  for (const one of document.querySelectorAll('h1, h2, h3, a[href], input, select, textarea, button')) {
    if (!isShown(one) || one.closest('[role="dialog"], dialog')) continue;
    const isControl = 'form' in one;
    // Buttons that do not send a form belong to scripts.
    if (isControl && (one.type === 'button' || one.form === null)) continue;
    // So do links that open a dialog of the page.
    if (one.hash && document.getElementById(one.hash.slice(1))?.localName === 'dialog') continue;
    const words = isControl ? (one.name + ' ' + one.value).trim() : one.textContent.trim();
    seen.push(one.tagName.toLowerCase() + ' ' + words);
  }
  return seen;
})()`;

/** What exists only with scripts: nothing, unless the state says that it needs one. */
export async function findMissing(browser: Browser, state: PageState): Promise<string[]> {
  const look = (javaScriptEnabled: boolean) =>
    openWindow(browser, state, { ...devices[390], javaScriptEnabled }, async (page) => {
      await reach(page, state);
      return readOutline(page, javaScriptEnabled);
    });
  if (state.needsScript) return state.lead ? [] : findSilence(await look(false));
  const [with_, without] = [await look(true), new Set(await look(false))];
  return with_.filter((one) => !without.has(one));
}

async function readOutline(page: Page, hasScript: boolean): Promise<string[]> {
  if (hasScript) await page.waitForLoadState('networkidle', { timeout: 1_500 }).catch(() => {});
  const seen = await page.evaluate<string[]>(outline);
  // A stamp, a token or a nonce is different each time.
  return seen.map((one) => one.replaceAll(/[A-Za-z0-9_.-]{24,}/g, '…'));
}

/** A page that needs a script must say so: at least with a heading. */
const findSilence = (seen: readonly string[]) =>
  seen.some((one) => one.startsWith('h1 ')) ? [] : ['a heading'];
