import type { Page } from '@playwright/test';
import type { PageState, StatesOf } from './state';

/** The front page, the documentation, and everything else that can be reached through links. */

const simulatorNeed = 'the simulator is a program; what it shows is described';

export const siteStates: StatesOf = async ({ apiUrl, console: { apiUrl: ofNamedOperator } }) => {
  const paths = await listPages(apiUrl);
  const states: PageState[] = paths.map((path) => ({
    area: path.startsWith('/docs') ? 'docs' : 'site',
    name: path === '/' ? 'front' : path.slice(1).replaceAll(/\W+/g, '-'),
    url: apiUrl + path,
    isRated: true,
    ...(path === '/simulator' ? { needsScript: simulatorNeed } : {}),
  }));
  const more = (name: string, path: string, lead?: PageState['lead']): PageState => ({
    area: path.startsWith('/docs') ? 'docs' : 'site',
    name,
    url: apiUrl + path,
    lead,
  });
  return [
    ...states,
    { ...more('simulator-fault', '/simulator', breakCall), needsScript: simulatorNeed },
    { ...more('simulator-over', '/simulator', finishCall), needsScript: simulatorNeed },
    more('front-typescript', '/', (page) => page.getByRole('radio', { name: 'TypeScript' }).check()),
    ...['terms', 'privacy', 'contact', 'abuse'].map((name) => ({
      ...more(`${name}-of-named-operator`, `/${name}`),
      url: `${ofNamedOperator}/${name}`,
    })),
    more('not-found', '/nowhere'),
    more('docs-not-found', '/docs/nowhere'),
    { ...more('search-hits', '/docs/search?q=prepaid+accounts'), isRated: true, isUnlisted: true },
    more('search-no-hits', '/docs/search?q=qqqqqq'),
    more('search-too-long', `/docs/search?q=${'a'.repeat(201)}`),
    { ...more('search-dialog', '/docs', searchInDialog), needsScript: 'search dialog' },
    more('error-anchor', '/docs/errors#rate_limited'),
    more('sidebar-open', '/docs/uploads', openSidebar),
  ];
};

/** The paths of all pages that can be reached through links on our pages, beginning at the front page. */
async function listPages(apiUrl: string): Promise<string[]> {
  const seen = new Map<string, boolean>();
  const queue = ['/'];
  for (let path = queue.shift(); path !== undefined; path = queue.shift()) {
    if (seen.has(path)) continue;
    const answer = await fetch(apiUrl + path, { headers: { Accept: 'text/html' } });
    const isPage = (answer.headers.get('content-type') ?? '').includes('html');
    seen.set(path, isPage);
    const html = isPage ? await answer.text() : '';
    for (const [, href = ''] of html.matchAll(/<a [^>]*href="(\/[^"#?]*)/g)) queue.push(href);
  }
  return [...seen].flatMap(([path, isPage]) => (isPage ? [path] : []));
}

async function searchInDialog(page: Page): Promise<void> {
  await page.locator('input[aria-keyshortcuts]').click();
  await page.getByRole('dialog').getByRole('searchbox').fill('receipts');
  await page.getByRole('dialog').locator('li').first().waitFor();
}

/** On narrow screens the sidebar is collapsed. */
async function openSidebar(page: Page): Promise<void> {
  const handle = page.getByText('All pages');
  if (await handle.isVisible()) await handle.click();
}

/** A bought call whose server is down. */
async function breakCall(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Buy a call' }).click();
  for (let step = 0; step < 5; step += 1) await page.getByRole('button', { name: 'Step' }).click();
  await page.getByRole('button', { name: 'Kill the server' }).click();
  await page.getByText('The process is down.').waitFor();
}

async function finishCall(page: Page): Promise<void> {
  await breakCall(page);
  await page.getByRole('button', { name: 'Run to the end' }).click();
  await page.getByText('Paid once, delivered once').waitFor();
}
