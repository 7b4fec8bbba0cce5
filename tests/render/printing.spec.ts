import { readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { paying } from '@/lib/platform/owners';
import { productionTimings, type Timings } from '@/lib/platform/timings';
import { type Printed, PrintingPool } from '@/lib/services/render/chromium/printing-pool';
import { PdfFile } from '@/lib/services/render/pdf-file';
import { someone } from '../support/clients';
import { testPlatform } from '../support/platform';
import { fullOnly } from '../support/tiers';
import { patientTimings } from '../support/timings';
import { expect, test } from '../support/without-browser';
import { bomb } from './bomb';
import { browserProcesses } from './browser-processes';
import { legitimate } from './legitimate';
import { readOutline, readPdf, squeezed } from './pdf-text';

test.describe.configure({ mode: 'serial' });

const newPool = (size = 1, waitingMax = 4, timings: Timings = patientTimings) =>
  new PrintingPool({ ...testPlatform(), timings }, { size, waitingMax, chromiumPath: undefined });
let pool: PrintingPool;

test.beforeAll(() => {
  pool = newPool();
});
test.afterAll(() => pool.close());

function pdfOf(printed: Printed): Buffer {
  if (printed.kind === 'printed') return printed.document.pdf;
  throw new Error(printed.kind === 'failed' ? `failed: ${printed.cause}` : printed.kind);
}

/** 210 by 297 mm in points, in either orientation; the browser rounds to whole pixels. */
function expectA4({ width, height }: { width: number; height: number }): void {
  expect(Math.abs(Math.min(width, height) - 595.3)).toBeLessThan(1);
  expect(Math.abs(Math.max(width, height) - 841.9)).toBeLessThan(1);
}

for (const [name, expected] of Object.entries(legitimate)) {
  test(`${name} is printed as it should be`, async () => {
    const pdf = pdfOf(await pool.print(someone, expected.html));
    const { text, fonts, sizes, pages, info } = await readPdf(pdf);
    expect(pages).toBe(expected.pages);
    expect(new PdfFile(pdf).pageCount).toBe(expected.pages);
    for (const words of expected.text) expect(squeezed(text)).toContain(squeezed(words));
    for (const font of expected.fonts ?? []) {
      expect(
        fonts.some((embedded) => embedded.startsWith(font)),
        `${font} in ${fonts.join(', ')}`,
      ).toBe(true);
    }
    for (const size of sizes) expectA4(size);
    expect(info.Title ?? undefined).toBe(expected.title);
  });
}

test('a PDF reveals nothing about the machine that made it', async () => {
  const pdf = pdfOf(await pool.print(someone, '<title>Plain</title><p>text'));
  const { info } = await readPdf(pdf);
  expect(info).toMatchObject({ Title: 'Plain', Creator: 'Chromium' });
  expect(info.Author).toBeUndefined();
  expect(String(info.CreationDate)).toMatch(/\+00'00'$/);
  expect(pdf.toString('latin1')).not.toMatch(/tmp|tuppence|Linux|document\.invalid/);
});

test('the outline of a PDF has the headings of its document', async () => {
  const html = `<h1>Report</h1><p>text</p><h2>First <b>part</b></h2><h3 style="break-before:page">Détail</h3>
    <h2>Second part</h2><h1>Annex</h1>`;
  const outline = await readOutline(pdfOf(await pool.print(someone, html)));
  expect(outline).toEqual([
    {
      title: 'Report',
      page: 1,
      items: [
        { title: 'First part', page: 1, items: [{ title: 'Détail', page: 2, items: [] }] },
        { title: 'Second part', page: 2, items: [] },
      ],
    },
    { title: 'Annex', page: 2, items: [] },
  ]);
  expect(await readOutline(pdfOf(await pool.print(someone, '<p>no headings')))).toEqual([]);
});

test('pages of another size are fitted to A4', async () => {
  for (const size of ['letter', '100mm 100mm', 'A3', '3000mm 3000mm']) {
    const pdf = pdfOf(await pool.print(someone, `<style>@page{size:${size};margin:0}</style><p>text`));
    const { sizes } = await readPdf(pdf);
    for (const sheet of sizes) expectA4(sheet);
  }
});

test('printing stops after the twenty-first page', fullOnly, async () => {
  const pdf = pdfOf(await pool.print(someone, '<p style="break-after:page">x</p>'.repeat(3000)));
  expect(new PdfFile(pdf).pageCount).toBe(21);
});

test('the document cannot fake its number of pages', async () => {
  const pdf = pdfOf(
    await pool.print(someone, '<html lang="/Pages 1 0 R /Count 7"><title>/Type /Pages /Count 99</title><p>x'),
  );
  expect(new PdfFile(pdf).pageCount).toBe(1);
});

test('a document leaves nothing for the next one', async () => {
  pdfOf(
    await pool.print(someone, '<style>@font-face{font-family:Left;src:local("Arimo")}</style><p id=a>first'),
  );
  const { text } = await readPdf(pdfOf(await pool.print(someone, '<p>second')));
  expect(text).toBe('second');
});

test(
  'an endless document is ended with all its processes, and the next one is printed soon',
  fullOnly,
  async () => {
    const limited = newPool(1, 4, productionTimings);
    try {
      expect(await limited.readiness()).toBe('ready');
      const startedAt = Date.now();
      const printed = await limited.print(someone, bomb);
      expect(printed.kind).toBe('failed');
      expect(Date.now() - startedAt).toBeLessThan(20_000);
      const nextAt = Date.now();
      pdfOf(await limited.print(someone, '<p>next'));
      expect(Date.now() - nextAt).toBeLessThan(10_000);
    } finally {
      await limited.close();
    }
  },
);

const leader = (pids: readonly number[]) => Math.min(...pids);

test('a browser killed during a document is replaced, and the document is printed', fullOnly, async () => {
  test.skip(process.platform !== 'linux', 'processes are read from /proc');
  const slow = `<p>slow</p>${'<p style="filter:blur(3px)">x</p>'.repeat(400)}`;
  pdfOf(await pool.print(someone, '<p>warm'));
  const { running } = await browserProcesses();
  const printing = pool.print(someone, slow);
  process.kill(leader(running), 'SIGKILL');
  expect(new PdfFile(pdfOf(await printing)).pageCount).toBeGreaterThan(1);
});

test('documents beyond the queue limit are refused, and the others are printed', fullOnly, async () => {
  const small = newPool(1, 2);
  try {
    expect(await small.readiness()).toBe('ready');
    const printed = await Promise.all(
      Array.from({ length: 5 }, (_, at) =>
        small.print(paying({ payer: `payer ${at}`, onlyOn: null }), '<p>x'),
      ),
    );
    expect(printed.map(({ kind }) => kind).sort()).toEqual(['busy', 'busy', 'printed', 'printed', 'printed']);
  } finally {
    await small.close();
  }
});

test(
  'a payer with endless documents loses a browser to others, and the revoked job does not count',
  fullOnly,
  async () => {
    const shared = newPool(2, 8);
    try {
      expect(await shared.readiness()).toBe('ready');
      const worked: number[] = [];
      const greedy = {
        payer: 'greedy',
        onlyOn: null,
        isNewcomer: false,
        countWork: (ms: number) => worked.push(ms),
      };
      const bombs = [1, 2, 3].map(() => shared.print(greedy, bomb));
      pdfOf(await shared.print(someone, '<p>meanwhile'));
      pdfOf(await shared.print(someone, '<p>and again'));
      expect(await Promise.race(bombs)).toEqual({ kind: 'busy' });
      expect(worked).toEqual([0]);
    } finally {
      await shared.close();
    }
  },
);

test('without a browser a document is not printed, and the caller gets no details', async () => {
  const none = new PrintingPool(testPlatform(), {
    size: 1,
    waitingMax: 1,
    chromiumPath: '/nowhere/chromium',
  });
  expect(await none.readiness()).toBe('absent');
  expect(await none.print(someone, '<p>x')).toEqual({ kind: 'absent' });
});

test('a closed pool leaves no process, no zombie and no file', fullOnly, async () => {
  test.skip(process.platform !== 'linux', 'processes are read from /proc');
  await pool.close();
  expect(await browserProcesses()).toEqual({ running: [], zombies: [], memory: 0 });
  const uid = process.getuid?.() ?? 0;
  const names = await readdir(path.join(tmpdir(), `tuppence-render-${uid}`));
  expect(names.filter((name) => name.startsWith(`browser.${process.pid}.`))).toEqual([]);
});
