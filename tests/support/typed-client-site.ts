import { clientMethods } from '@/lib/discovery/typed-clients/methods';
import { pythonProgram } from '@/lib/discovery/typed-clients/programs';
import { configuredOffers } from '@/lib/payments/network-offers';
import { operatorDetails } from '@/lib/platform/public-operator';
import { parseSettings } from '@/lib/platform/settings';

const publicUrl = 'https://api.example.com';
const rpc = 'http://127.0.0.1:1';
/** A server that offers every operation, as the typed clients see it. */
export const site = {
  publicUrl,
  offers: configuredOffers(
    parseSettings({
      DATABASE_URL: 'postgresql://unused',
      PUBLIC_URL: publicUrl,
      FILES_URL: 'https://files.example.net',
      PAY_TO_EVM: `0x${'11'.repeat(20)}`,
      BASE_RPC_URL: rpc,
      POLYGON_RPC_URL: rpc,
      ARBITRUM_RPC_URL: rpc,
      DATA_KEY: Buffer.alloc(32).toString('base64'),
    }),
  ),
  guides: [],
  source: { url: null, editUrl: null },
  isAvailable: () => true,
  flowOf: () => 'upfront' as const,
  isTest: false,
  linkLimits: { downloads: 10_000, bytes: null },
  operator: operatorDetails({}),
  adapterDigests: { package: '', program: '', client: '' },
};
export const methods = clientMethods(site);

/** The Python program of every method that Python has. */
export function pythonPrograms(): [name: string, program: string][] {
  return methods.flatMap((method) => {
    const program = pythonProgram(method, site);
    return program === null ? [] : [[method.name, program] as [string, string]];
  });
}
