import { readdir, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import puppeteer, { type Browser } from 'puppeteer-core';
import { findChromium } from '@/lib/platform/chromium/binary';
import { groupMemory } from '@/lib/platform/chromium/browser';
import { findForbidden } from '@/lib/services/render/check-input';
import { PrintingPool } from '@/lib/services/render/chromium/printing-pool';
import { PdfFile } from '@/lib/services/render/pdf-file';
import { invoiceHtml } from '@/local/tour';
import { someone } from '@/tests/support/clients';
import { testPlatform } from '@/tests/support/platform';
import type { Bench } from './bench';
import { inTurns, median } from './rounds';
import type { Row } from './table';

type Print = () => Promise<unknown>;

/**
 * The tour's invoice, checked, printed and counted by our renderer, compared with puppeteer alone printing it as its guide
 * shows: one warm browser, a new page per document. Same Chromium, same fonts.
 */
export async function measurePdf(bench: Bench): Promise<Row[]> {
  const { rounds, isQuick } = bench.options;
  const documents = isQuick ? 20 : 60;
  const rows: Row[] = [];
  for (const atOnce of [1, 2, 4]) {
    const pool = newPool(Math.max(2, atOnce));
    const alone = await startPuppeteer();
    try {
      const ours = async () => printOurs(pool);
      const baseline = async () => printAlone(alone);
      for (const print of [ours, baseline]) await timesOf(print, 4 * atOnce, atOnce);
      const measured = await inTurns(rounds, {
        ours: () => timesOf(ours, documents, atOnce),
        alone: () => timesOf(baseline, documents, atOnce),
      });
      rows.push(...rowsOf(atOnce, measured));
    } finally {
      await Promise.all([pool.close(), alone.close()]);
    }
  }
  return [...rows, await memoryRow(isQuick ? 100 : 1_000)];
}

interface Times {
  readonly p50: number;
  readonly perSecond: number;
}

async function timesOf(print: Print, documents: number, atOnce: number): Promise<Times> {
  const times: number[] = [];
  let left = documents;
  const startedMs = performance.now();
  const lane = async () => {
    while (left > 0) {
      left -= 1;
      const beganMs = performance.now();
      await print();
      times.push(performance.now() - beganMs);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
  return { p50: median(times), perSecond: documents / ((performance.now() - startedMs) / 1_000) };
}

function rowsOf(atOnce: number, measured: Record<'ours' | 'alone', Times[]>): Row[] {
  const [ours, alone] = [measured.ours, measured.alone];
  const p50 = [median(ours.map((one) => one.p50)), median(alone.map((one) => one.p50))] as const;
  const rate = [median(ours.map((one) => one.perSecond)), median(alone.map((one) => one.perSecond))] as const;
  const rateRow: Row = {
    name: `PDFs per second, ${atOnce} at a time`,
    ours: rate[0].toFixed(1),
    baseline: `${rate[1].toFixed(1)} puppeteer alone`,
    ratio: rate[0] / rate[1],
    aim: atOnce === 4 ? '>= 1x' : '',
    isMet: atOnce === 4 ? rate[0] >= rate[1] : null,
  };
  if (atOnce > 1) return [rateRow];
  const ratio = p50[0] / p50[1];
  return [
    {
      name: 'PDF of an invoice, warm, p50 ms',
      ours: p50[0].toFixed(1),
      baseline: `${p50[1].toFixed(1)} puppeteer alone`,
      ratio,
      aim: '<= 1.1x',
      isMet: ratio <= 1.1,
    },
    rateRow,
  ];
}

function newPool(size: number): PrintingPool {
  return new PrintingPool(testPlatform(), { size, waitingMax: 16, chromiumPath: undefined });
}

async function printOurs(pool: PrintingPool): Promise<void> {
  if ((await findForbidden(invoiceHtml)).length > 0) throw new Error('the invoice is refused');
  const printed = await pool.print(someone, invoiceHtml);
  if (printed.kind !== 'printed') throw new Error(`the invoice was not printed: ${printed.kind}`);
  if (new PdfFile(printed.document.pdf).pageCount !== 1) throw new Error('the invoice has not one page');
}

async function startPuppeteer(): Promise<Browser> {
  const executablePath = await findChromium(undefined);
  if (!executablePath) throw new Error('there is no Chromium for this machine');
  const fonts = path.join(tmpdir(), `tuppence-render-${process.getuid?.() ?? 0}`, 'fonts.conf');
  const env = { ...process.env, FONTCONFIG_FILE: fonts };
  return puppeteer.launch({ executablePath, headless: 'shell', args: ['--no-sandbox'], pipe: true, env });
}

async function printAlone(browser: Browser): Promise<void> {
  const page = await browser.newPage();
  await page.setContent(invoiceHtml);
  await page.pdf({ format: 'a4', printBackground: true });
  await page.close();
}

/** The browsers' memory after this many documents, compared with after ten. */
async function memoryRow(documents: number): Promise<Row> {
  const pool = newPool(2);
  const mebibytes: number[] = [];
  try {
    for (let at = 1; at <= documents; at += 1) {
      await printOurs(pool);
      if (at === 10 || at === documents) mebibytes.push((await browserMemory()) / 2 ** 20);
    }
  } finally {
    await pool.close();
  }
  const [early = 0, late = 0] = mebibytes;
  return {
    name: `private memory of two browsers after ${documents} PDFs, MiB`,
    ours: late.toFixed(0),
    baseline: `${early.toFixed(0)} after 10`,
    ratio: late / early,
    aim: '',
    isMet: null,
  };
}

/** The sum over the process groups of the browsers that this process started. */
async function browserMemory(): Promise<number> {
  let bytes = 0;
  for (const name of (await readdir('/proc')).filter((entry) => /^\d+$/.test(entry))) {
    const stat = await readFile(`/proc/${name}/stat`, 'latin1').catch(() => '');
    const [, parent, group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (Number(parent) === process.pid && group === name) bytes += (await groupMemory(Number(name))) ?? 0;
  }
  return bytes;
}
