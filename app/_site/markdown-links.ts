import { isOnSite } from './site-config';

const elsewhere = /^(#|\/|[a-z]+:)/;

/**
 * Where a link between files of the repository leads on the site, with the path of the Markdown; null if the site does not have
 * that file.
 * @param name the name of the file in `docs` with the link, such as `incidents/paused`
 */
export function siteLink(href: string, name: string): string | null {
  if (elsewhere.test(href)) return href;
  const { pathname, hash } = new URL(href, `file:///docs/${name}`);
  if (pathname === '/CHANGELOG.md') return `/docs/changelog.md${hash}`;
  const [, page, ending] = /^\/docs\/(.+)\.(md|svg|mjs)$/.exec(pathname) ?? [];
  return page && (ending !== 'md' || isOnSite(page)) ? pathname + hash : null;
}

/** A file as it is served: its links lead to pages of the site, and those that lead nowhere are only their words. */
export function withSiteLinks(text: string, name: string): string {
  const parts = text.split(/(^(?:```|~~~~)[\s\S]*?^(?:```|~~~~)$)/m);
  return parts
    .map((part) =>
      /^(```|~~~~)/.test(part)
        ? part
        : part.replaceAll(/\[((?:[^[\]]|\[[^\]]*\])*)\]\(([^()\s]+)\)/g, (_, words: string, href: string) => {
            const link = siteLink(href, name);
            return link === null ? words : `[${words}](${link})`;
          }),
    )
    .join('');
}
