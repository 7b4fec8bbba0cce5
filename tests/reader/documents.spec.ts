import type { ReadingPool } from '@/lib/services/research/reader/reading-pool';
import { someone } from '../support/clients';
import { sample } from '../support/tiers';
import { expect, test } from '../support/without-browser';
import { type ServedPage, type Site, startSite } from './pages-server';
import { asking, dataOf, readerOf } from './reading';

const words = 'Größe, naïve façade – “żółć”, 灯台は北の岬';
const latin = Buffer.from(
  '<title>L</title><main><p>Gr\u00f6\u00dfe und \u00dcbung, fa\u00e7ade</p></main>',
  'latin1',
);
/** Japanese in Shift_JIS, repeated so that there is enough to tell the encoding by. */
const shiftJis = Buffer.concat([
  Buffer.from('<title>S</title><main><p>'),
  Buffer.from('93948ae482cc8cf582cd8b4082f08ed282e78142'.repeat(20), 'hex'),
  Buffer.from('</p></main>'),
]);
const typed = (type: string, body: string | Buffer = words): ServedPage => ({
  headers: { 'Content-Type': type },
  body,
});

/** Documents by path, with what their Markdown must be or contain. */
const documents: Readonly<Record<string, readonly [ServedPage, string | RegExp]>> = {
  '/utf8.md': [typed('text/markdown', `# ${words}`), `# ${words}`],
  '/utf8.txt': [typed('text/plain'), words],
  '/late': [typed('text/plain', `${'ascii '.repeat(20_000)}${words}`), /灯台は北の岬$/],
  '/utf8.html': [typed('text/html', `<title>${words}</title><main><p title="ü">${words}</p></main>`), words],
  '/late.html': [
    typed('text/html', `<title>T</title><main><p>${'ascii '.repeat(9_000)}</p><p>${words}</p></main>`),
    /灯台は北の岬$/,
  ],
  '/app.html': [
    typed(
      'text/html',
      `<title>T</title><main><p>${words}</p><p id="p"></p></main><script>p.textContent = "ü " + String.fromCharCode(0x263a)</script>`,
    ),
    /ü ☺/,
  ],
  '/bom.txt': [typed('text/plain', `\ufeff${words}`), words],
  '/latin.html': [typed('text/html', latin), 'Größe und Übung, façade'],
  '/latin.txt': [
    typed('text/plain', Buffer.from('Gr\u00f6\u00dfe und \u00dcbung, fa\u00e7ade', 'latin1')),
    'Größe und Übung, façade',
  ],
  '/french.txt': [typed('text/plain; charset=utf-8', 'Le café est fermé là-bas'), 'Le café est fermé là-bas'],
  '/french-latin.txt': [
    typed('text/plain', Buffer.from('Le caf\u00e9 est ferm\u00e9 l\u00e0-bas', 'latin1')),
    'Le café est fermé là-bas',
  ],
  '/french-latin.html': [
    typed(
      'text/html',
      Buffer.from('<title>T</title><main><p>Le caf\u00e9 est ferm\u00e9 l\u00e0-bas</p></main>', 'latin1'),
    ),
    'Le café est fermé là-bas',
  ],
  '/latin.csv': [typed('text/csv', Buffer.from('a,Gr\u00f6\u00dfe', 'latin1')), '```csv\na,Größe\n```'],
  '/shift-jis.html': [typed('text/html', shiftJis), /^灯贋の光は/],
  '/declared.tsv': [
    typed('text/tab-separated-values; charset=windows-1251', Buffer.from([0xcc, 0xe0, 0xff, 0x09, 0xea])),
    '```tsv\nМая\tк\n```',
  ],
  '/a.tsv': [typed('text/tab-separated-values', `a\t${words}`), `\`\`\`tsv\na\t${words}\n\`\`\``],
  '/calendar': [
    typed('text/calendar', 'BEGIN:VCALENDAR\nSUMMARY:Höhe'),
    '```ics\nBEGIN:VCALENDAR\nSUMMARY:Höhe\n```',
  ],
  '/card': [typed('text/vcard', 'BEGIN:VCARD'), '```vcf\nBEGIN:VCARD\n```'],
  '/yaml': [typed('application/yaml', `a: ${words}`), `\`\`\`yaml\na: ${words}\n\`\`\``],
  '/x-yaml': [typed('application/x-yaml', 'a: 1'), '```yaml\na: 1\n```'],
  '/ndjson': [typed('application/x-ndjson', '{"a":1}\n{"a":2}'), '```json\n{"a":1}\n{"a":2}\n```'],
  '/toml': [typed('application/toml', 'a = 1'), '```toml\na = 1\n```'],
  '/sql': [typed('application/sql', 'SELECT 1;'), '```sql\nSELECT 1;\n```'],
  '/srt': [typed('application/x-subrip', '1\n00:00:01,000 --> 00:00:02,000\nHi'), /^```srt\n1\n/],
  '/script': [typed('text/javascript', 'let a = "`";'), '```javascript\nlet a = "`";\n```'],
  '/old/script': [typed('application/javascript', 'let a;'), '```javascript\nlet a;\n```'],
  '/css': [typed('text/css', 'a { b: c }'), '```css\na { b: c }\n```'],
  '/downloaded.md': [typed('application/octet-stream', `# ${words}`), `# ${words}`],
  '/unnamed.md': [{ headers: { 'Content-Type': '' }, body: '# Unnamed' }, '# Unnamed'],
  '/code.py': [typed('text/plain', 'a = 1'), '```python\na = 1\n```'],
  '/attached.csv': [
    {
      headers: { 'Content-Type': 'text/csv', 'Content-Disposition': 'attachment; filename="a.csv"' },
      body: 'a,b',
    },
    '```csv\na,b\n```',
  ],
  '/named': [
    {
      headers: {
        'Content-Type': 'application/octet-stream',
        'Content-Disposition': 'attachment; filename="a.toml"',
      },
      body: 'a = 1',
    },
    '```toml\na = 1\n```',
  ],
  '/data.json': [typed('application/octet-stream', '{"a":"ü"}'), '```json\n{"a":"ü"}\n```'],
};

/** Pages that show nothing, and a file that is not what its name says. */
const empty: Readonly<Record<string, readonly [ServedPage, string]>> = {
  '/nothing': [{ body: '' }, 'without_text'],
  '/no/text': [{ body: '<title>App</title><div id="root"></div>' }, 'without_text'],
  '/no/words.txt': [typed('text/plain', ' \n'), 'without_text'],
  '/no/slots': [
    { body: '<x-card><template shadowrootmode="open"></template>not shown</x-card>' },
    'without_text',
  ],
  '/binary.md': [typed('application/octet-stream', Buffer.alloc(100)), 'unsupported'],
};

const observed = `<script>
  const seen = new IntersectionObserver((entries) => {
    for (const { isIntersecting, target } of entries) if (isIntersecting) {
      seen.unobserve(target);
      fetch('/part?' + target.id).then((response) => response.text()).then((text) => { target.textContent = text + ' ' + target.id; });
    }
  });
  for (const target of document.querySelectorAll('.later')) seen.observe(target);
</script>`;
const later = (id: string) => `<p class="later" id="${id}" style="min-height:20px"></p>`;
const tall = '<p style="height:3000px">Tall</p>';
const scrolled: Readonly<Record<string, readonly [html: string, ...has: string[]]>> = {
  'a part that is filled when it comes into view': [
    `${tall}${later('one')}${tall}${later('two')}`,
    'Filled one',
    'Filled two',
  ],
  'a part within a box that scrolls': [
    `<div style="height:600px;overflow:auto">${tall}${later('one')}</div>`,
    'Filled one',
  ],
  'a part that comes when the page is scrolled': [
    `${tall}<p id="end"></p><script>addEventListener('scroll', () => { if (scrollY > 1000) end.textContent = 'Scrolled'; });</script>`,
    'Scrolled',
  ],
  'an endless page, to some length': [
    `<div id="list">${tall}</div><p id="more" style="height:20px"></p><script>
      let n = 0;
      new IntersectionObserver(([entry]) => { if (entry.isIntersecting) fetch('/part').then(() => {
        list.insertAdjacentHTML('beforeend', '<p style="height:2000px">Row ' + (n += 1) + '</p>'); }); }).observe(more);
    </script>`,
    'Row 1',
  ],
};

let site: Site;
let reader: ReadingPool;
test.beforeAll(async () => {
  site = await startSite((path) => {
    if (path === '/part') return { body: 'Filled' };
    const scroll = Object.values(scrolled)[Number(/^\/scrolled\/(\d+)$/.exec(path)?.[1] ?? -1)];
    if (scroll) return { body: `<meta charset="utf-8"><title>S</title><main>${scroll[0]}</main>${observed}` };
    return documents[path]?.[0] ?? empty[path]?.[0];
  });
  reader = readerOf([site.port]);
});
test.afterAll(async () => {
  await reader.close();
  await site.close();
});
const read = (path: string, timeout = 20_000) =>
  reader.read(someone, asking(`http://site.test:${site.port}${path}`, { timeout, formats: ['markdown'] }));

/** One of each kind, for the default tier. */
const samples = [
  '/utf8.md',
  '/late.html',
  '/latin.html',
  '/shift-jis.html',
  '/a.tsv',
  '/named',
  '/no/text',
  '/binary.md',
];
const inSample = (path: string) => sample(samples.includes(path));

for (const [path, [page, expected]] of Object.entries(documents)) {
  test(`${path} is read in its own characters, and fenced where it is code`, inSample(path), async () => {
    const { markdown, metadata } = dataOf(await read(path));
    if (typeof expected === 'string') expect(markdown).toBe(expected);
    else expect(markdown).toMatch(expected);
    expect(metadata.contentType).toBe(page.headers?.['Content-Type']);
  });
}

for (const [path, [, kind]] of Object.entries(empty)) {
  test(`${path} is refused as ${kind}`, inSample(path), async () => {
    expect(await read(path)).toEqual({ kind });
  });
}

for (const [at, [title, [, ...has]]] of Object.entries(scrolled).entries()) {
  test(`${title} is read`, sample(at === 0), async () => {
    const { markdown } = dataOf(await read(`/scrolled/${at}`));
    for (const text of has) expect(markdown).toContain(text);
  });
}
