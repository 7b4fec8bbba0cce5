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

const printed = (html: string) => printedPages(pool, `<!doctype html>${html}`);

const panels = '<div class=p id=pa>the panel A has words</div><div class=p id=pb>the panel B has words</div>';
const shownByChoice: Readonly<Record<string, readonly [html: string, text: string]>> = {
  'tabs made of radio buttons': [
    `<style>.p{display:none}#a:checked~#pa,#b:checked~#pb{display:block}</style><input type=radio name=t id=a checked><input type=radio name=t id=b>${panels}`,
    'thepanelAhaswordsthepanelBhaswords',
  ],
  'an accordion that opens slowly': [
    '<style>.p{max-height:0;overflow:hidden;transition:max-height 1s}input:checked~.p{max-height:40em}</style><input type=checkbox><div class=p>the answer to the question</div>',
    'theanswertothequestion',
  ],
  'a window that a link opens': [
    '<style>.p{position:fixed;inset:0;opacity:0;visibility:hidden;background:#fff}.p:target{opacity:1;visibility:visible}</style><a href="#m">open</a><div class=p id=m>the message in a window</div>after',
    'openthemessageinawindowafter',
  ],
  'rules within rules': [
    '<style>.all{& .p{display:none}& input:checked{~ .p{display:block}}}</style><section class=all><input type=checkbox><div class=p>the answer to the question</div></section>',
    'theanswertothequestion',
  ],
};

for (const [index, [name, [html, text]]] of Object.entries(shownByChoice).entries()) {
  test(
    `a printed document shows all that a choice without a script would show: ${name}`,
    sample(index === 0),
    async () => {
      const { pages, cut } = await printed(html);
      expect(pages.map((page) => page.text).join('')).toContain(text);
      expect(cut).toEqual([]);
    },
  );
}

const broken = 'data:image/png;base64,SGVsbG8=';
const pixel = 'data:image/gif;base64,R0lGODlhAQABAIAAAAUEBAAAACwAAAAAAQABAAACAkQBADs=';
const paragraphs = (count: number) =>
  Array.from({ length: count }, (_, index) => `<p>paragraph ${index + 1}`).join('');
const bar = (at: string) =>
  `<style>b{position:fixed;${at}:0;left:0;right:0;height:90px;background:#eee}</style><b>bar</b>`;

const lost: Readonly<Record<string, readonly [html: string, cut: readonly string[]]>> = {
  'a part for wide windows': [
    '<style>.w{display:none}@media(min-width:48rem){.w{display:block}}</style><p>text<p class=w>only there',
    ['p 2'],
  ],
  'a column that narrow windows do not show': [
    '<style>@media(max-width:800px){td+td{display:none}}</style><table><tr><td>wheel<td>5 euro</table>',
    ['td 2'],
  ],
  'a rule with its window inside': [
    '<style>.p{display:none;@media(width >= 48rem){display:block}}</style><p class=p>only there',
    ['p 1'],
  ],
  'a note below the pointer': [
    '<style>i{visibility:hidden}b:hover i{visibility:visible}</style><b>word<i>what it means</i></b>',
    ['i 1'],
  ],
  'two words that may be a mark': [
    '<style>i{display:none}:checked~i{display:inline}</style><input type=checkbox><i>switched on</i>',
    ['i 1'],
  ],
  'a background that is no image': [`<p style="background:url(${broken})">text`, ['p 1']],
  'generated content that is no image': [
    `<style>p::before{content:url("${broken}")}</style><p>text`,
    ['p 1'],
  ],
  'an image for screens of one density that is none': [`<img srcset="${broken} 1x" alt="">`, ['img 1']],
  'an image with alternatives that is none': [
    `<picture><source srcset="${broken}"><img alt="" src="${pixel}"></picture>`,
    ['img 1'],
  ],
  'an image in a drawing that is none': [
    `<svg><image width=9 height=9 href="${broken}" /></svg>`,
    ['image 1'],
  ],
  'a picture of a button that is none': [`<input type=image alt="" src="${broken}">`, ['input 1']],
  'a part of a drawing that is not there': [
    '<svg><path id=here d="M0 0h9"/><use href="#here"/><use href="#there"/></svg>',
    ['use 2'],
  ],
  'a film without a poster, and sound': [
    `<video poster="${pixel}"></video><video></video><audio></audio><audio controls></audio>`,
    ['video 2', 'audio 2'],
  ],
  'a body that frames replace': ['<frameset><noframes>text</noframes></frameset>', ['frameset 1']],
  'an icon of a font that cannot be read': [
    '<style>@font-face{font-family:own;src:url(data:font/woff2;base64,SGVsbG8=)}i,p{font-family:own}i::before{content:"\\e900"}</style><p>text<i></i><p>&#xe900;',
    ['i 1', 'p 2'],
  ],
  'a foot over the text of each page': [`${bar('bottom')}${paragraphs(40)}`, ['b 1']],
  'a head over the text of the second page': [
    `${bar('top')}<div style="height:100px"></div>${paragraphs(40)}`,
    ['b 1'],
  ],
  'text for margins that a page has not': [
    '<style>p{color:red}</style><style>@page{margin:0;@bottom-right{content:"page " counter(page)}}</style><p>text',
    ['style 2'],
  ],
};

