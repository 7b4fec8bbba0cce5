import type { Operation } from '@/lib/catalog/operation';
import type { ProviderName } from '@/lib/catalog/providers';
import type { Platform } from '@/lib/platform/platform';
import { findProvider, hasReader } from './providers';

/**
 * Whether a provider of the operation is configured and the operator has not switched it off. Otherwise the operation is neither offered nor
 * advertised.
 */
export function isAvailable(
  app: Pick<Platform, 'settings'>,
  { id, providers }: Pick<Operation, 'id' | 'providers'>,
): boolean {
  if (app.settings.OPERATIONS_OFF?.includes(id)) return false;
  return providers === undefined || chosenProvider(app, providers) !== null;
}

/** Who makes an operation's responses: a third party, its sandbox, or our own page reader. */
export type Source = 'provider' | 'sandbox' | 'reader';

/** Who makes the operation's responses with these settings; null if we make them ourselves. */
export function sourceOf(
  app: Pick<Platform, 'settings'>,
  { providers = [] }: Pick<Operation, 'providers'>,
): Source | null {
  const name = chosenProvider(app, providers);
  if (name === null || name === 'reader') return name;
  return findProvider(app, name)?.isSandbox === true ? 'sandbox' : 'provider';
}

/** When a call is charged, as x402 names it (specification section 6.1): before its work, or only if that can no longer fail. */
export type PaymentFlow = 'upfront' | 'authorization';

/** The payment flow of an operation with these settings. */
export function paymentFlowOf(
  app: Pick<Platform, 'settings'>,
  { failsUncharged, providers = [] }: Pick<Operation, 'failsUncharged' | 'providers'>,
): PaymentFlow {
  return failsUncharged || chosenProvider(app, providers) === 'reader' ? 'authorization' : 'upfront';
}

/** The first configured provider. The catalog lists them in order of preference. */
export function chosenProvider(
  app: Pick<Platform, 'settings'>,
  names: readonly ProviderName[],
): ProviderName | null {
  return (
    names.find((name) => (name === 'reader' ? hasReader(app) : findProvider(app, name) !== null)) ?? null
  );
}
