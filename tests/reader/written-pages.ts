import { openOfflinePages, readMarkdown } from '../support/offline-pages';
import { expect } from '../support/without-browser';

/** A page by what it shows, with texts that its Markdown must and must not contain. */
export interface WrittenPage {
  readonly title: string;
  readonly html: string;
  readonly has: readonly string[];
  readonly hasNot?: readonly string[];
}

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
  const markdownOf = (html: string): Promise<string> => {
    shown = html;
    return offline.show(`${site}/`, readMarkdown);
  };
  return {
    markdownOf,
    async expectRead({ html, has, hasNot = [] }: WrittenPage): Promise<void> {
      const markdown = await markdownOf(html);
      for (const words of has) expect(markdown).toContain(words);
      for (const words of hasNot) expect(markdown).not.toContain(words);
    },
    close: () => offline.close(),
  };
}
