import MarkdownIt from 'markdown-it';
import { stack } from '../support/stack';
import { expect, test } from '../support/without-browser';

/** Pages as Markdown, as an agent reads them: it follows links by the rules of URLs, and takes a URL as far as the next space. */

async function startingPages(apiUrl: string): Promise<string[]> {
  const sitemap = await (await fetch(`${apiUrl}/sitemap.xml`)).text();
  const index = await (await fetch(`${apiUrl}/.well-known/agent-skills/index.json`)).json();
  return [
    ...[...sitemap.matchAll(/<loc>([^<]+)<\/loc>/g)].flatMap(([, url = '']) =>
      new URL(url).pathname === '/' ? [] : [`${url}.md`],
    ),
    ...index.skills.map(({ url }: { url: string }) => url),
    `${apiUrl}/llms.txt`,
    `${apiUrl}/clients/samples.md`,
    `${apiUrl}/docs/changelog.md`,
  ];
}

/** The links of a page to the same origin. */
function linksOf(text: string, page: string): string[] {
  const inline = new MarkdownIt().parse(text, {}).flatMap(({ children }) => children ?? []);
  return inline
    .filter(({ type }) => type === 'link_open')
    .map((token) => new URL(String(token.attrGet('href')), page))
    .filter(({ origin }) => origin === new URL(page).origin)
    .map((url) => url.href.replace(/#.*$/, ''));
}

test('every link in every page that is served as Markdown leads to something, and no URL ends in a full stop', async () => {
  const { apiUrl } = stack();
  const waiting = await startingPages(apiUrl);
  expect(waiting.length).toBeGreaterThan(60);
  const linkedFrom = new Map<string, string>();
  const read = new Set<string>();
  for (let page = waiting.pop(); page !== undefined; page = waiting.pop()) {
    if (read.has(page)) continue;
    read.add(page);
    const response = await fetch(page);
    // Not every page has Markdown.
    if (response.status === 404 && !linkedFrom.has(page)) continue;
    expect(response.status, `${page}, linked from ${linkedFrom.get(page)}`).toBeLessThan(400);
    if (!/\.(md|txt)$/.test(page)) continue;
    const text = await response.text();
    const bare = text
      .replaceAll(/^```[\s\S]*?^```$/gm, '')
      .match(new RegExp(`${apiUrl}[^\\s\`)]*\\.(?=\\s|$)`, 'g'));
    expect(bare ?? [], page).toEqual([]);
    for (const link of linksOf(text, page)) {
      if (!linkedFrom.has(link)) linkedFrom.set(link, page);
      waiting.push(link);
    }
  }
});
