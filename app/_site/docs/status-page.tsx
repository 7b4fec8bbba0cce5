import type { ReactNode } from 'react';
import { currentApp } from '@/lib/app/current';
import type { ProviderName } from '@/lib/catalog/providers';
import { listed, pageRoute } from '@/lib/http/page-route';
import type { PausedOperations } from '@/lib/ledger/paused-operations';
import type { Payments } from '@/lib/payments/app-payments';
import type { WithDatabase } from '@/lib/platform/database/database';
import type { Platform } from '@/lib/platform/platform';
import type { WithStore } from '@/lib/platform/storage';
import type { WithUpstream } from '@/lib/platform/upstream/circuit-breakers';
import { findProvider, hasReader } from '@/lib/platform/upstream/providers';
import { type Page, pageHeaders, pageHtml } from '../page';
import { readSiteConfig } from '../site-config';
import { Table } from '../table';

interface StatusPageDeps
  extends Pick<WithDatabase, 'db'>,
    Pick<WithStore, 'storeHealth'>,
    WithUpstream,
    Pick<Platform, 'settings' | 'clock'> {
  readonly payments: Payments;
  readonly pausedOperations: PausedOperations;
}

/** What works now, as this process knows it: what `GET /health/ready` says, and the providers. */

type State = 'available' | 'not available' | 'not offered' | 'test data';

interface Component {
  readonly name: string;
  readonly state: State;
}

interface Status {
  readonly networks: readonly Component[];
  readonly services: readonly Component[];
  /** Calls that are not offered at the moment, because earlier ones wait for the operator. */
  readonly paused: readonly string[];
  readonly at: Date;
}

/** Providers by what they do. */
const providers: readonly (readonly [kind: string, names: readonly ProviderName[]])[] = [
  ['Neural search and answers', ['exa']],
  ['Search engine results', ['serper', 'searxng']],
  ['Page reading', ['reader', 'firecrawl']],
  ['Flight offers', ['duffel']],
];

/** Reads the status of all parts. Nothing in it is secret. */
async function readStatus(app: StatusPageDeps): Promise<Status> {
  const { networks } = app.payments;
  const isDatabaseUp = await app.db.$queryRaw`SELECT`.then(
    () => true,
    () => false,
  );
  return {
    networks: networks.all().map(({ network }) => ({
      name: network.label,
      state: networks.isOffered(network.name) ? 'available' : 'not available',
    })),
    services: [
      { name: 'Paid calls', state: isDatabaseUp ? 'available' : 'not available' },
      { name: 'File store', state: app.storeHealth.isUsable ? 'available' : 'not available' },
      ...providers.map(([name, names]) => ({ name, state: stateOf(app, names) })),
    ],
    paused: app.pausedOperations.all.map(({ operation }) => operation),
    at: app.clock.date(),
  };
}

interface StateOfDeps extends WithUpstream, Pick<Platform, 'settings'> {}

/** The state of the first provider that is configured, which is the one that calls go to. */
function stateOf(app: StateOfDeps, names: readonly ProviderName[]): State {
  for (const name of names) {
    if (name === 'reader' ? !hasReader(app) : findProvider(app, name) === null) continue;
    if (!app.circuitBreakers.isProviderClosed(name)) return 'not available';
    return name !== 'reader' && findProvider(app, name)?.isSandbox ? 'test data' : 'available';
  }
  return 'not offered';
}

/** `GET /docs/status`: what works now, in words. */

const path = '/docs/status';

export const statusDescription = 'Which networks and services are available now.';

const headings = [
  { id: 'networks', title: 'Networks', level: 2 },
  { id: 'services', title: 'Services', level: 2 },
];

const words: Readonly<Record<State, string>> = {
  available: 'Available',
  'not available': 'Not available now; nothing is charged for calls that need it',
  'not offered': 'Not offered by this service',
  'test data': 'Available, with test data',
};

export const serveStatus = pageRoute(
  currentApp,
  async () => {
    const status = await readStatus(currentApp());
    const body = () => <StatusPage status={status} />;
    const html = await statusHtml({ body, markdown: () => markdownOf(status), headings });
    return { status: 200, html, headers: { ...pageHeaders, ...listed } };
  },
  async (_, status) => ({
    status,
    html: await statusHtml({ body: () => <h1>The status is not known</h1> }),
    headers: pageHeaders,
  }),
);

/** `GET /docs/status.md` */
export const serveStatusMarkdown = pageRoute(
  currentApp,
  async () => ({
    status: 200,
    markdown: markdownOf(await readStatus(currentApp())),
    headers: pageHeaders,
  }),
  async (_, status) => ({ status, markdown: '# The status is not known\n', headers: pageHeaders }),
);

async function statusHtml(content: Pick<Page, 'body' | 'markdown' | 'headings'>): Promise<string> {
  return pageHtml(path, await readSiteConfig(), {
    title: 'Status',
    description: statusDescription,
    ...content,
  });
}

function markdownOf({ networks, services, paused, at }: Status): string {
  const states = (parts: readonly Component[]) =>
    parts.map(({ name, state }) => `- ${name}: ${words[state]}`).join('\n');
  return `${[
    '# Status',
    `As of ${at.toISOString()}.`,
    `## Networks\n\n${states(networks)}`,
    `## Services\n\n${states(services)}`,
    ...(paused.length > 0 ? [`## Paused calls\n\n${paused.map((id) => `- ${id}`).join('\n')}`] : []),
  ].join('\n\n')}\n`;
}

function StatusPage({ status: { networks, services, paused, at } }: { status: Status }): ReactNode {
  const isDown = [...networks, ...services].some(({ state }) => state === 'not available');
  return (
    <>
      <h1>Status</h1>
      <p className="lead">
        {isDown || paused.length > 0 ? 'Some parts are not available now.' : 'All parts are available.'}
      </p>
      <p>
        As of{' '}
        <time dateTime={at.toISOString()}>{`${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`}</time>.
        For programs: <code>GET</code> <a href="/health/ready">/health/ready</a>.
      </p>
      <h2 id="networks">Networks</h2>
      <States label="Networks" components={networks} />
      <h2 id="services">Services</h2>
      <States label="Services" components={services} />
      {paused.length > 0 ? (
        <>
          <h2 id="paused">Paused calls</h2>
          <p>
            These calls return 503 <a href="/docs/errors#operation_paused">operation_paused</a> and charge
            nothing, until the operator has looked after earlier ones: {paused.join(', ')}.
          </p>
        </>
      ) : null}
    </>
  );
}

const columns = [{ title: 'Part' }, { title: 'State' }] as const;

function States({ label, components }: { label: string; components: readonly Component[] }): ReactNode {
  const rows = components.map(({ name, state }) => ({ key: name, cells: [name, words[state]] }));
  return <Table label={label} columns={columns} rows={rows} />;
}
