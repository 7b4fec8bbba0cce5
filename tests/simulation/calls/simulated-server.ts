import { CallRuns } from '@/lib/calls/advance-call';
import { answerBought, findBoughtBy } from '@/lib/calls/bought-before';
import { buy } from '@/lib/calls/buy';
import { CallAnswers } from '@/lib/calls/call-answers';
import type { BuyDeps, CallPayments } from '@/lib/calls/call-deps';
import type { CallService } from '@/lib/calls/call-service';
import type { CallStore } from '@/lib/calls/call-store';
import type { PurchaseResult } from '@/lib/calls/purchase';
import { EarlyVerification } from '@/lib/calls/verification';
import { closeRefusals } from '@/lib/jobs/finality-checks';
import { type RecoveryDeps, RecoverySlots, recoverCalls } from '@/lib/jobs/recovery';
import type { Payment } from '@/lib/payments/payment';
import { digestOfRequest } from '@/lib/payments/receipts/receipt';
import type { Clock } from '@/lib/platform/clock';
import { Deadline } from '@/lib/platform/concurrency/deadline';
import { createLog, type Logger } from '@/lib/platform/log';
import { Metrics } from '@/lib/platform/metrics/metrics';
import { OngoingProblems } from '@/lib/platform/ongoing-problem';
import type { Timings } from '@/lib/platform/timings';

/** What a simulated server is made of. */
export interface ServerParts {
  readonly calls: CallStore;
  readonly payments: CallPayments;
  readonly services: readonly [CallService, ...CallService[]];
  readonly clock: Clock;
  readonly timings: Timings;
  /** Silent if left out. */
  readonly log?: Logger;
  /** Some of its own if left out. */
  readonly metrics?: Metrics;
}

/** A signed request, as a client sends it. */
export interface SentRequest {
  /** The id of the operation; the first one that is offered if left out. */
  readonly operation?: string;
  readonly payment: Payment;
  readonly input: object;
  readonly idempotencyKey?: string;
  readonly claimToken?: string;
  /** Why its payment does not pay, as far as the payment itself shows; null when it does. */
  readonly refusal?: string | null;
}

/** The part of one server that buys, delivers and recovers calls, without HTTP. */
export class SimulatedServer {
  readonly #parts: ServerParts;
  readonly #deps: BuyDeps & RecoveryDeps;

  constructor(parts: ServerParts) {
    const { clock, log = createLog({ LOG_LEVEL: 'silent' }), metrics = new Metrics() } = parts;
    const shared = { ...parts, log, problems: new OngoingProblems(log, clock), metrics };
    const answers = new CallAnswers({
      receipts: { issueReceipt: async ({ paidCallId }) => `receipt of ${paidCallId}` },
      caip2Of: () => null,
      publicUrl: 'https://api.example.com',
      clock,
      log,
    });
    this.#parts = parts;
    this.#deps = {
      ...shared,
      runs: new CallRuns({ ...shared, answers }),
      findCallService: (id) => this.#find(id),
      recovery: new RecoverySlots(),
    };
  }

  #find(id: string): CallService | null {
    return this.#parts.services.find(({ operation }) => operation.id === id) ?? null;
  }

  /** What is being advanced. */
  get runs(): CallRuns {
    return this.#deps.runs;
  }

  /** Answers a request that pays for a call. Rejects with an ApiError where HTTP would answer with one. */
  buy({
    operation = '',
    payment,
    input,
    idempotencyKey = '',
    claimToken = '',
    refusal = null,
  }: SentRequest): Promise<PurchaseResult> {
    const { clock } = this.#parts;
    const common = this.#received(operation, input, payment.payer);
    const { requestDigest, client, deadline } = common;
    const signed = {
      payment,
      requestHash: requestDigest(),
      idempotencyKey: idempotencyKey === '' ? null : idempotencyKey,
      claimToken: claimToken === '' ? null : claimToken,
      refusal,
    };
    const early = new EarlyVerification(this.#deps, { signed, client, deadline });
    early.startAlone();
    return buy(this.#deps, { ...common, input, signed }, () => early.result(), clock.date());
  }

  /** Answers a wallet that has signed in instead of paying; null when it has to pay. */
  async signIn(
    { operation = '', input, idempotencyKey = '' }: Omit<SentRequest, 'payment'>,
    address: string,
  ): Promise<PurchaseResult | null> {
    const common = this.#received(operation, input, address);
    const key = idempotencyKey === '' ? null : idempotencyKey;
    const request = { ...common, requestHash: common.requestDigest(), idempotencyKey: key };
    const call = await findBoughtBy(this.#deps, request, { address, onlyOn: null });
    return call && answerBought(this.#deps, request, call);
  }

  /** What every request has. */
  #received(operation: string, input: object, owner: string) {
    const { clock, timings, services } = this.#parts;
    const service = this.#find(operation) ?? services[0];
    const body = Buffer.from(JSON.stringify(input));
    const client = '192.0.2.1';
    return {
      service,
      rail: {
        name: 'x402',
        codes: { unknown: 'settlement_unknown', inProgress: 'payment_in_progress' },
      },
      requestDigest: () => digestOfRequest('POST', service.operation.paths.x402, body),
      requester: { address: client, owner, priority: 'signed' },
      client,
      deadline: new Deadline(clock, timings.signedRequest.answerWithinMs),
      refuseIfUnavailable: () => undefined,
    } as const;
  }

  /** One tick of the job that finishes abandoned calls. */
  recover(): Promise<void> {
    return recoverCalls(this.#deps, this.#parts.clock.date());
  }

  /** One tick of the job that closes refusals. */
  closeRefusals(): Promise<void> {
    return closeRefusals(this.#deps, this.#parts.clock.date());
  }
}
