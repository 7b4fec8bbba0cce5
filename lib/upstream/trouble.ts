import type { ProviderName } from '@/lib/catalog/providers';
import { ApiError } from '@/lib/errors/api-error';
import { processWide } from '@/lib/platform/process-wide';
import type { UpstreamFailure } from './failure';

/** After trouble with our account, how long nothing is sold that would fail for the same reason. */
const accountSeconds = 60;
const limitedSeconds = { usual: 5, max: 60 };

const closedUntil = () => processWide('providers-closed', () => new Map<ProviderName, number>());

/** Remembers that a provider takes nothing from us for a while. */
export function reportTrouble(name: ProviderName, { kind, retryAfter }: UpstreamFailure): void {
  if (kind !== 'account' && kind !== 'limited') return;
  const seconds =
    kind === 'account'
      ? accountSeconds
      : Math.min(Math.max(retryAfter ?? limitedSeconds.usual, 1), limitedSeconds.max);
  closedUntil().set(name, Date.now() + seconds * 1000);
}

/**
 * Turns a caller away before anything is charged, while a provider takes nothing from us.
 * @throws ApiError provider_unavailable (503)
 */
export function refuseWhileInTrouble(name: ProviderName): void {
  const left = (closedUntil().get(name) ?? 0) - Date.now();
  if (left > 0) throw new ApiError('provider_unavailable', { retryAfterSeconds: Math.ceil(left / 1000) });
}
