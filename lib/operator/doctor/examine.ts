import type { OperatorApp } from '../operator-app';
import { checkDatabase } from './database';
import type { Finding } from './finding';
import { checkProviders, checkReader, checkRenderer, checkStore } from './installation';
import { checkNetworks } from './networks';
import { checkPublicAddresses } from './public-addresses';
import { checkSettings } from './settings';
import { checkWorklist } from './worklist';

/** The parts of an installation, in the order in which they are checked. */
export const parts = [
  'settings',
  'database',
  'worklist',
  'networks',
  'store',
  'renderer',
  'providers',
  'addresses',
] as const;
export type Part = (typeof parts)[number];

const checks: Readonly<Record<Part, (app: OperatorApp) => Promise<Finding[]>>> = {
  settings: async ({ settings }) => checkSettings(settings),
  database: (app) => checkDatabase(app, app.clock.now),
  worklist: checkWorklist,
  networks: checkNetworks,
  store: async (app) => [await checkStore(app)],
  renderer: async (app) => [await checkRenderer(app), ...(await checkReader(app))],
  providers: checkProviders,
  addresses: checkPublicAddresses,
};

/**
 * Checks parts of an installation, and yields the findings. Changes nothing except a small object in the store, which is
 * removed again.
 */
export async function* examine(app: OperatorApp, wanted: readonly Part[] = parts): AsyncGenerator<Finding> {
  for (const part of parts.filter((one) => wanted.includes(one))) yield* await checks[part](app);
}
