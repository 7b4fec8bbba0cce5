import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { scrape } from '@/lib/catalog/crawl';
import { isApiError } from '@/lib/catalog/errors/api-error';
import type { Input } from '@/lib/catalog/operation';
import { readerPdfPagesMax } from '@/lib/catalog/research';
import { PrintingPool } from '@/lib/services/render/chromium/printing-pool';
import { readWithOwnReader } from '@/lib/services/research/crawl';
import type { ResearchDeps } from '@/lib/services/research/forward';
import type { ReadingPool } from '@/lib/services/research/reader/reading-pool';
import { someone } from '../support/clients';
import { testPlatform } from '../support/platform';
import { fullOnly } from '../support/tiers';
import { expect, test } from '../support/without-browser';
import { type ServedPage, type Site, startSite } from './pages-server';
import { asking, dataOf, readerOf } from './reading';
import { formOf, linesFrom, pdfOf, writePdf } from './written-pdfs';

test.describe.configure({ mode: 'serial' });

const paper = [
  [
    { text: 'Sodium cells in use', y: 760, size: 24 },
    { text: '1 Introduction', y: 720, size: 16 },
    ...linesFrom(690, [
      'A grid needs stores that are cheap and safe, and the cells of this study were built to be',
      'both. They were charged and dis-',
      'charged 4,000 times.',
    ]),
    ...linesFrom(640, [
      'A second paragraph follows after a wider space, and it has two lines of its own, which',
      'belong together.',
    ]),
    { text: '• lithium is scarce', y: 600 },
    { text: '• sodium is not', y: 586 },
    { text: 'Journal of Cells', y: 30, size: 9 },
  ],
  ...[2, 3, 4].map((number) => [
    ...linesFrom(760, [`Text of page ${number}, which is a sentence of its own.`]),
    { text: 'Journal of Cells', y: 30, size: 9 },
  ]),
];

let deflated: Buffer | undefined;

/** Made only by the test that needs it: to deflate it takes two seconds. */
function bomb(): Buffer {
  deflated ??= writePdf({
    contents: [Buffer.alloc(400 * 1024 * 1024, 'BT /F1 9 Tf (boom boom boom) Tj ET\n')],
    isDeflated: true,
  });
  return deflated;
}
const locked = `/Encrypt << /Filter /Standard /V 1 /R 2 /P -44 /O <${'ab'.repeat(32)}> /U <${'cd'.repeat(32)}> >> /ID [<00> <00>]`;
const pdf = (
  body: Buffer,
  headers: Record<string, string> = { 'Content-Type': 'application/pdf' },
): ServedPage => ({ headers, body });

const text = (name: string, value: string, more = '') => `/FT /Tx /T (${name}) /V (${value}) ${more}`;
const appearance = '/AP << /N << /Yes 3 0 R /Off 3 0 R >> >>';
const box = (name: string, state: 'Yes' | 'Off') =>
  `/FT /Btn /T (${name}) /V /${state} /AS /${state} ${appearance}`;
const choices = '/Opt [[(at) (Austria)] [(be) (Belgium)] [(ch) (Switzerland)]]';

/** A form that somebody filled in, with every kind of field, and fields that show nothing. */
const filledForm = formOf(
  [
    { text: 'Application', y: 780, size: 20 },
    { text: 'Family name:', y: 740 },
    { text: 'Given name:', x: 320, y: 740 },
    { text: 'Address', y: 712 },
    { text: 'Countries:', y: 650 },
    { text: 'Organic', x: 92, y: 620 },
    { text: 'Seasonal', x: 212, y: 620 },
    { text: 'Delivery:', y: 590 },
    { text: 'by day', x: 152, y: 590 },
    { text: 'by night', x: 252, y: 590 },
    { text: 'I have read the rules and agree to all of them.', y: 560 },
  ],
  [
    [[150, 735, 310, 752], text('f[0].p1[0].f1_01', 'Okafor [sic]')],
    [[400, 735, 540, 752], text('f[0].p1[0].f1_02', 'Ngozi')],
    [[72, 670, 400, 708], text('f[0].p1[0].f1_03', '12 Long Road\\nLagos', '/Ff 4096')],
    [[150, 645, 310, 662], `/FT /Ch /Ff 2097152 /T (countries) /V [(at) (ch)] ${choices}`],
    [[72, 618, 84, 630], box('organic', 'Yes')],
    [[192, 618, 204, 630], box('seasonal', 'Off')],
    [
      [132, 588, 144, 600],
      `/FT /Btn /Ff 32768 /T (delivery) /V /Night /AS /Off /AP << /N << /Day 3 0 R /Off 3 0 R >> >>`,
    ],
    [
      [232, 588, 244, 600],
      `/FT /Btn /Ff 32768 /T (delivery2) /V /Night /AS /Night /AP << /N << /Night 3 0 R /Off 3 0 R >> >>`,
    ],
    [[72, 100, 300, 120], text('reference', 'R-17', '/TU (Reference of the office)')],
    [[420, 558, 540, 572], '/Subtype /FreeText /Contents (typed by hand) /DA (/Helv 10 Tf)'],
    [[72, 530, 300, 545], text('secret', 'hunter2', '/Ff 8192')],
    [[72, 500, 300, 515], text('unseen', 'not shown', '/F 2')],
    [[72, 470, 300, 485], text('empty', '')],
    [[72, 440, 300, 455], '/FT /Btn /Ff 65536 /T (send) /MK << /CA (Send) >>'],
    [[72, 410, 300, 425], '/FT /Sig /T (signature)'],
  ],
);
/** More fields than are read, of which each has a long value. */
const endlessForm = formOf(
  [{ text: 'Name:', y: 740 }],
  Array.from({ length: 20_000 }, (_, at) => [
    [150, 735, 310, 752] as const,
    text(`f${at}`, at === 0 ? 'x'.repeat(1_000_000) : `value ${at} ${'long '.repeat(20)}`),
  ]),
);

