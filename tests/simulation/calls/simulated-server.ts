import { CallRuns } from '@/lib/calls/advance-call';
import { CallAnswers } from '@/lib/calls/answers';
import { buy } from '@/lib/calls/buy';
import type { BuyDeps, CallPayments } from '@/lib/calls/call-deps';
import type { CallService } from '@/lib/calls/call-service';
import type { CallStore } from '@/lib/calls/call-store';
import type { PurchaseResult } from '@/lib/calls/purchase';
import { EarlyVerification } from '@/lib/calls/verification';
import { type RecoveryDeps, RecoverySlots, recoverCalls } from '@/lib/jobs/recovery';
import type { Payment } from '@/lib/payments/payment';
import { digestOfRequest } from '@/lib/payments/receipts/receipt';
import type { Clock } from '@/lib/platform/clock';
import { Deadline } from '@/lib/platform/concurrency/deadline';
import { createLog } from '@/lib/platform/log';
import { Metrics } from '@/lib/platform/metrics/metrics';
import { OngoingProblems } from '@/lib/platform/ongoing-problem';
import type { Timings } from '@/lib/platform/timings';

/** What a simulated server is made of. */
export interface ServerParts {
  readonly calls: CallStore;
  readonly payments: CallPayments;
  readonly service: CallService;
  readonly clock: Clock;
  readonly timings: Timings;
}

/** A signed request, as a client sends it. */
export interface SentRequest {
  readonly payment: Payment;
  readonly input: object;
  readonly idempotencyKey?: string;
}

/** The part of one server that buys, delivers and recovers calls, without HTTP. */
export class SimulatedServer {
  readonly #parts: ServerParts;
  readonly #deps: BuyDeps & RecoveryDeps;

  constructor(parts: ServerParts) {
    const { service, clock } = parts;
    const log = createLog({ LOG_LEVEL: 'silent' });
    const shared = { ...parts, log, problems: new OngoingProblems(log, clock), metrics: new Metrics() };
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
      findCallService: (id) => (id === service.operation.id ? service : null),
      recovery: new RecoverySlots(),
    };
  }

  /** Answers a request that pays for a call. Rejects with an ApiError where HTTP would answer with one. */
  buy({ payment, input, idempotencyKey = '' }: SentRequest): Promise<PurchaseResult> {
    const { clock, timings, service } = this.#parts;
    const body = Buffer.from(JSON.stringify(input));
    const requestDigest = () => digestOfRequest('POST', service.operation.paths.x402, body);
    const signed = {
      payment,
      requestHash: requestDigest(),
      idempotencyKey: idempotencyKey === '' ? null : idempotencyKey,
      claimToken: null,
      refusal: null,
    };
    const deadline = new Deadline(clock, timings.signedRequest.answerWithinMs);
    const client = '192.0.2.1';
    const early = new EarlyVerification(this.#deps, { signed, client, deadline });
    const purchase = {
      service,
      rail: {
        name: 'x402',
        codes: { unknown: 'settlement_unknown', inProgress: 'payment_in_progress' },
      },
      input,
      signed,
      requestDigest,
      requester: { address: client, owner: payment.payer, priority: 'signed' },
      client,
      deadline,
      refuseIfUnavailable: () => undefined,
    } as const;
    early.startAlone();
    return buy(this.#deps, purchase, () => early.result(), clock.date());
  }

  /** One tick of the job that finishes abandoned calls. */
  recover(): Promise<void> {
    return recoverCalls(this.#deps, this.#parts.clock.date());
  }
}
