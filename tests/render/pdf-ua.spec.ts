import path from 'node:path';
import { paying } from '@/lib/platform/owners';
import { ThreadPool } from '@/lib/platform/threads/thread-pool';
import { languageOfCandidate } from '@/lib/services/render/accessible/candidate';
import { problemsOf } from '@/lib/services/render/accessible/check';
import { declareAccessible, readAccessible } from '@/lib/services/render/accessible/declare';
import { withDeclaration } from '@/lib/services/render/accessible/declare-in-thread';
import { PrintingPool } from '@/lib/services/render/chromium/printing-pool';
import { PdfFile } from '@/lib/services/render/pdf-file';
import { someone } from '../support/clients';
import { testPlatform } from '../support/platform';
import { sample } from '../support/tiers';
import { patientTimings } from '../support/timings';
import { expect, test } from '../support/without-browser';
import { readPdf } from './pdf-text';

const pool = new PrintingPool(
  { ...testPlatform(), timings: patientTimings },
  { size: 1, waitingMax: 4, chromiumPath: undefined },
);
test.afterAll(() => pool.close());

async function printed(html: string): Promise<Buffer> {
  const done = await pool.print(someone, html);
  if (done.kind !== 'printed') throw new Error(done.kind);
  return done.document.pdf;
}

const titled = (rest: string) =>
  `<!doctype html><html lang="en"><title>Report &amp; plan (é)</title><h1>Report</h1>${rest}`;
const pixel = 'src="data:image/gif;base64,R0lGODlhAQABAIAAAAUEBAAAACwAAAAAAQABAAACAkQBADs="';
const table = (head: string, rows = 1) =>
  `<table><thead><tr><${head}>Part</${head}><${head}>Price</${head}></tr></thead>${'<tr><td>Wheel</td><td>5</td></tr>'.repeat(rows)}</table>`;
const limits = {
  threads: 1,
  budgetMs: 6_000,
  lateAfterMs: 20_000,
  waitingMax: 1,
  waitingBytesMax: 1_000_000,
};
const payer = paying({ payer: '0x0', onlyOn: null });

const conforming: Readonly<Record<string, string>> = {
  text: titled(
    '<h2>Part</h2><p>Some <b>bold</b> text, and <code>code</code>.</p><blockquote>Said</blockquote><hr>',
  ),
  'links, of which one is within the document': titled(
    '<p>See <a href="https://example.com/a?b=(c)">there</a> and <a href="#end">below</a>.</p><h2 id="end">End</h2>',
  ),
  images: titled(
    `<img width="30" height="30" alt="A plan" ${pixel}><img width="30" height="30" alt="" ${pixel}>`,
  ),
  'a figure with a caption, and one of text': titled(
    `<figure><img width="30" height="30" alt="A plan" ${pixel}><figcaption>The plan</figcaption></figure><figure><p>Said</p><figcaption>By somebody</figcaption></figure>`,
  ),
  'drawings with an alternative, and decoration': titled(
    '<svg role="img" aria-label="A chart" width="90" height="20"><rect width="20" height="20" fill="red"/><text y="15">Label</text></svg><svg role=img width=9 height=9><title>A dot</title><circle r="4"/></svg><p>Text <svg aria-hidden="true" width="9" height="9"><circle r="4"/></svg></p>',
  ),
  'a table with borders of its own': titled(
    `<style>table{border-collapse:collapse;border:2px solid}td,th{border:1px solid}thead{background:#eee}</style>${table('th')}`,
  ),
  'spaces that do not break, and two languages': titled(
    '<p>5&nbsp;km</p><p>Hello <span lang="fr">bonjour</span></p>',
  ),
  'lists in lists': titled(
    '<ul><li>One<ul><li>Inner</li></ul></li><li><p>Two</p><p>Three</p></li></ul><ol start="3"><li>Third</li></ol>',
  ),
  'boxes and several pages': titled(
    '<div style="background:#eee;border:1px solid red">boxed</div><p style="break-before:page">second page</p>',
  ),
  'a paragraph on two pages': titled(
    `<p style="font-size:40px">${'Many words of one paragraph. '.repeat(60)}</p>`,
  ),
  'a table on three pages, with its head on each': titled(
    `<style>thead{display:table-header-group}td{height:12mm;border:1px solid}</style>${table('th', 60)}`,
  ),
  'other scripts and emoji': titled('<p>你好，世界 שלום ราคา 🎉 مرحبا</p>'),
};

