import type { Operation } from '@/lib/catalog/operation';
import type { ProviderName } from '@/lib/catalog/providers';
import type { Platform } from '@/lib/platform/platform';
import { findProvider, hasReader } from './providers';

/** Whether a provider of the operation is configured. Otherwise the operation is neither offered nor advertised. */
export function isAvailable(app: Platform, { providers }: Pick<Operation, 'providers'>): boolean {
  return providers === undefined || chosenProvider(app, providers) !== null;
}

/** Whether the operation's provider is a sandbox, whose responses must be marked. */
export function isSandbox(app: Platform, { providers = [] }: Pick<Operation, 'providers'>): boolean {
  const name = chosenProvider(app, providers);
  return name !== null && name !== 'reader' && findProvider(app, name)?.isSandbox === true;
}

/** The first configured provider. The catalog lists them in order of preference. */
export function chosenProvider(app: Platform, names: readonly ProviderName[]): ProviderName | null {
  return (
    names.find((name) => (name === 'reader' ? hasReader(app) : findProvider(app, name) !== null)) ?? null
  );
}
