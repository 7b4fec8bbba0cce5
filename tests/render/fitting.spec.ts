import { PrintingPool } from '@/lib/services/render/chromium/printing-pool';
import { testPlatform } from '../support/platform';
import { sample } from '../support/tiers';
import { patientTimings } from '../support/timings';
import { expect, test } from '../support/without-browser';
import { printedPages } from './printed-pages';

let pool: PrintingPool;

test.beforeAll(() => {
  const app = { ...testPlatform(), timings: patientTimings };
  pool = new PrintingPool(app, { size: 1, waitingMax: 4, chromiumPath: undefined });
});
test.afterAll(() => pool.close());

const printed = (html: string) => printedPages(pool, html);

const columns = Array.from({ length: 14 }, (_, index) => `<td>column ${index + 1} to the end</td>`).join('');
const long = 'a sentence that goes on and on '.repeat(8);

const wide: Readonly<Record<string, string>> = {
  'a table of 14 columns that do not wrap': `<style>td{white-space:nowrap}</style><table><tr>${columns}</table>`,
  'a flex row of 1,600 pixels': `<div style="display:flex;width:1600px"><p style="flex:1">left<p style="flex:1;text-align:right">end</div>`,
  'a paragraph that does not wrap': `<p style="white-space:nowrap">${long}end`,
  'a long line of code': `<pre>${long}end</pre>`,
  'a wide box in a page with margins': `<style>@page{margin:25mm}</style><div style="width:700px;text-align:right">end`,
  'a wide table on a turned page': `<style>@page{size:A4 landscape}td{white-space:nowrap}</style><table><tr>${columns}</table>`,
  'columns of a grid': `<div style="display:grid;grid-template-columns:repeat(4,300px)"><p>one<p>two<p>three<p style="text-align:right">end</div>`,
  'a moved box': `<p>start<div style="transform:translateX(900px);width:120px;text-align:right">end</div>`,
  'a fixed box right of the page': `<p>start<div style="position:fixed;left:900px;width:120px;text-align:right">end</div>`,
  'generated text': `<style>p::after{content:"${long}end";white-space:nowrap}</style><p>start`,
  'a page with scroll bars that are hidden': `<style>html,body{overflow-x:hidden}</style><div style="width:1400px;text-align:right">end</div>`,
  'a body that clips': `<style>body{overflow:clip}</style><div style="width:1400px;text-align:right">end</div>`,
  'a table in a shadow tree': `<div><template shadowrootmode="closed"><style>td{white-space:nowrap}</style><table><tr>${columns}</table></template></div>`,
  'what is laid out when it is seen': `<div style="height:1900px">start</div><div style="content-visibility:auto"><div style="width:1400px;text-align:right">end</div></div>`,
  'a field with a long value': `<p>start<p><input style="width:100px" value="${long}"><p style="width:1500px;text-align:right">end`,
  'a text field without line breaks': `<textarea wrap=off>${long}</textarea><p style="width:700px;text-align:right">end`,
  'a table in a box with a scroll bar': `<style>td{white-space:nowrap}</style><div style="overflow-x:auto"><table><tr>${columns}</table></div>`,
};

for (const [index, [name, html]] of Object.entries(wide).entries()) {
  test(`content wider than the page is printed smaller: ${name}`, sample(index % 3 === 0), async () => {
    const { pages, cut } = await printed(`<!doctype html>${html}`);
    expect(pages).toHaveLength(1);
    expect(pages[0]?.right).toBeGreaterThan(0.8);
    expect(pages[0]?.right).toBeLessThan(0.99);
    expect(pages[0]?.text).toMatch(/end$/);
    expect(cut).toEqual([]);
  });
}