for (const [name, html] of Object.entries(conforming)) {
  test(
    `a document declares PDF/UA-1 because it conforms: ${name}`,
    sample(name === 'a table with borders of its own'),
    async () => {
      const language = languageOfCandidate(html);
      expect(language).toBe('en');
      const pdf = await printed(html);
      const { pdf: declared, problems } = declareAccessible({ pdf, language: 'en' });
      expect(problems).toEqual([]);
      if (!declared) throw new Error('nothing is declared');
      expect(problemsOf(readAccessible(declared))).toEqual([]);
      expect(declared.toString()).toContain('<pdfuaid:part>1</pdfuaid:part>');
      expect(declared.toString()).toContain('>Report &#38; plan (é)</rdf:li>');
      expect(new PdfFile(declared).pageCount).toBe(new PdfFile(pdf).pageCount);
      expect((await readPdf(declared)).text).toBe((await readPdf(pdf)).text);
    },
  );
}

const lacking: Readonly<Record<string, readonly [html: string, ...problems: string[]]>> = {
  'a title': [
    '<html lang="en"><h1>Report</h1>',
    '7.1: it has no title',
    '7.1: viewers do not show its title',
  ],
  'a language': ['<title>Report</title><h1>Report</h1>', '7.2: it has no language'],
  'an alternative text in a figure with a caption': [
    titled(`<figure><img width="30" height="30" ${pixel}><figcaption>The plan</figcaption></figure>`),
    '7.3: a figure has no alternative text',
  ],
  'a mark of decoration with text': [
    titled('<svg aria-hidden="true" width="90" height="20"><text y="15">Label</text></svg>'),
    '7.1: content is neither tagged nor an artifact',
  ],
  'an alternative text': [
    titled(`<img width="30" height="30" ${pixel}>`),
    '7.3: a figure has no alternative text',
  ],
  'a level of headings': [titled('<h3>Part</h3>'), '7.4.2: headings skip a level'],
  'header cells': [titled(table('td')), '7.5: a table has no header cells'],
  'a glyph': [titled('<p>\u{11a50}</p>'), '7.21.8: a font lacks a character'],
  'a glyph of a font with codes of one byte': [
    titled('<p style="font-family:Noto Sans CJK SC">世\u{11a50}</p>'),
    '7.21.8: a font lacks a character',
  ],
  'tags of margin boxes': [
    titled('<style>@page{margin:2cm;@top-center{content:"Head"}}</style><p>Text</p>'),
    '7.1: content is neither tagged nor an artifact',
  ],
};

for (const [name, [html, ...problems]] of Object.entries(lacking)) {
  test(
    `a document does not declare PDF/UA-1 because it lacks ${name}`,
    sample(name === 'header cells'),
    async () => {
      const pdf = await printed(html);
      const language = name === 'a language' ? '' : 'en';
      expect(declareAccessible({ pdf, language })).toEqual({ pdf: null, problems });
    },
  );
}

test('the head of a table that is printed on each page is read once', async () => {
  const html = conforming['a table on three pages, with its head on each'] ?? '';
  const { pdf } = declareAccessible({ pdf: await printed(html), language: 'en' });
  const { elements, pages } = readAccessible(pdf ?? Buffer.alloc(0));
  const heads = elements.filter(({ type }) => type === '/TH');
  expect(pages.length).toBeGreaterThan(2);
  expect(heads.map(({ content }) => content.length)).toEqual([1, 1]);
});

const untouched: Readonly<Record<string, string>> = {
  'no title': '<html lang="en"><h1>Report</h1>',
  'an empty title': '<html lang="en"><title></title><h1>Report</h1>',
  'no language': '<!doctype html><html class="a"><title>Report</title>',
  'an empty language': '<html lang=""><title>Report</title>',
  'a language in a comment': '<!-- <html lang="en"> --><title>Report</title>',
  'a language in the value of another attribute': '<html class=" lang=en "><title>Report</title>',
  'a language of another element': '<title>Report</title><p lang="en">Text</p>',
  // Looking for the end of each would take minutes.
  'a megabyte of titles that do not end': `<html lang="en">${'<title '.repeat(150_000)}`,
  'a drawing with a role in the value of another attribute': titled(
    '<svg class=" role=img aria-label=plan " width="9" height="9"><circle r="4"/></svg>',
  ),
  'a drawing with a role but no name': titled('<svg role="img" width="9" height="9"><circle r="4"/></svg>'),
  'an inline drawing': titled('<svg width="9" height="9"><circle r="4"/></svg>'),
  'text with a filter, which is printed as an image': titled('<p style="filter:blur(1px)">Text</p>'),
  'a field of a form': titled('<input value="Text">'),
};

for (const [name, html] of Object.entries(untouched)) {
  test(`a document is not looked at because it has ${name}`, () => {
    expect(languageOfCandidate(html)).toBeNull();
  });
}

test('a PDF stays as it was when its check fails', async () => {
  const platform = testPlatform();
  const threads = new ThreadPool(platform, {
    // It has no such job.
    file: { file: path.resolve('tests/support/thread-jobs.mjs'), execArgv: [] },
    ...limits,
  });
  try {
    const pdf = Buffer.from('%PDF-1.4');
    expect(await withDeclaration({ threads, log: platform.log }, payer, pdf, titled(''))).toBe(pdf);
  } finally {
    await threads.close();
  }
});
