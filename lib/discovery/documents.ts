import { skills } from '@/lib/catalog/skills';
import { testNotice } from '@/lib/catalog/test-service';
import { aiCatalog, aiCatalogPath, aiCatalogType } from './ai-catalog';
import { apisJson } from './apis-json';
import { commonPath, everything, forAgents, parts, referencePath, uploadPart } from './contents';
import { legalPaths } from './legal';
import { apiCatalog, linksetType } from './linkset';
import { llmsTxt } from './llms';
import {
  earlierServerCard,
  mcpClient,
  mcpServer,
  mcpServerCard,
  serverCardPath,
  serverCardType,
} from './mcp-registry';
import { mppDocument } from './mpp';
import { openApiDocument } from './openapi/document';
import type { SiteConfig } from './site-config';
import { skillIndex, skillIndexPath, skillPathOf, skillText } from './skills';
import { pythonClient, pythonPath } from './typed-clients/python';
import { samplesPath, samplesText } from './typed-clients/samples';
import { earlierTypescriptPath, typescriptClient, typescriptPath } from './typed-clients/typescript';
import { x402Manifest, x402Resources } from './x402';

/** A document that is served at a fixed path. */
export interface DiscoveryDocument {
  readonly mediaType: string;
  /** Strings are sent as they are; anything else as JSON. */
  readonly make: (site: SiteConfig) => unknown;
}

const json = 'application/json';
const markdown = 'text/markdown; charset=utf-8';

/** Every discovery document, by path. */
export const documents: Readonly<Record<string, DiscoveryDocument>> = {
  '/llms.txt': { mediaType: 'text/plain; charset=utf-8', make: llmsTxt },
  '/openapi.json': { mediaType: json, make: (site) => openApiDocument(everything, site) },
  '/openapi-agents.json': {
    mediaType: json,
    make: (site) => openApiDocument(forAgents(site), site, 'brief'),
  },
  ...Object.fromEntries(
    Object.entries(parts).map(([name, contents]) => [
      `/${name}/openapi.json`,
      { mediaType: json, make: (site: SiteConfig) => openApiDocument(contents, site) },
    ]),
  ),
  '/apis.json': { mediaType: json, make: apisJson },
  '/.well-known/api-catalog': { mediaType: linksetType, make: apiCatalog },
  '/.well-known/x402': { mediaType: json, make: x402Resources },
  '/.well-known/x402.json': { mediaType: json, make: x402Manifest },
  '/.well-known/mpp.json': { mediaType: json, make: mppDocument },
  '/.well-known/mcp-server.json': { mediaType: json, make: mcpServer },
  '/.well-known/mcp.json': { mediaType: json, make: mcpClient },
  [serverCardPath]: { mediaType: serverCardType, make: mcpServerCard },
  '/.well-known/mcp/server-card.json': { mediaType: json, make: earlierServerCard },
  [aiCatalogPath]: { mediaType: aiCatalogType, make: aiCatalog },
  [skillIndexPath]: { mediaType: json, make: skillIndex },
  ...Object.fromEntries(
    skills.map((skill) => [
      skillPathOf(skill),
      { mediaType: markdown, make: (site: SiteConfig) => skillText(skill, site) },
    ]),
  ),
  [typescriptPath]: { mediaType: 'text/plain; charset=utf-8', make: typescriptClient },
  [earlierTypescriptPath]: { mediaType: 'text/plain; charset=utf-8', make: typescriptClient },
  [pythonPath]: { mediaType: 'text/plain; charset=utf-8', make: pythonClient },
  [samplesPath]: { mediaType: markdown, make: samplesText },
  '/robots.txt': { mediaType: 'text/plain; charset=utf-8', make: robotsTxt },
  '/sitemap.xml': { mediaType: 'application/xml; charset=utf-8', make: sitemapXml },
};

/** `/robots.txt`: allows all pages except forms and API paths. */
function robotsTxt({ publicUrl, isTest }: SiteConfig): string {
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

/** The paths of all pages that search engines may list. */
export function pagePaths({ guides }: Pick<SiteConfig, 'guides'>): string[] {
  return [
    '/',
    '/docs',
    ...guides.map(({ name }) => `/docs/${name}`),
    '/docs/errors',
    '/docs/status',
    '/docs/changelog',
    '/receipts',
    '/simulator',
    '/docs/reference',
    commonPath,
    ...Object.keys(parts)
      .filter((name) => name !== uploadPart)
      .map((name) => `/docs/reference/${name}`),
    ...[...everything.operations, ...everything.freeOperations].map(referencePath),
    ...legalPaths,
  ];
}

/** `/sitemap.xml` (sitemaps.org). Our URLs contain nothing that XML would have to escape. */
function sitemapXml(site: SiteConfig): string {
  const entries = pagePaths(site).map((path) => `<url><loc>${site.publicUrl}${path}</loc></url>`);
  return `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n${entries.join('\n')}\n</urlset>\n`;
}
