import { about } from '@/lib/catalog/about';
import { parts } from './contents';
import { termsUrl } from './legal';
import type { SiteConfig } from './site-config';

/** The profile of API catalogs (RFC 9727, section 4). */
export const linksetType = 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"';
export const openApiType = 'application/vnd.oai.openapi+json;version=3.1';

/** `/.well-known/api-catalog` (RFC 9727, RFC 9264): the description and documentation of every part. */
export function apiCatalog({ publicUrl, guides, operator }: SiteConfig) {
  const terms = termsUrl(publicUrl, operator);
  const at = (path: string) => publicUrl + path;
  const root = at('/');
  return {
    linkset: [
      {
        anchor: at('/.well-known/api-catalog'),
        item: [
          { href: root, title: about.name },
          ...Object.keys(parts).map((name) => ({ href: at(`/${name}`), title: name })),
        ],
      },
      {
        anchor: root,
        'service-desc': [
          { href: at('/openapi.json'), type: openApiType, title: 'Everything' },
          { href: at('/openapi-agents.json'), type: openApiType, title: 'Pay-per-call and free tools' },
        ],
        'service-doc': [
          { href: at('/docs'), type: 'text/html' },
          { href: at('/llms.txt'), type: 'text/plain' },
          { href: at('/llms-full.txt'), type: 'text/plain' },
          ...guides.map(({ name, title }) => ({ href: at(`/docs/${name}`), type: 'text/html', title })),
        ],
        'service-meta': [
          { href: at('/v1/tools/prices'), type: 'application/json' },
          { href: at('/.well-known/x402.json'), type: 'application/json' },
          { href: at('/.well-known/mpp.json'), type: 'application/json' },
          { href: at('/.well-known/mcp-server.json'), type: 'application/json' },
          { href: at('/mcp/server-card'), type: 'application/mcp-server-card+json' },
          { href: at('/.well-known/ai-catalog.json'), type: 'application/ai-catalog+json' },
          { href: at('/apis.json'), type: 'application/json' },
        ],
        ...(terms === null ? {} : { 'terms-of-service': [{ href: terms, type: 'text/html' }] }),
        'privacy-policy': [{ href: operator.privacyUrl ?? at('/privacy'), type: 'text/html' }],
        // RFC 8631: how calls went, the same for people, and whether the service is alive.
        status: [
          { href: at('/status.json'), type: 'application/json' },
          { href: at('/docs/status'), type: 'text/html' },
          { href: at('/health'), type: 'application/json' },
        ],
      },
      ...Object.keys(parts).map((name) => ({
        anchor: at(`/${name}`),
        'service-desc': [{ href: at(`/${name}/openapi.json`), type: openApiType }],
        'service-doc': [{ href: at(`/docs/reference/${name}`), type: 'text/html' }],
      })),
    ],
  };
}

/** The `Link` header (RFC 8288) of pages and documents. */
export const links = [
  '</.well-known/api-catalog>; rel="api-catalog"',
  `</openapi.json>; rel="service-desc"; type="${openApiType}"`,
  '</docs>; rel="service-doc"; type="text/html"',
  '</status.json>; rel="status"; type="application/json"',
  '</llms.txt>; rel="alternate"; type="text/plain"',
].join(', ');
