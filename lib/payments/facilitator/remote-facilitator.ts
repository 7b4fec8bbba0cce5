import { FacilitatorTimeoutError, HTTPFacilitatorClient } from '@x402/core/http';
import { type PaymentPayload, type PaymentRequirements, SettleError, VerifyError } from '@x402/core/types';
import type { Network } from '@/lib/payments/network-offers';
import type { NetworkProblem } from '@/lib/payments/settlers';
import { CircuitBreaker } from '@/lib/platform/concurrency/circuit-breaker';
import { inTime } from '@/lib/platform/concurrency/in-time';
import { describeError } from '@/lib/platform/log';
import type { Platform } from '@/lib/platform/platform';
import type { Credentials, FacilitatorRequest } from './facilitator-credentials';

/** What a facilitator reports about a settlement. It is not proof. */
export type SettlementReport =
  | { readonly kind: 'settled' | 'pending'; readonly transactionHash: string | null }
  | { readonly kind: 'refused'; readonly reason: string }
  /** No response, or one that does not follow the protocol. */
  | { readonly kind: 'silent' };

/** What a facilitator supports on our network. */
export interface Support {
  /** The account that pays the network fee; null on EVM networks, or if the facilitator does not say it. */
  readonly feePayer: string | null;
}

/** A remote x402 facilitator, called with the official client. */
export class RemoteFacilitator {
  readonly #app: Pick<Platform, 'clock' | 'log' | 'metrics' | 'problems' | 'timings'>;
  readonly #network: Network;
  readonly #verifying: HTTPFacilitatorClient;
  readonly #settling: HTTPFacilitatorClient;
  /** Open while it answers nothing, so that each payment does not have to find that out. */
  readonly #breaker: CircuitBreaker<'silent'>;

