import { about } from '@/lib/catalog/about';
import { linksetType, openApiType } from './linkset';
import { serverCardPath, serverCardType } from './mcp-registry';
import type { SiteConfig } from './site-config';
import { skillIndex } from './skills';

export const aiCatalogPath = '/.well-known/ai-catalog.json';
export const aiCatalogType = 'application/ai-catalog+json';

/**
 * `/.well-known/ai-catalog.json` (github.com/Agent-Card/ai-catalog): where MCP clients find the remote server by its host
 * (SEP-2127), with the skills and the other documents. Every entry has a name, as Agentic Resource Discovery requires
 * (agenticresourcediscovery.org), by whose rules Lighthouse judges the file.
 */
export function aiCatalog(site: SiteConfig) {
  const { publicUrl } = site;
  const { hostname } = new URL(publicUrl);
  const document = (name: string, type: string, path: string, displayName: string) => ({
    identifier: `urn:air:${hostname}:${name}`,
    displayName,
    type,
    url: publicUrl + path,
  });
  return {
    specVersion: '1.0',
    host: {
      displayName: about.name,
      identifier: hostname,
      documentationUrl: `${publicUrl}/docs`,
      logoUrl: `${publicUrl}/favicon.svg`,
    },
    entries: [
      {
        identifier: `urn:air:${hostname}:mcp:${about.name.toLowerCase()}`,
        displayName: about.name,
        type: serverCardType,
        url: publicUrl + serverCardPath,
      },
      ...skillIndex(site).skills.map(({ name, description, url }) => ({
        identifier: `urn:air:${hostname}:skill:${name}`,
        displayName: name,
        description,
        type: 'application/agent-skills+md',
        url,
      })),
      document('api:agents', openApiType, '/openapi-agents.json', 'Pay-per-call and free tools'),
      document('api:catalog', linksetType, '/.well-known/api-catalog', 'API catalog'),
      document('payment:x402', 'application/json', '/.well-known/x402.json', 'Calls paid over x402'),
      document('payment:mpp', 'application/json', '/.well-known/mpp.json', 'Calls paid over MPP'),
      document('docs:llms', 'text/plain', '/llms.txt', 'Every call, its price and how to pay'),
      document('docs:llms-full', 'text/plain', '/llms-full.txt', 'The whole documentation'),
    ],
  };
}
