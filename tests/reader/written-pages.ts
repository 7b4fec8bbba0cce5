import { extract } from '@/lib/services/research/reader/page/extraction';
import { pageLimits } from '@/lib/services/research/reader/page/page-limits';
import { openOfflinePages } from '../support/offline-pages';

const site = 'https://page.example.com';
const wanted = {
  markdown: true,
  rawHtml: false,
  links: false,
  paragraphs: false,
  onlyMainContent: true,
  ...pageLimits,
};

/** Reads pages that a test writes, at `https://page.example.com/`. */
export function openWrittenPages(others: Readonly<Record<string, string>> = {}) {
  let shown = '';
  const offline = openOfflinePages((url) => {
    const path = url.startsWith(site) ? url.slice(site.length) : null;
    if (path === '/') return Buffer.from(`<!doctype html><meta charset="utf-8">${shown}`);
    const other = path === null ? undefined : others[path];
    return other === undefined ? null : Buffer.from(other);
  });
  return {
    async markdownOf(html: string): Promise<string> {
      shown = html;
      const { markdown } = await offline.show(`${site}/`, ({ session, frameId }) =>
        extract(session, frameId, wanted),
      );
      return markdown ?? '';
    },
    close: () => offline.close(),
  };
}