const pages: Record<string, ServedPage> = {
  '/form.pdf': pdf(filledForm),
  '/endless-form.pdf': pdf(endlessForm),
  '/paper.pdf': pdf(pdfOf(paper, '/Title (Sodium cells) /Author (R. Okafor)')),
  '/download': pdf(pdfOf(paper), {
    'Content-Type': 'application/octet-stream',
    'Content-Disposition': 'attachment; filename="a.pdf"',
  }),
  '/moved': { status: 302, headers: { Location: '/paper.pdf' } },
  '/later': { body: '<meta http-equiv="refresh" content="0;url=/paper.pdf">' },
  '/long.pdf': pdf(
    pdfOf(
      Array.from({ length: readerPdfPagesMax + 3 }, (_, at) => linesFrom(700, [`This is page ${at + 1}.`])),
    ),
  ),
  '/partly-scanned.pdf': pdf(pdfOf([[], linesFrom(700, ['The second page has some text.']), [], []])),
  '/scanned.pdf': pdf(pdfOf([[]])),
  '/locked.pdf': pdf(writePdf({ contents: [Buffer.from('BT (x) Tj ET')], trailer: locked })),
  '/damaged.pdf': pdf(Buffer.from('%PDF-1.7\nnot really')),
  '/page.pdf': {
    body: '<title>A page</title><p>This is a page, whatever its name says, and it has some text.',
  },
  '/loop.pdf': pdf(writePdf({ contents: [], kids: '2 0 R', count: 1_000_000 })),
  get '/bomb.pdf'() {
    return pdf(bomb());
  },
};

const report = `<!doctype html><html lang="en"><title>Quarter</title><h1>Report</h1><p>The first quarter was good.</p>
<h2>Sales</h2><ul><li>north</li><li>south</li></ul><p>See <a href="https://docs.example.com/sales">the details</a>.</p>
<table><tr><th>Region</th><th>Units</th></tr><tr><td>North</td><td>12</td></tr></table></html>`;

let site: Site;
let reader: ReadingPool;

test.beforeAll(async () => {
  const printer = new PrintingPool(testPlatform(), { size: 1, waitingMax: 4, chromiumPath: undefined });
  const printed = await printer.print(someone, report).finally(() => printer.close());
  if (printed.kind !== 'printed') throw new Error(printed.kind);
  const tagged = pdf(Buffer.from(printed.document.pdf));
  site = await startSite((path) => (path === '/tagged.pdf' ? tagged : pages[path]));
  reader = readerOf([site.port]);
});
test.afterAll(async () => {
  await reader.close();
  await site.close();
});

const at = (path: string) => `http://site.test:${site.port}${path}`;
const read = async (path: string, more: object = {}) =>
  dataOf(await reader.read(someone, asking(at(path), more)));

test('a PDF without tags becomes Markdown by page, with headings, paragraphs and lists', async () => {
  const { markdown, metadata } = await read('/paper.pdf');
  expect(markdown).toBe(`<!-- Page 1 -->

# Sodium cells in use

## 1 Introduction

A grid needs stores that are cheap and safe, and the cells of this study were built to be both. They were charged and discharged 4,000 times.

A second paragraph follows after a wider space, and it has two lines of its own, which belong together.

- lithium is scarce
- sodium is not

<!-- Page 2 -->

Text of page 2, which is a sentence of its own.

<!-- Page 3 -->

Text of page 3, which is a sentence of its own.

<!-- Page 4 -->

Text of page 4, which is a sentence of its own.`);
  expect(metadata).toMatchObject({
    title: 'Sodium cells',
    author: 'R. Okafor',
    numPages: 4,
    totalPages: 4,
    contentType: 'application/pdf',
    statusCode: 200,
  });
});

