import { about } from '@/lib/catalog/about';
import { type Category, categories } from '@/lib/catalog/categories';
import { withNotice } from '@/lib/catalog/test-service';
import { parts } from './contents';
import type { SiteConfig } from './site-config';

/** When this description was created and last changed. */
const dates = { created: '2026-11-21', modified: '2026-11-21' };
const specificationVersion = '0.23';

/** `/apis.json` (APIs.json 0.23): an entry for the whole interface and one for each part. */
export function apisJson({ publicUrl, isTest }: SiteConfig) {
  const at = (path: string) => publicUrl + path;
  const { host } = new URL(publicUrl);
  const image = at('/favicon.svg');
  const property = (type: string, path: string) => ({ type, url: at(path) });
  const entry = (id: string, name: string, description: string, openApi: string, docs: string) => ({
    aid: `${host}:${id}`,
    name,
    description,
    image,
    baseURL: publicUrl,
    humanURL: at(docs),
    tags: [id],
    ...dates,
    properties: [property('OpenAPI', openApi), property('Documentation', docs)],
  });
  return {
    aid: `${host}:${about.name.toLowerCase()}`,
    name: about.name,
    description: withNotice(isTest, about.description),
    image,
    url: at('/apis.json'),
    type: 'Index',
    position: 'Producing',
    access: '3rd-Party',
    visibility: 'Public',
    tags: ['agents', 'micropayments', 'mpp', 'pay-per-call', 'usdc', 'x402'],
    ...dates,
    specificationVersion,
    apis: [
      entry('all', about.name, about.summary, '/openapi.json', '/docs'),
      entry(
        'agents',
        `${about.name}: pay-per-call`,
        about.guidance,
        '/openapi-agents.json',
        '/docs/reference',
      ),
      ...Object.keys(parts).map((name) =>
        entry(
          name,
          `${about.name}: ${name}`,
          wordsOf(name),
          `/${name}/openapi.json`,
          `/docs/reference/${name}`,
        ),
      ),
    ],
    common: [
      property('LLMsTxt', '/llms.txt'),
      property('Pricing', '/v1/tools/prices'),
      property('APIReference', '/docs/reference'),
      property('ErrorCodes', '/docs/errors'),
      property('Idempotency', '/docs/errors#again'),
      property('APICatalog', '/.well-known/api-catalog'),
      property('WellKnown', '/.well-known/x402.json'),
      property('WellKnown', '/.well-known/mpp.json'),
      property('WellKnown', '/.well-known/ai-catalog.json'),
      property('MCPServer', '/.well-known/mcp-server.json'),
      property('AgenticAccess', '/openapi-agents.json'),
      property('StatusPage', '/docs/status'),
    ],
    maintainers: [{ FN: about.name, url: at('/') }],
  };
}

function wordsOf(part: string): string {
  if (part === 'upload') return 'Reserve an upload: a public link for one file.';
  const category = part === 'discovery' ? 'service' : part;
  return category in categories ? categories[category as Category].description : `The ${part} calls.`;
}
