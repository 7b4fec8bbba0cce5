import type { Operation } from '@/lib/catalog/operation';
import type { ProviderName } from '@/lib/catalog/providers';
import type { Platform } from '@/lib/platform/platform';
import { findProvider, hasReader } from './providers';

/** Whether one who can do it is configured. What is not available is neither sold nor advertised. */
export function isAvailable(app: Platform, { providers }: Pick<Operation, 'providers'>): boolean {
  return providers === undefined || chosenProvider(app, providers) !== null;
}

/** Whether what is sold under this operation is play, and has to say so. */
export function isSandbox(app: Platform, { providers = [] }: Pick<Operation, 'providers'>): boolean {
  const name = chosenProvider(app, providers);
  return name !== null && name !== 'reader' && findProvider(app, name)?.isSandbox === true;
}

/** The first of these that is configured: the order of the catalog is the order of preference. */
export function chosenProvider(app: Platform, names: readonly ProviderName[]): ProviderName | null {
  return (
    names.find((name) => (name === 'reader' ? hasReader(app) : findProvider(app, name) !== null)) ?? null
  );
}
