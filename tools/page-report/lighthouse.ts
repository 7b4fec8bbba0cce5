import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import puppeteer from 'puppeteer-core';
import { z } from 'zod';
import { type GuardedChild, spawnGuarded } from '@/local/child-processes';
import { findFreePort } from '@/local/free-port';
import { browserLaunchOptions } from '@/tests/support/browser';

/**
 * Lighthouse is installed on its first use, separately from the project's packages, because nothing else needs its 200
 * packages. This is the newest release for Node 20.
 */
const version = '12.8.2';
const folder = path.resolve('node_modules/.cache', `lighthouse-${version}`);

const resultSchema = z.object({
  lhr: z.object({
    finalDisplayedUrl: z.string(),
    runtimeError: z.object({ message: z.string() }).optional(),
    categories: z.record(
      z.string(),
      z.object({
        score: z.number().nullable(),
        auditRefs: z.array(z.object({ id: z.string(), weight: z.number() })),
      }),
    ),
    audits: z.record(
      z.string(),
      z.object({ title: z.string(), score: z.number().nullable(), details: z.unknown().optional() }),
    ),
  }),
});
export type Rating = z.infer<typeof resultSchema>['lhr'];

export const presets = ['mobile', 'desktop'] as const;
export type Preset = (typeof presets)[number];

export interface Lighthouse {
  rate(
    url: string,
    options: { preset: Preset; cookie?: string; isPerformanceOnly: boolean },
  ): Promise<Rating>;
  stop(): Promise<void>;
}

interface LighthouseModule {
  default(url: string, flags: object, config?: unknown): Promise<unknown>;
}

/** Installs Lighthouse if it is missing, and starts a browser for it, the same as in the tests. */
export async function startLighthouse(): Promise<Lighthouse> {
  install();
  const entry = path.join(folder, 'node_modules/lighthouse/core');
  const { default: lighthouse }: LighthouseModule = await import(fileUrl(entry, 'index.js'));
  const { default: desktop }: { default: unknown } = await import(fileUrl(entry, 'config/desktop-config.js'));
  const chromium = await startChromium();
  return {
    async rate(url, { preset, cookie, isPerformanceOnly }) {
      const flags = {
        port: chromium.port,
        logLevel: 'error',
        // Nobody looks at the screenshots, and they take longer than the rest.
        disableFullPageScreenshot: true,
        onlyCategories: isPerformanceOnly ? ['performance'] : undefined,
      };
      const result = await withCookie(chromium.port, url, cookie, () =>
        lighthouse(url, flags, preset === 'desktop' ? desktop : undefined),
      );
      const { lhr } = resultSchema.parse(result);
      if (lhr.runtimeError) throw new Error(`Lighthouse at ${url}: ${lhr.runtimeError.message}`);
      if (lhr.finalDisplayedUrl !== url && cookie) throw new Error(`${url} led to ${lhr.finalDisplayedUrl}`);
      return lhr;
    },
    stop: chromium.stop,
  };
}

/** In the browser, because it ignores cookies among the headers that Lighthouse adds to requests. */
async function withCookie<Result>(
  port: number,
  url: string,
  cookie: string | undefined,
  work: () => Promise<Result>,
): Promise<Result> {
  if (!cookie) return work();
  const [name = '', value = ''] = cookie.split('=');
  const browser = await puppeteer.connect({ browserURL: `http://127.0.0.1:${port}` });
  await browser.setCookie({ name, value, domain: new URL(url).hostname, path: '/' });
  try {
    return await work();
  } finally {
    await browser.deleteMatchingCookies({ name, url });
    await browser.disconnect();
  }
}

const fileUrl = (folderOf: string, file: string) => pathToFileURL(path.join(folderOf, file)).href;

function install(): void {
  if (existsSync(path.join(folder, 'node_modules/lighthouse/package.json'))) return;
  mkdirSync(folder, { recursive: true });
  const npm = ['install', '--prefix', folder, `lighthouse@${version}`, '--no-audit', '--no-fund'];
  execFileSync('npm', npm, { stdio: ['ignore', 'inherit', 'inherit'] });
}

/** These keep the browser's own background requests from disturbing the measurement. */
const flags = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--no-first-run',
  '--no-default-browser-check',
  '--disable-background-networking',
  '--disable-client-side-phishing-detection',
  '--disable-component-update',
  '--disable-default-apps',
  '--disable-domain-reliability',
  '--disable-extensions',
  '--disable-sync',
  '--metrics-recording-only',
  '--no-pings',
];

async function startChromium(): Promise<{ port: number; stop(): Promise<void> }> {
  const { executablePath, env } = browserLaunchOptions();
  if (!executablePath)
    throw new Error('Lighthouse needs the Chromium of the tests, which is for Linux on x64.');
  const profile = await mkdtemp(path.join(tmpdir(), 'tuppence-lighthouse-'));
  const port = await findFreePort();
  const child = await spawnGuarded({
    command: executablePath,
    args: [...flags, `--user-data-dir=${profile}`, `--remote-debugging-port=${port}`, 'about:blank'],
    options: {
      stdio: 'ignore',
      env: { ...process.env, FONTCONFIG_FILE: String(env?.FONTCONFIG_FILE) },
    },
  });
  await untilUp(child, port);
  return {
    port,
    async stop() {
      await child.stop();
      await rm(profile, { recursive: true, force: true });
    },
  };
}

async function untilUp(child: GuardedChild, port: number): Promise<void> {
  for (const deadline = Date.now() + 20_000; Date.now() < deadline && !child.hasExited(); ) {
    if (await fetch(`http://127.0.0.1:${port}/json/version`).catch(() => null)) return;
    await sleep(50);
  }
  await child.stop();
  throw new Error('The browser for Lighthouse did not start.');
}
