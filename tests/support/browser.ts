import type { LaunchOptions } from '@playwright/test';
import { findChromium } from '@/lib/platform/chromium/binary';
import { writeFontSettings } from '@/lib/platform/chromium/fonts';

const variable = 'TUPPENCE_TEST_BROWSER';

/** Unpacks the renderer's Chromium and its fonts. Workers launch it, so no browser has to be downloaded. */
export async function prepareBrowser(): Promise<void> {
  const executablePath = await findChromium(undefined);
  // Playwright then reports which browser is missing and how to install it.
  if (!executablePath) return;
  process.env[variable] = JSON.stringify({ executablePath, fontSettings: await writeFontSettings() });
}

/** How a worker launches the prepared Chromium. */
export function browserLaunchOptions(): LaunchOptions {
  const prepared = process.env[variable];
  if (!prepared) return {};
  const { executablePath, fontSettings } = JSON.parse(prepared) as Record<string, string>;
  return {
    executablePath,
    args: ['--no-sandbox', '--disable-gpu'],
    env: { ...process.env, FONTCONFIG_FILE: fontSettings },
  };
}
