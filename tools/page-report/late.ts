import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from '@playwright/test';

/** Movements within half a second after an input are not counted as layout shifts. */
const later = 700;

/** Delays the answers to scripts like a slow network, so that layout shifts they cause are counted as unexpected. */
export async function answerLate(page: Page): Promise<void> {
  await page.route('**', async (route) => {
    if (['fetch', 'xhr'].includes(route.request().resourceType())) await sleep(later);
    // The state may have ended in the meantime.
    await route.fallback().catch(() => {});
  });
}
