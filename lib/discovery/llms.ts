import { about } from '@/lib/catalog/about';
import { adapterFileNames, adapterFiles } from '@/lib/catalog/adapter';
import { describeLinkLimits } from '@/lib/catalog/link-limits';
import { playbook } from '@/lib/catalog/playbook';
import { remote } from '@/lib/catalog/remote';
import { withNotice } from '@/lib/catalog/test-service';
import { type ErrorCode, errors, type PaymentOutcome } from '@/lib/errors/codes';
import { everything, forAgents, parts, referencePath } from './contents';
import { offersOf } from './openapi/payment-info';
import { paidRoutes } from './paid-routes';
import type { SiteConfig } from './site-config';
import { skillIndexPath } from './skills';
import { pythonPath } from './typed-clients/python';
import { samplesPath } from './typed-clients/samples';
import { typescriptPath } from './typed-clients/typescript';

/** The payment outcomes of the error table, in words. */
export const charged: Readonly<Record<PaymentOutcome, string>> = {
  none: 'no',
  in_flight: 'not known yet',
  kept: 'yes, once',
  unknown: 'not known yet',
  refunded: 'refunded',
};

/** What to do next, in words. */
export const nextSteps = {
  fix_input: 'fix the request',
  pay: 'pay and repeat the request',
  same_request: 'send the identical request again; do not pay again',
  later: 'try again later',
  stop: 'do not retry',
} as const;

/** `/llms.txt` (llmstxt.org): a title, a summary, free text without headings, then lists of links. */
export function llmsTxt(site: SiteConfig): string {
  return `${[
    `# ${about.name}`,
    `> ${withNotice(site.isTest, about.summary)}`,
    about.description,
    list(about.guidance.split(/(?<=\.) (?=[A-Z])/)),
    `Base address: ${site.publicUrl}. Networks: ${networks(site)}.`,
    '**Which call for which job**',
    jobs(site),
    '**What each call costs**',
    prices(site),
    '**Was I charged?**',
    'A 402 always means that nothing was charged. For all other errors:',
    chargedTable(),
    '## Describe',
    list(descriptions(site)),
    '## Read',
    list([
      link('Documentation', site, '/docs', 'guides and reference'),
      link('Errors', site, '/docs/errors', 'every code, whether you were charged, what to do'),
      ...site.guides.map(({ name, title, summary }) => link(title, site, `/docs/${name}.md`, summary)),
      link('Terms', site, '/terms.md', 'prices, refunds, what is not allowed'),
      link('Privacy', site, '/privacy.md', 'what is stored, for how long, who receives it'),
      link('Contact', site, '/contact.md', 'who runs this service'),
    ]),
    '## Reference',
    list([
      link('All calls', site, '/docs/reference.md', 'every call with its price, as Markdown'),
      ...[...everything.operations.filter(site.isAvailable), ...everything.freeOperations].map((call) =>
        link(call.title, site, `${referencePath(call)}.md`, `\`${call.id}\``),
      ),
    ]),
    '## Optional',
    list([
      ...Object.keys(parts).map((name) =>
        link(`The ${name} part`, site, `/${name}/openapi.json`, 'OpenAPI 3.1'),
      ),
      link('APIs.json', site, '/apis.json', 'for API indexes'),
      link('API catalog', site, '/.well-known/api-catalog', 'RFC 9727 linkset'),
      link('TypeScript client', site, typescriptPath, 'every call with its types, in one file'),
      link('Python client', site, pythonPath, 'the same; needs only the standard library'),
      link('Samples', site, samplesPath, 'a program for every call in both languages'),
      link('Agent skills', site, skillIndexPath, 'skill files for agents with a shell, one for each task'),
      link('MCP client configuration', site, '/.well-known/mcp.json', 'the MCP adapter and its tools'),
      ...adapterFileNames.map((name) =>
        link(adapterFiles[name].title, site, adapterFiles[name].path, `SHA-256 ${site.adapterDigests[name]}`),
      ),
    ]),
  ].join('\n\n')}\n`;
}

function descriptions(site: SiteConfig): string[] {
  return [
    link(
      'Calls for agents',
      site,
      '/openapi-agents.json',
      'OpenAPI 3.1: pay-per-call operations and free tools',
    ),
    link('Everything', site, '/openapi.json', 'OpenAPI 3.1, complete, with every error'),
    link('Prices', site, '/v1/tools/prices', 'current prices and networks'),
    link('x402', site, '/.well-known/x402.json', 'calls paid over x402, networks and payees'),
    link('MPP', site, '/.well-known/mpp.json', 'calls paid over MPP'),
    link('Remote MCP server', site, '/docs/mcp', `every call as a tool, by POST to ${remote.path}`),
    link(
      'MCP server',
      site,
      '/.well-known/mcp-server.json',
      'the remote server, and the adapter that runs locally',
    ),
  ];
}

function link(name: string, { publicUrl }: SiteConfig, path: string, note: string): string {
  return `[${name}](${publicUrl}${path}): ${note}`;
}

function networks(site: SiteConfig): string {
  return offersOf('x402', site)
    .map(({ network }) => `${network.name} (${network.family === 'evm' ? 'x402, MPP' : 'x402'})`)
    .join(', ');
}

/** The jobs whose calls are all available here. */
function jobs(site: SiteConfig): string {
  const paths = new Map([
    ...paidRoutes(everything.operations.filter(site.isAvailable), site)
      .filter(({ rail }) => rail === 'x402')
      .map(({ operation, method, path }) => [operation.id, `${method} ${path}`] as const),
    ...everything.freeOperations.map(({ id, method, path }) => [id, `${method} ${path}`] as const),
  ]);
  return list(
    playbook
      .filter(({ uses }) => uses.every((id) => paths.has(id)))
      .map(
        ({ job, uses, steps }) => `${job}: ${uses.map((id) => `\`${paths.get(id)}\``).join(', ')}. ${steps}`,
      ),
  );
}

function prices(site: SiteConfig): string {
  const { operations, freeOperations } = forAgents(site);
  const paid = operations.map(({ method, paths, price, summary, givesLink }) => {
    const limits = givesLink ? describeLinkLimits(site.linkLimits) : null;
    const rails = paidRoutes(operations, site).filter((route) => Object.values(paths).includes(route.path));
    return [
      rails.map(({ path }) => `\`${method} ${path}\``).join(' or '),
      `${price} USDC`,
      [summary, limits].filter((part) => part).join(' '),
    ];
  });
  const free = freeOperations.map(({ method, path, summary }) => [`\`${method} ${path}\``, 'free', summary]);
  return table(['Call', 'Price', 'What it does'], [...paid.filter(([calls]) => calls), ...free]);
}

/** Every error: what happened to the money and what to do next. */
function chargedTable(): string {
  const rows = (Object.keys(errors) as ErrorCode[])
    .filter((code) => code !== 'payment_required')
    .map((code) => {
      const { status, payment, retry } = errors[code];
      return [`${status} \`${code}\``, charged[payment], nextSteps[retry]];
    });
  return table(['Answer', 'Charged?', 'Next'], rows);
}

function list(entries: readonly string[]): string {
  return entries.map((entry) => `- ${entry}`).join('\n');
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const row = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [row(head), row(head.map(() => '---')), ...rows.map(row)].join('\n');
}
