import { HTTPFacilitatorClient } from '@x402/core/http';
import { type PaymentPayload, type PaymentRequirements, SettleError, VerifyError } from '@x402/core/types';
import type { Network } from '@/lib/payments/networks';
import { describeError } from '@/lib/platform/log';
import type { Platform } from '@/lib/platform/platform';

/** Longer than a block and its confirmation on any network, shorter than clients wait. */
const timeoutMs = 20_000;

/** What a facilitator reports about a settlement. It is not proof. */
export type SettlementReport =
  | { readonly kind: 'settled' | 'pending'; readonly transactionHash: string | null }
  | { readonly kind: 'refused'; readonly reason: string }
  /** No response, or not one of the protocol. */
  | { readonly kind: 'silent' };

/** A remote x402 facilitator, called with the official client. */
export class RemoteFacilitator {
  readonly #app: Platform;
  readonly #network: Network;
  readonly #client: HTTPFacilitatorClient;

  /** @param token bearer token for all of its routes; null when it needs none */
  constructor(app: Platform, network: Network, url: string, token: string | null) {
    this.#app = app;
    this.#network = network;
    const authorization = { Authorization: `Bearer ${token}` };
    const headers = { verify: authorization, settle: authorization, supported: authorization };
    this.#client = new HTTPFacilitatorClient({
      url,
      timeoutMs,
      createAuthHeaders: token === null ? undefined : async () => headers,
    });
  }

  /** @returns a reason code, or null when it would settle the payment; throws when it gives no verdict */
  async refusal(payload: PaymentPayload, requirements: PaymentRequirements): Promise<string | null> {
    try {
      const verdict = await this.#client.verify(payload, requirements);
      return verdict.isValid ? null : readReason(verdict.invalidReason, 'unexpected_verify_error');
    } catch (error) {
      // Some facilitators send a verdict with a 4xx status. A 5xx is always a failure.
      if (!(error instanceof VerifyError) || error.statusCode >= 500) throw error;
      return readReason(error.invalidReason, 'unexpected_verify_error');
    }
  }

  /** Asks it to settle. Never throws, because the transaction may be on its way. */
  async settle(payload: PaymentPayload, requirements: PaymentRequirements): Promise<SettlementReport> {
    try {
      const answer = await this.#client.settle(payload, requirements);
      if (answer.success) return { kind: 'settled', transactionHash: this.#readHash(answer.transaction) };
      return this.#readFailure(answer);
    } catch (error) {
      if (error instanceof SettleError) return this.#readFailure(error);
      this.#app.log.warn(
        { network: this.#network.name, error: describeError(error) },
        'a facilitator did not answer',
      );
      return { kind: 'silent' };
    }
  }

  /**
   * Whether it settles on our network.
   * @returns null when it does not; otherwise its fee payer, which only Solana has
   */
  async support(): Promise<{ feePayer: string | null } | null> {
    const { kinds } = await this.#client.getSupported();
    const kind = kinds.find(
      ({ x402Version, scheme, network }) =>
        x402Version === 2 && scheme === 'exact' && network === this.#network.caip2,
    );
    if (!kind) return null;
    const { feePayer } = kind.extra ?? {};
    return { feePayer: typeof feePayer === 'string' ? feePayer : null };
  }

  #readFailure({
    errorReason,
    transaction,
  }: {
    errorReason?: string;
    transaction: string;
  }): SettlementReport {
    const reason = readReason(errorReason, 'unexpected_settle_error');
    if (reason === 'settlement_pending')
      return { kind: 'pending', transactionHash: this.#readHash(transaction) };
    return { kind: 'refused', reason };
  }

  #readHash(transaction: string): string | null {
    const form = this.#network.family === 'evm' ? /^0x[0-9a-f]{64}$/i : /^[1-9A-HJ-NP-Za-km-z]{64,88}$/;
    return form.test(transaction) ? transaction : null;
  }
}

/** Reasons go into our own responses, so only codes are passed on, not exception messages. */
function readReason(reason: string | undefined, otherwise: string): string {
  const [code = ''] = (reason ?? '').split(':');
  return /^[a-z0-9_]{1,100}$/.test(code) ? code : otherwise;
}
