import type { ProviderName } from '@/lib/catalog/providers';
import { ApiError } from '@/lib/errors/api-error';
import type { Platform } from '@/lib/platform/platform';
import type { UpstreamFailure } from './failure';

/** An app that calls providers. */
export interface WithUpstream extends Platform {
  readonly circuitBreakers: CircuitBreakers;
}

/** Circuit breakers for providers that reject all of our calls for a while. */
export class CircuitBreakers {
  readonly #app: Pick<Platform, 'clock' | 'timings'>;
  readonly #openUntil = new Map<ProviderName, number>();

  constructor(app: Pick<Platform, 'clock' | 'timings'>) {
    this.#app = app;
  }

  /** Opens a provider's breaker when further calls would fail too. */
  note(name: ProviderName, { kind, retryAfter }: UpstreamFailure): void {
    if (kind !== 'account' && kind !== 'limited') return;
    const { accountMs, limitedMs, limitedMaxMs } = this.#app.timings.providers;
    const askedMs = retryAfter === null ? limitedMs : Math.max(retryAfter * 1_000, 1_000);
    const ms = kind === 'account' ? accountMs : Math.min(askedMs, limitedMaxMs);
    this.#openUntil.set(name, this.#app.clock.monotonic() + ms);
  }

  /** For how much longer this process does not call a provider; 0 when it does. */
  openForMs(name: ProviderName): number {
    return Math.max(0, (this.#openUntil.get(name) ?? 0) - this.#app.clock.monotonic());
  }

  /**
   * Rejects a call before it is charged while the provider's breaker is open.
   * @throws ApiError provider_unavailable (503)
   */
  refuseWhileOpen(name: ProviderName): void {
    const left = this.openForMs(name);
    if (left > 0) throw new ApiError('provider_unavailable', { retryAfterSeconds: Math.ceil(left / 1000) });
  }
}
