import type { ServedPage } from './pages-server';

export interface GoodPage extends ServedPage {
  /** Texts that the Markdown must and must not contain. */
  readonly has?: readonly string[];
  readonly hasNot?: readonly string[];
  readonly links?: readonly string[];
  readonly metadata?: Readonly<Record<string, unknown>>;
}

const filler = (sentence: string) => `<p>${`${sentence} `.repeat(12)}</p>`.repeat(3);
const article = (language: string, title: string, sentence: string) =>
  `<!doctype html><html lang="${language}"><head><meta charset="utf-8"><title>${title}</title>
  <meta name="description" content="${title}."></head><body><nav><a href="/elsewhere">menu menu</a></nav>
  <article><h1>${title}</h1>${filler(sentence)}</article><footer>small print</footer></body></html>`;

const written: Readonly<Record<string, readonly [title: string, sentence: string]>> = {
  en: [
    'Lighthouses',
    'The tower on the northern cape was built of granite and has been lit every night since.',
  ],
  de: ['Leuchttürme', 'Der Turm am nördlichen Kap wurde aus Granit gebaut und brennt seither jede Nacht.'],
  ru: ['Маяки', 'Башня на северном мысе построена из гранита и горит каждую ночь с тех пор.'],
  el: ['Φάροι', 'Ο πύργος στο βόρειο ακρωτήριο χτίστηκε από γρανίτη και ανάβει κάθε νύχτα.'],
  ar: ['المنارات', 'بني البرج في الرأس الشمالي من الجرانيت ويضاء كل ليلة منذ ذلك الحين.'],
  he: ['מגדלורים', 'המגדל בכף הצפוני נבנה מגרניט ומאיר בכל לילה מאז.'],
  hi: ['प्रकाशस्तंभ', 'उत्तरी अंतरीप की मीनार ग्रेनाइट से बनी है और तब से हर रात जलती है।'],
  th: ['ประภาคาร', 'หอคอยที่แหลมทางเหนือสร้างจากหินแกรนิตและส่องสว่างทุกคืนนับแต่นั้นมา'],
  zh: ['灯塔', '北角的塔由花岗岩建成，从那以后每天晚上都亮着灯，为过往的船只指引方向。'],
  ja: ['灯台', '北の岬の塔は花崗岩で建てられ、それ以来毎晩明かりがともされています。'],
  ko: ['등대', '북쪽 곶의 탑은 화강암으로 지어졌으며 그 이후로 매일 밤 불이 켜져 있습니다.'],
};

