import { readFileSync } from 'node:fs';

/** Realistic documents, and the expected content of their PDFs. */
export interface Legitimate {
  readonly html: string;
  readonly pages: number;
  /** Words that the text of the PDF must contain, ignoring white space. */
  readonly text: readonly string[];
  /** Prefixes of the names of embedded fonts. */
  readonly fonts?: readonly string[];
  readonly title?: string;
}

const png =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const font = readFileSync('node_modules/@embedpdf/fonts-hebrew/fonts/NotoSansHebrew-Bold.ttf', 'base64');
const svgData = (inner: string) =>
  `data:image/svg+xml,${encodeURIComponent(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9">${inner}</svg>`)}`;
const rows = (count: number) =>
  Array.from({ length: count }, (_, at) => `<tr><td>Item ${at + 1}</td><td>${at * 3}.00</td></tr>`).join('');

export const legitimate: Readonly<Record<string, Legitimate>> = {
  'the least document': { html: 'hello', pages: 1, text: ['hello'], fonts: ['Tinos'] },
  'an invoice': {
    html: `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Invoice 42</title>
      <meta name="viewport" content="width=device-width"><style>
      @page { margin: 2cm } body { font-family: Helvetica, Arial, sans-serif } table { width: 100%; border-collapse: collapse }
      thead { background: #eee } td + td { text-align: right } .total { font-weight: bold }</style></head>
      <body><img src="${png}" alt="logo" width="40" height="40"><h1>Invoice 42</h1><table><thead><tr><th>What</th><th>USDC</th></tr></thead>
      <tbody>${rows(8)}</tbody></table><p class="total">Total 84.00</p>
      <p>Pay at <a href="https://example.com/pay?id=42">example.com</a> or <a href="mailto:a@example.com">write</a>, see <a href="#top">above</a>.</p></body></html>`,
    pages: 1,
    text: ['Invoice 42', 'Item 8', 'Total 84.00'],
    fonts: ['Arimo-Regular', 'Arimo-Bold'],
    title: 'Invoice 42',
  },
  'a long table with its head on every page': {
    html: `<style>@page{margin:1cm} thead{display:table-header-group} td{height:12mm}</style><table><thead><tr><th>Headline</th></tr></thead>${rows(60)}</table>`,
    pages: 3,
    text: ['Headline', 'Item 60'],
  },
  'exactly twenty pages': {
    html: `${'<p style="break-after:page">page</p>'.repeat(19)}<p>last</p>`,
    pages: 20,
    text: ['last'],
  },
  'margin boxes and page numbers': {
    html: '<style>@page{margin:2cm;@top-center{content:"Running head"}@bottom-right{content:counter(page) " of " counter(pages)}}</style><p>one</p><p style="break-before:page">two',
    pages: 2,
    text: ['Running head', '1 of 2', '2 of 2'],
  },
  'a sheet turned on its side': {
    html: '<style>@page{size:A4 landscape}</style><p>wide',
    pages: 1,
    text: ['wide'],
  },
  'Simplified Chinese': {
    html: '<html lang="zh-CN"><p>你好，世界。发票总额：一百元',
    pages: 1,
    text: ['你好', '发票总额'],
    fonts: ['NotoSansHans'],
  },
  'Traditional Chinese': {
    html: '<html lang="zh-TW"><p>發票總額',
    pages: 1,
    text: ['發票總額'],
    fonts: ['NotoSansHant'],
  },
  Japanese: {
    html: '<html lang="ja"><p>請求書をご確認ください',
    pages: 1,
    text: ['請求書'],
    fonts: ['NotoSansJP'],
  },
  Korean: { html: '<html lang="ko"><p>청구서 합계', pages: 1, text: ['청구서'], fonts: ['NotoSansKR'] },
  'vertical Japanese': {
    html: '<html lang="ja"><p style="writing-mode:vertical-rl;height:10em">縦書きの文章です',
    pages: 1,
    text: ['縦'],
    fonts: ['NotoSansJP'],
  },
  'Arabic from right to left': {
    html: '<html lang="ar" dir="rtl"><p style="font-family:sans-serif">فاتورة رقم ٤٢',
    pages: 1,
    text: [],
    fonts: ['NotoSansArabic'],
  },
  'Hebrew from right to left': { html: '<html lang="he" dir="rtl"><p>חשבונית', pages: 1, text: ['חשבונית'] },
  'Hindi, Thai, Greek, Cyrillic, Vietnamese': {
    html: '<p lang="hi">चालान</p><p lang="th">ใบแจ้งหนี้</p><p lang="el">Τιμολόγιο</p><p lang="ru">Счёт</p><p lang="vi">Hóa đơn</p>',
    pages: 1,
    text: ['Τιμολόγιο', 'Счёт', 'Hóa đơn'],
    fonts: ['NotoSans-Regular', 'NotoSansThai'],
  },
  'colour emoji': { html: '<p>😀 👩‍👩‍👧 🇫🇷 👍🏽', pages: 1, text: ['😀'], fonts: ['NotoColorEmoji'] },
  'a font of its own': {
    html: `<style>@font-face{font-family:Own;src:url(data:font/ttf;base64,${font}) format("truetype")}p{font-family:Own}</style><p>חשבונית`,
    pages: 1,
    text: ['חשבונית'],
    fonts: ['NotoSansHebrew-Bold'],
  },
  'inline SVG with fragments': {
    html: `<svg viewBox="0 0 100 100" xmlns:xlink="http://www.w3.org/1999/xlink"><defs><linearGradient id="g"><stop offset="0" stop-color="red"/></linearGradient>
      <symbol id="s"><circle r="9" cx="9" cy="9" fill="url(#g)"/></symbol><clipPath id="c"><rect width="50" height="50"/></clipPath>
      <filter id="f"><feGaussianBlur stdDeviation="1"/></filter><path id="p" d="M0 50 L99 50"/></defs>
      <use href="#s"/><use xlink:href="#s" x="20"/><g clip-path="url(#c)" filter="url('#f')"><image href="${png}" width="9" height="9"/></g>
      <text><textPath href="#p">along a path</textPath></text><style>circle{stroke:black}</style></svg>`,
    pages: 1,
    text: ['along a path'],
  },
  'images of every kind': {
    html: `<style>body{background:url("${png}")} li{list-style-image:url(${png})} p{background-image:image-set("${png}" 1x, url('${png}') 2x)}</style>
      <picture><source srcset="${png} 1x, ${png} 2x"><img src="${png}" srcset="${png} 1x" usemap="#m"></picture><map name="m"><area href="https://example.com"></map>
      <img src="${svgData('<defs><path id="a" d="M0 0h9v9z"/></defs><use href="#a"/><style>path{fill:url(#g)}</style>')}"><ul><li>item</ul><p>url(http://example.com/a.png) is only text`,
    pages: 1,
    text: ['item', 'is only text'],
  },
  'custom properties, conditions and functions': {
    html: `<html style="--gap: 1mm"><style>
      @property --brand { syntax: "<color>"; inherits: true; initial-value: #036 }
      @function --double(--a) { result: calc(var(--a) * 2) }
      :root { --ink: #222; --icon: url("${png}"); --label: "Price: "; --shade: linear-gradient(var(--ink), transparent); --font: "Noto Sans", sans-serif }
      @layer base { p { color: var(--ink, black); font-family: var(--font); padding: max(var(--gap), env(safe-area-inset-top, 0px)) } }
      @container style(--x: 1) { p { margin: if(media(print): 1cm; else: 0) } }
      .a { background: var(--icon) no-repeat, var(--shade), color-mix(in srgb, var(--brand) 20%, white) }
      .b { background: image-set(linear-gradient(red, rgb(0 0 255 / 50%)) 1x, url(${png}) 2x, "${png}" type("image/png") calc(1x * 3)) }
      .c { width: attr(data-width type(<length>), 5cm); color: attr(data-color type(<color>)); height: attr(data-h px, 9px); background: -webkit-cross-fade(url(${png}), linear-gradient(red, red), 50%) }
      .c::before { content: var(--label) attr(data-label) " " attr(title, "none") }
      @supports (background: paint(a)) or (color: var(--x)) { p { border-image: linear-gradient(var(--brand), red) 1 } }
      @namespace svg "http://www.w3.org/2000/svg"; svg|rect { fill: var(--brand); filter: drop-shadow(0 0 var(--gap) var(--ink)) blur(0) }
      .d { clip-path: polygon(0 0, var(--gap) 0, 9px 9px); offset-path: path("M0 0 L9 9"); mask: linear-gradient(black, black), url("#m"); cursor: pointer; font-variation-settings: "wght" var(--w, 400); --url: none }
      @font-face { font-family: Local; src: local("Arimo"), url(data:font/woff2;base64,AAAA) format("woff2") tech(variations) }
      a::after { content: " (" attr(href) ")" }</style>
      <p class="a">first<p class="b">second<div class="c" data-width="3cm" data-color="red" data-label="9" title="t">third</div>
      <svg width="9" height="9"><rect fill="var(--brand)" width="9" height="9" transform="rotate(3)" data-x="url(a.png)"/></svg><p class="d"></p><p><a href="https://example.com/">fourth</a>`,
    pages: 1,
    text: ['first', 'second', 'third', 'Price: 9', 'fourth', '(https://example.com/)'],
  },
  MathML: {
    html: '<p>The root: <math display="block"><msqrt><mrow><msup><mi>a</mi><mn>2</mn></msup><mo>+</mo><mi>b</mi></mrow></msqrt><mfrac><mn>1</mn><mi>x</mi></mfrac></math> ends here',
    pages: 1,
    text: ['The root', 'ends here'],
  },
  'grid, flex, columns and counters': {
    html: '<style>.g{display:grid;grid-template-columns:repeat(3,1fr)}.f{display:flex;gap:1em}.c{columns:2}ol{counter-reset:a}li::before{counter-increment:a;content:counters(a,".") " "}</style><div class=g><b>one</b><b>two</b><b>three</b></div><div class=f><i>four</i><i>five</i></div><div class=c>six<p>seven</div><ol><li>eight</ol>',
    pages: 1,
    text: ['three', 'five', 'seven', 'eight'],
  },
  'a form that is only shown': {
    html: '<form><fieldset><legend>Choice</legend><label><input type="checkbox" checked> Yes</label><select><optgroup label="x"><option>One<option selected>Two</optgroup><hr></select><textarea>words</textarea><button type="button">Print</button></fieldset></form>',
    pages: 1,
    text: ['Choice', 'Two', 'words'],
  },
  'a template, a shadow root and a noscript': {
    html: '<template><p>unseen</p></template><div><template shadowrootmode="open"><style>p{color:red}</style><p>in the shadow</p></template></div><noscript><p>without script</p></noscript>',
    pages: 1,
    text: ['in the shadow', 'without script'],
  },
  'metadata that loads nothing': {
    html: '<head><title>Päper “α”</title><meta http-equiv="Content-Type" content="text/html; charset=utf-8"><meta property="og:image" content="https://example.com/a.png"><meta http-equiv="Content-Security-Policy" content="default-src \'none\'; style-src \'unsafe-inline\'"></head><body><blockquote cite="https://example.com/">said</blockquote>',
    pages: 1,
    text: ['said'],
    title: 'Päper “α”',
  },
};
