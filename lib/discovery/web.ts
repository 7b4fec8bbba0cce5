import { testNotice } from '@/lib/catalog/test-service';
import { commonPath, everything, parts, referencePath } from './contents';
import { legalPaths } from './legal';
import type { SiteConfig } from './site-config';

/** Files for search engines. */

/** `/robots.txt`: allows all pages except forms and API paths. */
export function robotsTxt({ publicUrl, isTest }: SiteConfig): string {
  return [
    ...(isTest ? [`# ${testNotice}`] : []),
    'User-agent: *',
    'Content-Signal: search=yes, ai-input=yes, ai-train=yes',
    'Allow: /v1/tools/prices',
    'Disallow: /f/',
    'Disallow: /v1/',
    'Disallow: /internal/',
    'Disallow: /metrics',
    '',
    `Sitemap: ${publicUrl}/sitemap.xml`,
    '',
  ].join('\n');
}

/** The paths of all pages. */
function pagePaths({ guides }: Pick<SiteConfig, 'guides'>): string[] {
  return [
    '/',
    '/docs',
    ...guides.map(({ name }) => `/docs/${name}`),
    '/docs/errors',
    '/docs/reference',
    commonPath,
    ...Object.keys(parts).map((name) => `/docs/reference/${name}`),
    ...[...everything.operations, ...everything.freeOperations].map(referencePath),
    ...legalPaths,
  ];
}

/** `/sitemap.xml` (sitemaps.org). Our URLs contain nothing that XML would have to escape. */
export function sitemapXml(site: SiteConfig): string {
  const entries = pagePaths(site).map((path) => `<url><loc>${site.publicUrl}${path}</loc></url>`);
  return `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n${entries.join('\n')}\n</urlset>\n`;
}