/** Pages as people write them, by path, with the expected result. */
export const goodPages: Readonly<Record<string, GoodPage>> = {
  ...Object.fromEntries(
    Object.entries(written).map(([language, [title, sentence]]) => [
      `/article/${language}`,
      {
        body: article(language, title, sentence),
        has: [`# ${title}`, sentence],
        hasNot: ['menu menu', 'small print'],
        metadata: { title, language, description: `${title}.`, statusCode: 200 },
      },
    ]),
  ),
  '/in/windows-1251': {
    headers: { 'Content-Type': 'text/html; charset=windows-1251' },
    body: Buffer.from([0x3c, 0x70, 0x3e, 0xcc, 0xe0, 0xff, 0xea, 0x20, 0xe3, 0xee, 0xf0, 0xe8, 0xf2]),
    has: ['Маяк горит'],
  },
  '/by/script': {
    body: `<!doctype html><title>App</title><div id="app">Loading</div><script>
      fetch('/by/data').then((r) => r.json()).then(({ name }) => {
        app.innerHTML = '<h1>' + name + '</h1><p>Rendered in the browser from what it fetched.</p><a href="/made">made</a>';
        document.title = name;
      });</script>`,
    has: ['# From the data', 'Rendered in the browser'],
    hasNot: ['Loading'],
    links: ['/made'],
    metadata: { title: 'From the data' },
  },
  '/by/data': {
    headers: { 'Content-Type': 'application/json' },
    body: '{"name":"From the data"}',
    has: ['```json\n{"name":"From the data"}\n```'],
  },
  '/a/table': {
    body: '<title>T</title><main><table><thead><tr><th>Port</th><th>Height</th></tr></thead><tbody><tr><td>Brest</td><td>31 m</td></tr><tr><td>a | b</td><td>2 m</td></tr></tbody></table></main>',
    has: ['| Port', '| Brest', '31 m', 'a \\| b'],
  },
  '/some/code': {
    body: '<title>C</title><main><p>See <code>a &lt; b</code>:</p><pre><code class="language-ts">const a: string = `x`;\n\nif (a &lt; b) {}</code></pre></main>',
    has: ['`a < b`', '```ts\nconst a: string = `x`;\n\nif (a < b) {}\n```'],
  },
  '/deep/down/links': {
    body: `<title>L</title><main><p><a href="up?q=1">one</a> <a href="../two">two</a> <a href="//other.test/x">three</a>
      <a href="#here">four</a> <a href="javascript:alert(1)">five</a> <a href="mailto:a@b.test">six</a>
      <img src="pic.png" alt="A picture"> <img src="data:image/gif;base64,R0lGOD" alt="inline"></p></main>`,
    has: [
      '[one]({site}/deep/down/up?q=1)',
      '[two]({site}/deep/two)',
      '[three](http://other.test/x)',
      '{site}/deep/down/pic.png',
    ],
    hasNot: ['javascript:', 'data:image'],
    links: ['/deep/down/up?q=1', '/deep/two'],
  },
  '/with/base': {
    body: '<base href="/elsewhere/"><title>B</title><main><a href="x">x</a></main>',
    has: ['[x]({site}/elsewhere/x)'],
  },
  '/lists/and/such': {
    body: '<title>S</title><main><h2>Things</h2><ul><li>one</li><li>two<ul><li>inner</li></ul></li></ul><ol><li>first</li></ol><blockquote>said</blockquote><p><strong>bold</strong> <em>soft</em> <del>gone</del></p><hr></main>',
    has: ['## Things', 'one', 'inner', '1.  first', '> said', '**bold**', '*soft*', '~~gone~~'],
  },
  '/missing/page': {
    status: 404,
    body: '<title>Not found</title><h1>No such page</h1>',
    has: ['# No such page'],
    metadata: { statusCode: 404, title: 'Not found' },
  },
  '/moved': {
    status: 302,
    headers: { Location: '/article/en' },
    has: ['# Lighthouses'],
    metadata: { url: '{site}/article/en', sourceURL: '{site}/moved', statusCode: 200 },
  },
  '/moved/by/script': {
    body: '<script>location.replace("/a/table")</script>',
    has: ['| Brest'],
    metadata: { url: '{site}/a/table' },
  },
  '/plain.txt': {
    headers: { 'Content-Type': 'text/plain; charset=utf-8' },
    body: '<b>not bold</b>\n  two  spaces\n',
    has: ['<b>not bold</b>\n  two  spaces'],
    metadata: { contentType: 'text/plain; charset=utf-8' },
  },
  '/feed.xml': {
    headers: { 'Content-Type': 'application/rss+xml' },
    body: '<?xml version="1.0"?><rss><channel><title>F</title></channel></rss>',
    has: ['```xml\n<?xml version="1.0"?><rss>'],
  },
  '/hostile/names': {
    body: '<title>H</title><form name="body"><input name="cloneNode"></form><img name="querySelectorAll"><img name="documentElement"><main><p>Still read.</p></main>',
    has: ['Still read.'],
  },
  '/hostile/prototypes': {
    body: '<title>P</title><main><p>Unmoved.</p></main><script>Array.prototype.map = String.prototype.replace = JSON.stringify = document.querySelectorAll = () => { throw 1 }; Object.prototype.filter = 1</script>',
    has: ['Unmoved.'],
  },
  '/hostile/dialogs': {
    body: '<title>D</title><p>Patient.</p><script>alert(1); confirm(2); prompt(3); print(); onbeforeunload = () => "stay"; for (let i = 0; i < 20; i++) window.open("/popup")</script>',
    has: ['Patient.'],
  },
};
