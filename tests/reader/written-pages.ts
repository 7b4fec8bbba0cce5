import { openOfflinePages, readMarkdown } from '../support/offline-pages';

const site = 'https://page.example.com';
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
    markdownOf(html: string): Promise<string> {
      shown = html;
      return offline.show(`${site}/`, readMarkdown);
    },
    close: () => offline.close(),
  };
}
