import type { Operation } from '@/lib/catalog/operation';
import type { ProviderName } from '@/lib/catalog/providers';
import { findProvider, hasReader } from './providers';

/** Whether one who can do it is configured. What is not available is neither sold nor advertised. */
export function isAvailable({ providers }: Pick<Operation, 'providers'>): boolean {
  return providers === undefined || chosenProvider(providers) !== null;
}

/** Whether what is sold under this operation is play, and has to say so. */
export function isSandbox({ providers = [] }: Pick<Operation, 'providers'>): boolean {
  const name = chosenProvider(providers);
  return name !== null && name !== 'reader' && findProvider(name)?.isSandbox === true;
}

/** The first of these that is configured: the order of the catalog is the order of preference. */
export function chosenProvider(names: readonly ProviderName[]): ProviderName | null {
  return names.find((name) => (name === 'reader' ? hasReader() : findProvider(name) !== null)) ?? null;
}