test('a document that runs from right to left is printed smaller too, and loses nothing at its left', async () => {
  for (const start of ['<html dir="rtl"><body>', '<body dir="rtl">']) {
    const { pages, cut } = await printed(
      `<!doctype html>${start}<style>td{white-space:nowrap}</style><table><tr>${columns}</table>`,
    );
    expect(pages.map(({ text }) => text)).toEqual([expect.stringMatching(/^column1to.*column14totheend$/)]);
    expect(pages[0]?.left).toBeGreaterThan(0.01);
    expect(cut).toEqual([]);
  }
});

test('content that is still too wide at the smallest size is named', async () => {
  const { cut } = await printed(`<!doctype html><p>short<p style="white-space:nowrap">${long.repeat(4)}`);
  expect(cut).toEqual(['p 2']);
});

test('a document that fits is printed in its own size', async () => {
  const fits = await printed('<!doctype html><p style="font-size:20px">text');
  const withMargins = await printed(
    '<!doctype html><style>@page{margin:3cm}</style><p style="font-size:20px">text',
  );
  const atTheEdge = await printed(
    '<!doctype html><style>@page{margin:0}body{margin:0}</style><p style="font-size:20px;text-align:right">text',
  );
  expect([fits, withMargins, atTheEdge].map(({ pages }) => pages[0]?.textHeight)).toEqual([
    fits.pages[0]?.textHeight,
    fits.pages[0]?.textHeight,
    fits.pages[0]?.textHeight,
  ]);
});

const lines = Array.from({ length: 30 }, (_, index) => `line ${index + 1}`);
const hidden: Readonly<Record<string, string>> = {
  'a box with a scroll bar': `<div style="max-height:80px;overflow:auto">${lines.join('<br>')}</div>`,
  'a page that scrolls in its body': `<style>html,body{height:100%;overflow:hidden}main{height:50%;overflow:auto}</style><main>${lines.join('<br>')}</main>`,
  'a text field': `<textarea rows=3>${lines.join('\n')}</textarea>`,
  'closed details': `<details><summary>more</summary>${lines.join('<br>')}</details>`,
  'closed details of one name': `<details name=a open><summary>1</summary>one</details><details name=a><summary>2</summary>${lines.join('<br>')}</details>`,
  'a page in a window': `<style>#app{height:100vh;overflow:hidden;display:flex;flex-direction:column}main{flex:1;min-height:0;overflow:auto}</style><div id=app><main>${lines.join('<br>')}</main></div>`,
  'a fixed box with a scroll bar': `<style>main{position:fixed;top:80px;left:0;right:0;bottom:0;overflow:auto;font-size:3em}</style><main>${lines.join('<br>')}</main>`,
  'slides side by side': `<style>div{display:flex;overflow-x:auto}p{flex:0 0 100%}</style><div>${lines.map((line) => `<p>${line}</p>`).join('')}</div>`,
  'a dialog and a note that buttons open': `<button type=button commandfor=d command=show-modal>1</button><dialog id=d>${lines.slice(0, 15).join('<br>')}</dialog><button type=button popovertarget=n>2</button><div popover id=n>${lines.slice(15).join('<br>')}</div>`,
  'what is hidden until it is found': `<div hidden="until-found">${lines.join('<br>')}</div>`,
  'a box in a shadow tree': `<div><template shadowrootmode="open"><div style="height:40px;overflow:auto">${lines.join('<br>')}</div></template></div>`,
  'text under a cover': `<div style="position:fixed;inset:0;background:#fff;z-index:9"></div>${lines.join('<br>')}`,
  'text that fades in over and over': `<style>@keyframes a{from{opacity:0}to{opacity:1}}div{opacity:0;animation:a 1s infinite}</style><div>${lines.join('<br>')}</div>`,
  'a choice in a narrow field': `<select style="width:60px"><option>${lines.join(' ')}</select>`,
  'text that flies in': `<style>@keyframes a{from{transform:translateX(-2000px)}}div{animation:a 1s 2s both}</style><div>${lines.join('<br>')}</div>`,
  'text that appears': `<style>@keyframes a{to{visibility:visible}}div{visibility:hidden;animation:a 1s forwards}</style><div>${lines.join('<br>')}</div>`,
  'text that appears over and over': `<style>@keyframes a{from{visibility:hidden}}div{animation:a 1s infinite}</style><div>${lines.join('<br>')}</div>`,
};

