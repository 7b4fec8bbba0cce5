import path from 'node:path';
import type { Browser, BrowserContextOptions, Page } from '@playwright/test';
import { findViolations } from '@/tests/pages/accessible';
import { layoutShiftsOf, watchLayoutShifts } from '@/tests/support/layout-shifts';
import type { PageState } from './state';

/** The widths of a computer screen, a tablet and a phone. */
export const widths = [1280, 768, 390] as const;
export type Width = (typeof widths)[number];

export const devices: Readonly<Record<Width, BrowserContextOptions>> = {
  1280: { viewport: { width: 1280, height: 900 } },
  768: { viewport: { width: 768, height: 1024 }, isMobile: true, hasTouch: true },
  390: { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true },
};

export const schemes = ['light', 'dark'] as const;
type Scheme = (typeof schemes)[number];

/** What was found in a state at one width. */
export interface Visit {
  readonly state: PageState;
  readonly width: Width;
  /** The sum of all layout shifts, and what moved. */
  readonly shift: number;
  readonly moved: readonly string[];
  /** How many pixels wider the page is than the window. */
  readonly overflow: number;
  /** The axe rules that are broken, in light or in dark mode. */
  readonly violations: readonly string[];
  /** Requests to other hosts. */
  readonly foreign: readonly string[];
  /** Errors of scripts and of the content policy. */
  readonly errors: readonly string[];
}

export const pictureOf = (folder: string, { area, name }: PageState, width: Width, scheme: Scheme): string =>
  path.join(folder, area, `${name}-${width}-${scheme}.png`);

/** Opens a separate window for a state, without anything that others have stored. */
export async function openWindow<Result>(
  browser: Browser,
  { url, cookie, locale, isSandboxed }: PageState,
  options: BrowserContextOptions,
  work: (page: Page) => Promise<Result>,
): Promise<Result> {
  const context = await browser.newContext({ ...options, locale, bypassCSP: isSandboxed });
  try {
    const [name = '', value = ''] = (cookie ?? '').split('=');
    if (cookie) await context.addCookies([{ name, value, url }]);
    return await work(await context.newPage());
  } finally {
    // This also ends requests that a state holds back.
    await context.close();
  }
}

/** Leads a page to a state. */
export async function reach(page: Page, { url, prepare, lead }: PageState): Promise<void> {
  await prepare?.(page);
  await page.goto(url);
  await lead?.(page);
}

/** Looks at a state at one width, in light and dark mode, and takes its pictures. */
export function visit(browser: Browser, state: PageState, width: Width, folder: string): Promise<Visit> {
  return openWindow(browser, state, { ...devices[width], colorScheme: 'light' }, async (page) => {
    const { foreign, errors } = listen(page, state);
    await watchLayoutShifts(page);
    await reach(page, state);
    await settle(page, state);
    const shifts = await layoutShiftsOf(page);
    const overflow = (await page.evaluate<number>('document.documentElement.scrollWidth')) - width;
    const violations: string[] = [];
    for (const colorScheme of schemes) {
      await page.emulateMedia({ colorScheme });
      violations.push(...(await findViolations(page)).map((one) => `${colorScheme} ${one}`));
      await takePicture(page, pictureOf(folder, state, width, colorScheme));
    }
    return {
      state,
      width,
      shift: shifts.reduce((sum, { value }) => sum + value, 0),
      moved: [...new Set(shifts.flatMap(({ moved }) => moved))],
      overflow,
      violations,
      foreign: [...foreign],
      errors,
    };
  });
}

/**
 * Takes a picture of the whole page. On a phone the window is first made as tall as the page, so that it still looks like a
 * phone's; a full-page picture would not.
 */
async function takePicture(page: Page, file: string): Promise<void> {
  const window = page.viewportSize();
  const isPhone = await page.evaluate<boolean>('matchMedia("(pointer: coarse)").matches');
  if (!window || !isPhone) return void (await page.screenshot({ path: file, fullPage: true }));
  const height = await page.evaluate<number>('document.documentElement.scrollHeight');
  await page.setViewportSize({ width: window.width, height });
  await page.evaluate('scrollTo(0, 0)');
  await page.screenshot({ path: file });
  await page.setViewportSize(window);
}

/** Waits until nothing is loading. With states that hold a request back, it waits until the timeout. */
async function settle(page: Page, { lead }: PageState): Promise<void> {
  await page.waitForFunction('document.fonts.status === "loaded"');
  await page.waitForLoadState('networkidle', { timeout: lead ? 1_500 : 10_000 }).catch(() => {});
}

function listen(page: Page, { url }: PageState): { foreign: Set<string>; errors: string[] } {
  const foreign = new Set<string>();
  const errors: string[] = [];
  page.on('request', (request) => {
    const { protocol, origin } = new URL(request.url());
    if (protocol !== 'data:' && origin !== new URL(url).origin) foreign.add(origin);
  });
  page.on('pageerror', ({ message }) => errors.push(message));
  page.on('console', (message) => {
    // Browsers report every answer with an error status, and every request that a state aborts.
    if (!/Failed to load resource/.test(message.text())) errors.push(message.text());
  });
  return { foreign, errors };
}
