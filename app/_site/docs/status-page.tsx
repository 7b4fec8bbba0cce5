import type { ReactNode } from 'react';
import { allOf } from '@/app/_page/series';
import { currentApp } from '@/lib/app/current';
import type { ProviderName } from '@/lib/catalog/providers';
import { listed, pageRoute } from '@/lib/http/page-route';
import type { PausedOperations } from '@/lib/ledger/paused-operations';
import type { ServiceFigures } from '@/lib/operator/figures/service-figures';
import type { Payments } from '@/lib/payments/app-payments';
import type { KeptValue } from '@/lib/platform/concurrency/kept-value';
import type { WithDatabase } from '@/lib/platform/database/database';
import type { Platform } from '@/lib/platform/platform';
import type { WithStore } from '@/lib/platform/storage';
import type { WithUpstream } from '@/lib/platform/upstream/circuit-breakers';
import { findProvider, hasReader } from '@/lib/platform/upstream/providers';
import { type Page, pageHeaders, pageHtml } from '../page';
import { readSiteConfig } from '../site-config';
import { StatusMark } from '../status-mark';
import { Table } from '../table';
import { moment } from './moment';
import { FiguresSection, figuresHeading, figuresMarkdown } from './service-figures';

interface StatusPageDeps
  extends Pick<WithDatabase, 'db'>,
    Pick<WithStore, 'storeHealth'>,
    WithUpstream,
    Pick<Platform, 'settings' | 'clock'> {
  readonly payments: Payments;
  readonly pausedOperations: PausedOperations;
  readonly serviceFigures: KeptValue<ServiceFigures>;
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
  /** Null when they could not be read. */
  readonly figures: ServiceFigures | null;
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
    figures: isDatabaseUp ? await app.serviceFigures.get().catch(() => null) : null,
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

export const statusDescription =
  'Which networks and services are available now, and how fast and how reliable calls were.';

const headings = [
  { id: 'networks', title: 'Networks', level: 2 },
  { id: 'services', title: 'Services', level: 2 },
  figuresHeading,
];

const words: Readonly<Record<State, string>> = {
  available: 'Available',
  'not available': 'Not available; nothing is charged',
  'not offered': 'Not offered by this service',
  'test data': 'Available, with test data',
};

/** What does not work now. */
function outagesIn({ networks, services, paused }: Status): string[] {
  const down = [...networks, ...services].filter(({ state }) => state === 'not available');
  return [...down.map(({ name }) => name), ...paused];
}

function verdictOn(status: Status): string {
  const outages = outagesIn(status);
  if (outages.length === 0) return 'All systems operational';
  return `Not available: ${allOf.format(outages)}`;
}

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
    isWide: true,
    ...content,
  });
}

function markdownOf(status: Status): string {
  const { networks, services, paused, figures, at } = status;
  const states = (parts: readonly Component[]) =>
    parts.map(({ name, state }) => `- ${name}: ${words[state]}`).join('\n');
  return `${[
    '# Status',
    `**${verdictOn(status)}**`,
    `Checked on ${moment.format(at)} UTC. For monitoring, use /health/ready.`,
    `## Networks\n\n${states(networks)}`,
    `## Services\n\n${states(services)}`,
    ...(paused.length > 0 ? [`## Paused calls\n\n${paused.map((id) => `- ${id}`).join('\n')}`] : []),
    figuresMarkdown(figures),
  ].join('\n\n')}\n`;
}

function StatusPage({ status }: { status: Status }): ReactNode {
  const { networks, services, paused, figures, at } = status;
  return (
    <>
      <h1>Status</h1>
      <div className={outagesIn(status).length === 0 ? 'notice good' : 'notice wrong'}>
        <p className="verdict">
          <StatusMark isGood={outagesIn(status).length === 0} /> {verdictOn(status)}
        </p>
        <p>
          Checked on <time dateTime={at.toISOString()}>{`${moment.format(at)} UTC`}</time>, when this page was
          loaded.
        </p>
      </div>
      <h2 id="networks">Networks</h2>
      <States label="Networks" kind="Network" components={networks} />
      <h2 id="services">Services</h2>
      <States label="Services" kind="Service" components={services} />
      {paused.length > 0 ? (
        <>
          <h2 id="paused">Paused calls</h2>
          <p>
            These calls return 503 <a href="/docs/errors#operation_paused">operation_paused</a> and charge
            nothing until the operator has dealt with earlier ones: {paused.join(', ')}.
          </p>
        </>
      ) : null}
      <FiguresSection figures={figures} />
      <p>
        For monitoring, use <a href="/health/ready">/health/ready</a>.
      </p>
    </>
  );
}

interface StatesProps {
  readonly label: string;
  readonly kind: 'Network' | 'Service';
  readonly components: readonly Component[];
}

function States({ label, kind, components }: StatesProps): ReactNode {
  const rows = components.map(({ name, state }) => ({
    key: name,
    cells: [
      name,
      <span key="status" className={state === 'not offered' ? 'quiet' : undefined}>
        {state === 'not offered' ? null : <StatusMark isGood={state !== 'not available'} />} {words[state]}
      </span>,
    ],
  }));
  return <Table label={label} columns={[{ title: kind }, { title: 'Status' }]} rows={rows} />;
}
