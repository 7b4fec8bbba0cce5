import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from '@playwright/test';

/** What moves within half a second after an input is not counted as a layout shift. */
const later = 700;

/** Answers scripts as a slow network does: what their answers move is counted, as nobody expects it any more. */
export async function answerLate(page: Page): Promise<void> {
  await page.route('**', async (route) => {
    if (['fetch', 'xhr'].includes(route.request().resourceType())) await sleep(later);
    // The state may have ended meanwhile.
    await route.fallback().catch(() => {});
  });
}