for (const [index, [name, [html, cut]]] of Object.entries(lost).entries()) {
  test(`an element that paper does not show is named: ${name}`, sample(index % 5 === 0), async () => {
    expect((await printed(html)).cut).toEqual(cut);
  });
}

const complete: Readonly<Record<string, string>> = {
  'what the author hides on paper':
    '<style>.p{display:none}:checked~.p{display:block}@media print{.p{display:none!important}}@media(min-width:800px){.p{display:block}}</style><input type=checkbox><div class=p>the panel has words</div>',
  'a part that is there twice':
    '<style>.w{display:none}@media(min-width:768px){.w{display:block}.n{display:none}}</style><nav class=w>Home Contact</nav><nav class=n>Home Contact</nav>',
  'the mark of a check box':
    '<style>i{display:none}:checked~i{display:inline}</style><label><input type=checkbox><i>✓</i>Milk</label><label><input type=checkbox><i>On</i></label>',
  'images of all kinds': `<p style="background:url(${pixel})"><img srcset="${pixel} 2x" alt=""><picture><source srcset="${pixel}"><img src="${pixel}" alt=""></picture><svg><image href="${pixel}" width=5 height=5 /></svg><img loading=lazy src="${pixel}" alt="">`,
  'a foot below short text': `${bar('bottom')}${paragraphs(5)}`,
  'a head with room in the rows of each page': `${bar('top')}<table><thead><tr><td style="height:100px"></thead><tr><td>${paragraphs(40)}</table>`,
  'a head with room in each section': `<style>section{padding-top:110px;break-after:page}</style>${bar('top')}<section>${paragraphs(5)}</section><section>${paragraphs(5)}</section>`,
  'a picture behind the text of each page': `<style>b{position:fixed;inset:0;z-index:-1;background:#eee}</style><b></b>${paragraphs(40)}`,
  'text in margins':
    '<style>@page{margin:2cm;@bottom-right{content:"page " counter(page)}}@page :first{@bottom-right{content:none}}</style><p>text',
};

for (const [index, [name, html]] of Object.entries(complete).entries()) {
  test(`nothing is named that is there: ${name}`, sample(index % 4 === 0), async () => {
    expect((await printed(html)).cut).toEqual([]);
  });
}

test('a document is printed so that it fits on the page with the widest margins', sample(true), async () => {
  for (const page of [':first', ':right', 'only', ':first{} @supports (display:grid){@page :first']) {
    const { pages, cut } = await printed(
      `<style>@page ${page}{margin-left:8cm;margin-right:5cm}${page.includes('{') ? '}' : ''}body{page:only}</style><div style="width:700px;text-align:right">end`,
    );
    expect(
      pages.map(({ text }) => text),
      page,
    ).toEqual(['end']);
    expect(pages[0]?.right, page).toBeLessThan(0.77);
    expect(cut, page).toEqual([]);
  }
});
