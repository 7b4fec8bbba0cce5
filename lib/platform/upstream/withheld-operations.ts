import { operations } from '@/lib/catalog';
import type { Platform } from '@/lib/platform/platform';
import { chosenProvider } from './availability';
import type { WithUpstream } from './circuit-breakers';

interface WithheldDeps extends WithUpstream, Pick<Platform, 'settings'> {}

/** The ids of the operations that are refused, or tried one call at a time, because their provider fails. */
export function withheldOperations(app: WithheldDeps): string[] {
  return operations
    .filter(({ id: operation, providers = [] }) => {
      const provider = chosenProvider(app, providers);
      return provider !== null && !app.circuitBreakers.isClosed({ provider, operation });
    })
    .map(({ id }) => id);
}