  constructor(
    app: Pick<Platform, 'clock' | 'log' | 'metrics' | 'problems' | 'timings'>,
    network: Network,
    url: string,
    credentials: Credentials,
  ) {
    this.#app = app;
    this.#network = network;
    const headers = async (
      method: FacilitatorRequest['method'],
      path: string,
    ): Promise<Record<string, string>> => {
      const authorization = await credentials.authorize({ method, url: `${url}/${path}` });
      return authorization === null ? {} : { Authorization: authorization };
    };
    // A client waits equally long for each of its requests, until the whole response has arrived.
    const clientWithin = (timeoutMs: number) =>
      new HTTPFacilitatorClient({
        url,
        timeoutMs,
        // The client calls this before each request, without saying for which one.
        createAuthHeaders: async () => ({
          verify: await headers('POST', 'verify'),
          settle: await headers('POST', 'settle'),
          supported: await headers('GET', 'supported'),
        }),
      });
    const { verifyWithinMs, answerWithinMs } = app.timings.facilitator;
    this.#verifying = clientWithin(verifyWithinMs);
    this.#settling = clientWithin(answerWithinMs);
    const { probeFirstMs: firstMs, probeMaxMs: maxMs, steadyMs } = app.timings.rpc;
    this.#breaker = new CircuitBreaker(app.clock, { firstMs, maxMs, steadyMs }, (cause) =>
      this.#show(cause === null),
    );
    app.metrics.facilitators.usable.set({ network: network.name }, 1);
  }

  /** @returns a reason code, or null when it would settle the payment; throws when it gives no verdict */
  async refusal(payload: PaymentPayload, requirements: PaymentRequirements): Promise<string | null> {
    await this.#breaker.probeIfDue();
    if (this.#breaker.cause) throw new Error('the facilitator does not answer');
    try {
      const verdict = await this.#verifying.verify(payload, requirements);
      return verdict.isValid ? null : readReason(verdict.invalidReason, 'unexpected_verify_error');
    } catch (error) {
      if (error instanceof FacilitatorTimeoutError) this.#breaker.open('silent', () => this.#ping());
      // Some facilitators send a verdict with a 4xx status. A 5xx is always a failure.
      if (!(error instanceof VerifyError) || error.statusCode >= 500) throw error;
      return readReason(error.invalidReason, 'unexpected_verify_error');
    }
  }

  /** Asks it to settle. Never throws, because the transaction may be on its way. */
  async settle(payload: PaymentPayload, requirements: PaymentRequirements): Promise<SettlementReport> {
    try {
      const answer = await this.#settling.settle(payload, requirements);
      if (answer.success) return { kind: 'settled', transactionHash: this.#readHash(answer.transaction) };
      return this.#readFailure(answer);
    } catch (error) {
      if (error instanceof SettleError) {
        const report = this.#readFailure(error);
        // With a 5xx, the facilitator itself does not know what happened.
        return error.statusCode >= 500 && report.kind === 'refused' ? { kind: 'silent' } : report;
      }
      this.#app.log.warn(
        { network: this.#network.name, error: withoutBody(error) },
        'a facilitator did not answer',
      );
      return { kind: 'silent' };
    }
  }

  /** Whether it settles on our network, and if not, why. */
  async support(): Promise<Support | { problem: NetworkProblem }> {
    const { supportedWithinMs } = this.#app.timings.facilitator;
    const reading = this.#verifying.getSupported().catch((error: unknown) => withoutBody(error));
    // The client waits before it repeats a request that was limited, for as long as the facilitator says.
    const late = `no answer within ${supportedWithinMs / 1_000} seconds`;
    const supported = await inTime(this.#app.clock, reading, supportedWithinMs, late);
    if (typeof supported === 'string') return { problem: this.#unanswered(supported) };
    this.#breaker.expectEnd();
    const kind = supported.kinds.find(
      ({ x402Version, scheme, network }) =>
        x402Version === 2 && scheme === 'exact' && network === this.#network.caip2,
    );
    if (!kind) {
      const message = `the facilitator does not settle ${this.#network.caip2} (x402 version 2, scheme exact)`;
      return { problem: { message, advice: 'Check FACILITATOR_URL, or use another facilitator.' } };
    }
    const { feePayer } = kind.extra ?? {};
    return { feePayer: typeof feePayer === 'string' ? feePayer : null };
  }

  /** @throws when it does not answer */
  async #ping(): Promise<void> {
    const support = await this.support();
    if ('problem' in support) throw new Error(support.problem.message);
  }

  #show(isUsable: boolean): void {
    const about = { network: this.#network.name };
    this.#app.metrics.facilitators.usable.set(about, isUsable ? 1 : 0);
    const problem = this.#app.problems.get(`the facilitator of ${this.#network.name}`);
    if (isUsable) problem.end(about);
    else problem.report('warn', about, 'a facilitator does not answer');
  }

  #unanswered(why: string): NetworkProblem {
    if (!/\((401|403)\)$/.test(why)) {
      const message = `the facilitator does not say what it settles: ${why}`;
      return { message, advice: 'Check FACILITATOR_URL, and that it responds to this machine.' };
    }
    return {
      message: 'the facilitator does not accept our credentials',
      advice: 'Check FACILITATOR_KEY, that the key is one for servers, and the clock of this machine.',
    };
  }

  #readFailure({
    errorReason,
    transaction,
  }: {
    errorReason?: string;
    transaction: string;
  }): SettlementReport {
    const reason = readReason(errorReason, 'unexpected_settle_error');
    // A duplicate means that the facilitator is still settling the payment.
    if (reason === 'settlement_pending' || reason === 'duplicate_settlement')
      return { kind: 'pending', transactionHash: this.#readHash(transaction) };
    return { kind: 'refused', reason };
  }

  #readHash(transaction: string): string | null {
    const form = this.#network.family === 'evm' ? /^0x[0-9a-f]{64}$/i : /^[1-9A-HJ-NP-Za-km-z]{64,88}$/;
    return form.test(transaction) ? transaction : null;
  }
}

/** The message of an error without the response that the client quotes in it, which may repeat our credentials. */
function withoutBody(error: unknown): string {
  const { message } = describeError(error);
  return message.startsWith('Facilitator ') ? message.replace(/: .*/s, '') : message;
}

/** Reasons go into our own responses, so only codes are passed on, not exception messages. */
function readReason(reason: string | undefined, otherwise: string): string {
  const [code = ''] = (reason ?? '').split(':');
  return /^[a-z0-9_]{1,100}$/.test(code) ? code : otherwise;
}