for (const [index, [name, html]] of Object.entries(hidden).entries()) {
  test(
    `a printed document shows everything that a screen shows only on demand: ${name}`,
    sample(index % 3 === 0),
    async () => {
      const { pages, cut } = await printed(`<!doctype html>${html}<p>after it`);
      const text = pages.map((page) => page.text).join('');
      for (const line of ['line1', 'line15', 'line30', 'afterit']) expect(text).toContain(line);
      expect(cut).toEqual([]);
    },
  );
}

const cutOff: Readonly<Record<string, readonly [html: string, cut: readonly string[]]>> = {
  'a box of fixed height': [
    `<div style="height:40px;overflow:hidden">${lines.join('<br>')}</div>`,
    ['div 1'],
  ],
  'an ellipsis': [
    `<p>fine<p style="width:100px;overflow:hidden;white-space:nowrap;text-overflow:ellipsis">${long}`,
    ['p 2'],
  ],
  'a clamp after two lines': [
    `<p style="display:-webkit-box;-webkit-line-clamp:2;-webkit-box-orient:vertical;overflow:hidden">${long.repeat(3)}`,
    ['p 1'],
  ],
  'a box that clips': [`<div style="overflow:clip;height:40px">${lines.join('<br>')}</div>`, ['div 1']],
  'a box that contains its paint': [
    `<div style="contain:paint;height:40px">${lines.join('<br>')}</div>`,
    ['div 1'],
  ],
  'a clip path': [`<div style="clip-path:inset(0 0 60% 0)">${lines.join('<br>')}</div>`, ['div 1']],
  'a form of fixed height': [
    `<form style="height:40px;overflow:hidden">${lines.join('<br>')}</form>`,
    ['form 1'],
  ],
  'a part without height': ['<div style="max-height:0;overflow:hidden">more</div>', ['div 1']],
  'a drawing that is too small': [
    '<svg width=120 height=30><text y=20>a label that goes on to its end</text></svg>',
    ['svg 1'],
  ],
  'text left of the page': ['<p style="margin-left:-100px">it starts outside of the page</p>', ['p 1']],
  'text above the page': [
    '<p>fine<div style="margin-top:-120px">up<br>down<br>down<br>down<br>down</div>',
    ['div 1'],
  ],
  'a width that grows with the page': ['<div style="width:150%;text-align:right">end</div>', ['div 1']],
  'a dialog that nothing opens': ['<dialog>only a script can</dialog>', ['dialog 1']],
  'an image that is none': [
    '<img alt="" src="data:image/gif;base64,R0lGODlhAQABAIAAAAUEBAAAACwAAAAAAQABAAACAkQBADs="><img alt="a" src="data:image/png;base64,SGVsbG8=">',
    ['img 2'],
  ],
  'text far left of the page': ['<p>fine</p><a style="position:absolute;left:-9999px">skip</a>', []],
  'a picture instead of text': ['<h1 style="text-indent:-9999px">Title</h1>', []],
  'text for screen readers': [
    '<span style="position:absolute;width:1px;height:1px;overflow:hidden">for screen readers</span>',
    [],
  ],
  'an image wider than its frame': [
    '<div style="width:90px;height:90px;overflow:hidden"><svg width=300 height=300></svg></div>',
    [],
  ],
};

for (const [index, [name, [html, cut]]] of Object.entries(cutOff).entries()) {
  test(
    `text that its author cuts off is named, and nothing else is: ${name}`,
    sample(index % 3 === 0),
    async () => {
      expect((await printed(`<!doctype html>${html}`)).cut).toEqual(cut);
    },
  );
}

const sheets = (count: number) =>
  Array.from({ length: count }, (_, index) => `<div class=page>page ${index + 1}</div>`).join('');
