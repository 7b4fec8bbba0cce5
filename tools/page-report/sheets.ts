import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Browser } from '@playwright/test';
import type { PageState } from './state';
import { pictureOf, schemes, type Width, widths } from './visit';

/** Contact sheets: thumbnails of all states of an area at one width, light next to dark. */

const perSheet: Readonly<Record<Width, number>> = { 1280: 6, 768: 6, 390: 6 };

/** How wide the thumbnails are. */
const thumbnail: Readonly<Record<Width, number>> = { 1280: 440, 768: 320, 390: 195 };

export async function makeSheets(
  browser: Browser,
  states: readonly PageState[],
  folder: string,
): Promise<void> {
  const sheets = path.join(folder, 'sheets');
  await mkdir(sheets, { recursive: true });
  for (const area of new Set(states.map((state) => state.area))) {
    const ofArea = states.filter((state) => state.area === area);
    for (const width of widths) {
      for (let at = 0; at < ofArea.length; at += perSheet[width]) {
        const number = at / perSheet[width] + 1;
        const file = path.join(sheets, `${area}-${width}-${number}.png`);
        await drawSheet(browser, ofArea.slice(at, at + perSheet[width]), width, folder, file);
      }
    }
  }
}

async function drawSheet(
  browser: Browser,
  states: readonly PageState[],
  width: Width,
  folder: string,
  file: string,
): Promise<void> {
  const shown = thumbnail[width];
  const figures = states.flatMap((state) =>
    schemes.map((scheme) => {
      const picture = path.resolve(pictureOf(folder, state, width, scheme));
      return `<figure><figcaption>${state.name} ${scheme}</figcaption><img src="file://${picture}" width="${shown}"></figure>`;
    }),
  );
  const html = `<!doctype html><meta charset="utf-8"><style>body{margin:8px;background:#888;font:12px sans-serif;display:flex;flex-wrap:wrap;gap:8px}
figure{margin:0;width:${shown}px}figcaption{background:#fff}img{display:block;max-height:1400px;object-fit:cover;object-position:top}</style>${figures.join('')}`;
  const source = `${file}.html`;
  await writeFile(source, html);
  const page = await browser.newPage({ viewport: { width: shown * 4 + 56, height: 800 } });
  await page.goto(`file://${path.resolve(source)}`);
  await page.screenshot({ path: file, fullPage: true });
  await page.close();
  await rm(source);
}
