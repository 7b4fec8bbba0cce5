import { highlight } from '@/app/_site/highlight';
import { expect, test } from '../support/without-browser';

const textOf = (html: string) =>
  html
    .replaceAll(/<[^>]+>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#x27;', "'")
    .replaceAll('&amp;', '&');

const samples = {
  sh: `curl -i -X POST 'https://api.example.com/v1/uploads' -d '{"a":"<b>&amp;"}' # one`,
  ts: 'const at = "<script>" + (one && two); // <b>',
  js: 'if (1 < 2 && 3 > 2) console.log("</pre>");',
  python: 'print(f"<b>{one}</b>")  # "&lt;"',
  json: '{"html": "<img src=x onerror=alert(1)>"}',
  http: 'POST /v1/uploads HTTP/1.1\nContent-Type: text/html\n\n<b>&</b>',
};

for (const [language, text] of Object.entries(samples)) {
  test(`${language} keeps its text, and gets classes and no other markup`, () => {
    const html = highlight(text, language);
    expect(textOf(html)).toBe(text);
    const tags = [...html.matchAll(/<[^>]*>/g)].map(([tag]) => tag);
    expect(tags.length).toBeGreaterThan(0);
    for (const tag of tags) expect(tag).toMatch(/^<(span class="(hljs|language)-[\w -]+"|\/span)>$/);
  });
}

test('text in no known language is escaped and not marked', () => {
  for (const language of ['text', 'constructor', '', undefined])
    expect(highlight('a < b && "c" > d', language)).toBe('a &lt; b &amp;&amp; "c" &gt; d');
});