const tall: Readonly<Record<string, readonly [html: string, pages: readonly string[]]>> = {
  'html and body of full height': ['<style>html,body{height:100%}</style><p>text', ['text']],
  'pages of 297 mm': [
    `<style>body{margin:0}.page{height:297mm;break-after:page}</style>${sheets(3)}`,
    ['page1', 'page2', 'page3'],
  ],
  'pages of 210 by 297 mm': [
    `<style>body{margin:0}.page{width:210mm;height:297mm;break-after:page}</style>${sheets(2)}`,
    ['page1', 'page2'],
  ],
  'pages of 297 mm without margins': [
    `<style>@page{size:A4;margin:0}body{margin:0}.page{height:297mm;page-break-after:always}</style>${sheets(2)}`,
    ['page1', 'page2'],
  ],
  'a cover of the height of the window': [
    '<style>.cover{height:100vh;break-after:page}</style><div class=cover>cover</div><p>text',
    ['cover', 'text'],
  ],
  'pages of 297 mm within other parts': [
    '<style>body{margin:0}.page{height:297mm;break-after:page;position:relative}i{position:absolute;bottom:0}</style><main><div><div class=page>one<i>foot</i></div><div class=page>two<i>foot</i></div></div></main>',
    ['onefoot', 'twofoot'],
  ],
  'a white box that is a little too tall': [
    '<style>div{min-height:100vh;margin:20px;background:#fff}</style><div>text</div>',
    ['text'],
  ],
  'a colored page that is a little too tall': [
    '<style>body{min-height:100vh;padding:20px;background:#def}</style>text',
    ['text'],
  ],
  'an empty line after a full page': [
    '<style>body{margin:0}div{height:100vh}</style><div>text</div><p>&nbsp;</p>',
    ['text'],
  ],
  'a break before the first heading': [
    '<style>h1{page-break-before:always}</style><header></header><main><h1>one</h1><h1>two</h1></main>',
    ['one', 'two'],
  ],
  'a break after the last page': [
    '<p style="break-after:page">one<p style="break-after:page">two',
    ['one', 'two'],
  ],
};

for (const [name, [html, texts]] of Object.entries(tall)) {
  test(`no empty page is printed: ${name}`, async () => {
    const { pages } = await printed(`<!doctype html>${html}`);
    expect(pages.map(({ text }) => text)).toEqual(texts);
  });
}

test('empty pages stay that the document asks for, and pages that only have a color or a picture', async () => {
  const asked = await printed(
    '<!doctype html><p style="break-after:page">one<div style="break-after:page"></div><p>three',
  );
  expect(asked.pages.map(({ text }) => text)).toEqual(['one', '', 'three']);
  const painted = await printed(
    '<!doctype html><p style="break-after:page">one<div style="height:200px;background:navy;break-after:page"></div><svg width=50 height=50><circle r=20 /></svg>',
  );
  expect(painted.pages).toHaveLength(3);
  expect((await printed('<!doctype html>')).pages).toHaveLength(1);
});

test('a mark over every page stays on every page', async () => {
  const { pages, cut } = await printed(
    '<!doctype html><style>b{position:fixed;inset:0;z-index:9;background:rgb(0 0 0 / 5%)}</style><p style="break-after:page">one<p>two<b>mark</b>',
  );
  expect(pages.map(({ text }) => text)).toEqual(['onemark', 'twomark']);
  expect(cut).toEqual([]);
});

test('names of form fields hide nothing from the measurement', async () => {
  const names = [
    'style',
    'localName',
    'children',
    'append',
    'parentElement',
    'scrollHeight',
    'querySelectorAll',
    'styleSheets',
    'body',
    'contains',
  ];
  const fields = names.map((name) => `<input name=${name}><img name=${name} alt="">`).join('');
  const { pages } = await printed(
    `<!doctype html><form style="height:50px;overflow:auto">${fields}<p>in the form</form><p style="white-space:nowrap">${long}end`,
  );
  expect(pages[0]?.right).toBeLessThan(0.99);
});
