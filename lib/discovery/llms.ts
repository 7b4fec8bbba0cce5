import { about } from '@/lib/catalog/about';
import { adapterFileNames, adapterFiles } from '@/lib/catalog/adapter';
import { errors, type PaymentOutcome } from '@/lib/catalog/errors/codes';
import type { FreeOperation } from '@/lib/catalog/free-operation';
import { describeLinkLimits } from '@/lib/catalog/link-limits';
import type { Operation } from '@/lib/catalog/operation';
import { playbook } from '@/lib/catalog/playbook';
import { remote } from '@/lib/catalog/remote';
import { withNotice } from '@/lib/catalog/test-service';
import * as uploads from '@/lib/catalog/uploads';
import { commonPath, everything, partOf, parts, referencePath } from './contents';
import { offersOf } from './openapi/payment-info';
import { paidRoutes } from './paid-routes';
import { signatureNotes, signaturesOf } from './signatures';
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
    `Base address: ${site.publicUrl} on the networks ${networks(site)}.`,
    '**Which call for which job**',
    jobs(site),
    '**Every call, its body and its price**',
    list([...callNotes, describeLinkLimits(site.linkLimits)].filter((note) => note !== null)),
    calls(site),
    '**Was I charged?**',
    outcomeTable(),
    '## Describe',
    list(descriptions(site)),
    '## Read',
    list([
      link('Documentation', site, '/docs'),
      link('Errors', site, '/docs/errors', 'every code and what to do'),
      ...site.guides.map(({ name, title }) => link(title, site, `/docs/${name}.md`)),
      link('Terms', site, '/terms.md'),
      link('Privacy', site, '/privacy.md'),
      link('Contact', site, '/contact.md'),
    ]),
    '## Reference',
    list([
      link('All calls', site, '/docs/reference.md', 'every call with its price'),
      link('Everything in one file', site, '/llms-full.txt'),
      link(
        'One call',
        site,
        `${referencePath(uploads.create)}.md`,
        `fields, samples and errors; other calls are at ${commonPath.replace('common', '{group}/{call}')}.md, with the names above`,
      ),
    ]),
    '## Optional',
    list([
      link(
        'One group',
        site,
        '/files/openapi.json',
        `OpenAPI 3.1 of one group; likewise for ${Object.keys(parts)
          .filter((name) => name !== 'files')
          .join(', ')}`,
      ),
      link('TypeScript client', site, typescriptPath, 'every call with its types, in one file'),
      link('Python client', site, pythonPath, 'the same; needs only the standard library'),
      link('Samples', site, samplesPath, 'a program for every call'),
      link('Agent skills', site, skillIndexPath, 'for agents with a shell, one for each task'),
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
      'OpenAPI 3.1, about 64 KB: pay-per-call operations and free tools',
    ),
    link('Everything', site, '/openapi.json', 'OpenAPI 3.1, 370 KB: too large for most models'),
    link('Prices', site, '/v1/tools/prices', 'current prices and networks'),
    link('x402', site, '/.well-known/x402.json', 'calls, networks and payees'),
    link('MPP', site, '/.well-known/mpp.json', 'calls paid over MPP'),
    link('Remote MCP server', site, '/docs/mcp', `every call as a tool, by POST to ${remote.path}`),
    link('MCP server', site, '/.well-known/mcp-server.json'),
  ];
}

function link(name: string, { publicUrl }: SiteConfig, path: string, note?: string): string {
  return `[${name}](${publicUrl}${path})${note ? `: ${note}` : ''}`;
}

function networks(site: SiteConfig): string {
  return offersOf('x402', site)
    .map(({ network }) => `${network.name} (${network.family === 'evm' ? 'x402, MPP' : 'x402'})`)
    .join(', ');
}

/** The jobs whose calls are all available here. */
function jobs({ isAvailable }: SiteConfig): string {
  const missing = everything.operations.filter((one) => !isAvailable(one)).map(({ id }) => id);
  return list(
    playbook
      .filter(({ uses }) => !uses.some((id) => missing.includes(id)))
      .map(({ job, uses, steps }) => `${job}: ${uses.join(', ')}. ${steps}`),
  );
}

/** How to read the lines of calls. */
const callNotes = [
  `A line has the name of the call, its method, path and body, its price, and how else it can be paid. ${signatureNotes}`,
  'The paths shown are paid over x402. Over MPP, put `/mpp` after `/v1`; from a prepaid account, put `/account` there and send `Authorization: Bearer` with its token. Only calls that name MPP or account can be paid so.',
];

/** Every call by group, with what its body is made of. */
function calls(site: SiteConfig): string {
  const all: AnyOperation[] = [
    ...everything.operations.filter(site.isAvailable),
    ...everything.freeOperations,
  ];
  const { shared, bodies } = signaturesOf(all);
  const groups = [...new Set(all.map(partOf))];
  return [
    ...groups.map((group) => {
      const lines = all
        .filter((one) => partOf(one) === group)
        .map((one) => callLine(one, bodies.get(one.id), site));
      return `${group}:\n\n${list(lines)}`;
    }),
    `Shared by several calls:\n\n${list(shared.map(({ name, text }) => `\`${name} = ${text}\``))}`,
  ].join('\n\n');
}

type AnyOperation = Operation | FreeOperation;

function callLine(operation: AnyOperation, body: string | undefined, site: SiteConfig): string {
  const { id, method, summary } = operation;
  const call = `${id}: \`${[method, pathOf(operation), body].filter(Boolean).join(' ')}\``;
  if (!('price' in operation))
    return `${call} ${freeBy[operation.access ?? 'all']}. ${firstSentence(summary)}`;
  return `${call} ${operation.price} USDC${railNames(operation, site)}. ${summary}`;
}

const firstSentence = (text: string): string => text.split(/(?<=\.) (?=[A-Z])/)[0] ?? text;

const freeBy = {
  all: 'free',
  account: 'free, with the token',
  readToken: 'free, with the read token',
  wallet: 'free, signed in by wallet',
};

/** With the names of its query parameters. */
function pathOf(operation: AnyOperation): string {
  if ('paths' in operation) return operation.paths.x402;
  const names = 'query' in operation && operation.query ? Object.keys(operation.query.shape) : [];
  return names.length > 0 ? `${operation.path}?${names.map((name) => `${name}=`).join('&')}` : operation.path;
}

/** How a call can be paid beside x402. */
function railNames(operation: Operation, site: SiteConfig): string {
  const rails = paidRoutes([operation], site).map(({ rail }) => rail);
  const names = [rails.includes('mpp') && 'MPP', rails.includes('account') && 'account'].filter(Boolean);
  return names.map((name) => `, ${name}`).join('');
}

/** What happened to the money and what to do next, by what every error body says. */
function outcomeTable(): string {
  const rows = new Map<string, { payments: Set<string>; row: readonly string[] }>();
  for (const { payment, retry } of Object.values(errors)) {
    const row = [charged[payment], `\`${retry}\``, nextSteps[retry]];
    const known = rows.get(row.join());
    rows.set(row.join(), { payments: (known?.payments ?? new Set()).add(`\`${payment}\``), row });
  }
  return table(
    ['`payment`', 'Charged?', '`retry`', 'Next'],
    [...rows.values()].map(({ payments, row }) => [[...payments].join(', '), ...row]),
  );
}

function list(entries: readonly string[]): string {
  return entries.map((entry) => `- ${entry}`).join('\n');
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const row = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [row(head), row(head.map(() => '---')), ...rows.map(row)].join('\n');
}