test('a tagged PDF keeps the headings, lists and tables that it names, and its links', fullOnly, async () => {
  const { markdown, links, metadata } = await read('/tagged.pdf');
  expect(markdown).toContain('# Report\n\nThe first quarter was good.');
  expect(markdown).toContain('## Sales');
  expect(markdown).toContain('- north\n- south');
  expect(markdown).toMatch(/\| Region \| Units \|\n\| --- \| --- \|\n\| North \| 12 \|/);
  expect(links).toEqual(['https://docs.example.com/sales']);
  expect(metadata).toMatchObject({ title: 'Quarter' });
});

test('a form that was filled in keeps what each field shows, beside its label', async () => {
  const { markdown } = await read('/form.pdf');
  expect(markdown).toBe(`<!-- Page 1 -->

# Application

Family name: Okafor \\[sic\\] Given name: Ngozi

Address 12 Long Road Lagos

Countries: Austria, Switzerland

☑ Organic ☐ Seasonal

Delivery: ☐ by day ☑ by night

I have read the rules and agree to all of them. typed by hand

Reference of the office: R-17`);
});

test('a form of 20,000 fields is read up to its limits', fullOnly, async () => {
  const { markdown } = await read('/endless-form.pdf');
  expect(markdown).toContain('value 1999');
  expect(markdown).not.toContain('value 2000 ');
  expect(markdown?.length).toBeLessThan(300_000);
});

test(
  'a PDF is read after redirects, as a download, and as a summary; a page whose name ends in .pdf is a page',
  fullOnly,
  async () => {
    for (const path of ['/moved', '/later', '/download']) {
      const { markdown, metadata } = await read(path);
      expect(markdown, path).toContain('# Sodium cells in use');
      expect(metadata.sourceURL).toBe(at(path));
    }
    expect((await read('/moved')).metadata.url).toBe(at('/paper.pdf'));
    const { summary, markdown, rawHtml } = await read('/paper.pdf', { formats: ['summary', 'rawHtml'] });
    expect({ summary, markdown, rawHtml }).toMatchObject({
      summary: expect.stringContaining('A grid needs stores'),
      markdown: undefined,
      rawHtml: undefined,
    });
    expect((await read('/page.pdf')).markdown).toContain('This is a page');
  },
);

test('a PDF with too many pages is read up to the limit, and says so', fullOnly, async () => {
  const { markdown, warning, metadata } = await read('/long.pdf');
  expect(markdown).toContain(`This is page ${readerPdfPagesMax}.`);
  expect(markdown).not.toContain(`This is page ${readerPdfPagesMax + 1}.`);
  expect(warning).toBe(
    `The PDF has ${readerPdfPagesMax + 3} pages. The first ${readerPdfPagesMax} were read.`,
  );
  expect(metadata).toMatchObject({ numPages: readerPdfPagesMax, totalPages: readerPdfPagesMax + 3 });
});

test('pages of a PDF without text are named', async () => {
  const { warning, markdown } = await read('/partly-scanned.pdf');
  expect(markdown).toContain('The second page');
  expect(warning).toBe('These pages have no text, because they are empty or images: 1, 3-4.');
});

/** How reading a page is refused. */
async function refusalOf(path: string, more: object = {}) {
  // Reading needs no other part of the app.
  const app = { reading: reader } as ResearchDeps;
  const error = await readWithOwnReader
    .prepare(app, asking(at(path), more) as Input<typeof scrape>, someone)
    .catch((thrown: unknown) => thrown);
  return isApiError(error) ? { code: error.code, payment: error.payment } : { error };
}

test(
  'PDFs without text, with a password, damaged, or asked for as HTML are refused uncharged, each with its code',
  fullOnly,
  async () => {
    const cases = [
      ['/scanned.pdf', {}, 'pdf_without_text'],
      ['/locked.pdf', {}, 'pdf_unreadable'],
      ['/damaged.pdf', {}, 'pdf_unreadable'],
      ['/loop.pdf', {}, 'pdf_unreadable'],
      ['/paper.pdf', { formats: ['rawHtml'] }, 'page_unsupported'],
    ] as const;
    for (const [path, more, code] of cases)
      expect(await refusalOf(path, more), path).toEqual({ code, payment: 'none' });
  },
);

test(
  'a PDF that unpacks to far more than it has is ended uncharged, while the server stays free, and the next one is read',
  fullOnly,
  async () => {
    bomb();
    const delay = monitorEventLoopDelay({ resolution: 10 });
    delay.enable();
    const refusal = await refusalOf('/bomb.pdf', { timeout: 8_000 });
    delay.disable();
    expect(refusal).toMatchObject({
      code: expect.stringMatching(/^(page_(unreadable|too_large)|pdf_unreadable)$/),
      payment: 'none',
    });
    expect(delay.max / 1e6).toBeLessThan(2_000);
    expect((await read('/paper.pdf')).markdown).toContain('Sodium cells');
  },
);
