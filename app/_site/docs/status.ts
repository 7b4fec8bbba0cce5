import type { App } from '@/lib/app';
import type { ProviderName } from '@/lib/catalog/providers';
import { preconfirmationStops } from '@/lib/ledger/preconfirmation-stops';
import { findProvider, hasReader } from '@/lib/platform/upstream/providers';

/** What works now, as this process knows it: what `GET /health/ready` says, and the providers. */

export type State = 'available' | 'not available' | 'not offered' | 'test data';

export interface Component {
  readonly name: string;
  readonly state: State;
}

export interface Status {
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
export async function readStatus(app: App): Promise<Status> {
  const { networks } = app.payments;
  const isDatabaseUp = await preconfirmationStops(app).then(
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

/** The state of the first provider that is configured, which is the one that calls go to. */
function stateOf(app: App, names: readonly ProviderName[]): State {
  for (const name of names) {
    if (name === 'reader' ? !hasReader(app) : findProvider(app, name) === null) continue;
    if (!app.circuitBreakers.isProviderClosed(name)) return 'not available';
    return name !== 'reader' && findProvider(app, name)?.isSandbox ? 'test data' : 'available';
  }
  return 'not offered';
}
