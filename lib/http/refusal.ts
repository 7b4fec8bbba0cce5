import type { Input, Operation } from '@/lib/catalog/operation';
import { isApiError } from '@/lib/errors/api-error';
import type { HttpApp } from '@/lib/http/app';
import { recordRefusalFinal } from '@/lib/ledger/finality';
import { recordOutcome, recordReopened } from '@/lib/ledger/moves';
import type { PaidCall } from '@/lib/ledger/paid-call';
import { mayMeanUsed } from '@/lib/payments/payment';
import type { ServicesApp } from '@/lib/services';
import type { Service } from '@/lib/services/service';
import { isAvailable } from '@/lib/upstream/availability';
import { type Refused, refusedResult } from './preparation';
import { checkBudget, type Standing } from './uncharged-work';

/** An authorization that is sent again must outlive a slow block. */
const windowLeftMinMs = 30_000;

/** What the chain says of a refused payment now (docs/decisions/refusals.md). */
export type RefusalStatus =
  /** Somebody has submitted it: the call is settled. */
  | 'paid'
  /** Nobody ever can: the refusal is final, and its idempotency key free. */
  | 'final'
  /** It has not been used, and still can be. */
  | 'unused'
  | 'unknown';

/** Asks the chain what became of a refused payment since, and writes down what it says for good. */
export async function checkRefusal(app: HttpApp, call: PaidCall): Promise<RefusalStatus> {
  const outcome = await app.payments.settlerAt(call.payment.network)?.resolveOutcome(call.payment, call);
  switch (outcome?.kind) {
    case 'settled':
      app.log.warn({ paidCallId: call.id }, 'a refused payment was submitted by somebody after all');
      await recordOutcome(app, call.id, outcome, app.clock.date());
      return 'paid';
    case 'refused':
      await recordRefusalFinal(app, call.id, app.clock.date());
      return 'final';
    default:
      return outcome?.isUnused ? 'unused' : 'unknown';
  }
}

/** A refused call that may be submitted once more: this process holds it, in state `claimed`. */
interface Reopened {
  readonly kind: 'reopened';
  readonly call: PaidCall;
  readonly standing: Standing;
}

/**
 * Takes a refused call up again when its payment, unused so far, would go through now. It is admitted as if it were new,
 * and prepared afterwards: what was reserved or rendered for it went with the refusal.
 * @returns why nothing can be charged, where it cannot; `unknown` when that cannot be said for certain
 */
export async function reopen<Op extends Operation>(
  app: HttpApp,
  call: PaidCall,
  { operation, service }: { operation: Op; service: Service<Op, ServicesApp> },
): Promise<Reopened | Refused | { readonly kind: 'unknown' }> {
  const refused = refusedResult(call);
  const isInTime = call.payment.validBefore.getTime() - app.clock.now() >= windowLeftMinMs;
  const settler = app.payments.openSettlerAt(call.payment.network);
  if (!isInTime || !settler) return refused;
  const verification = await settler.verify(call.payment);
  if (!verification.ok) {
    const { reason, retryAfterSeconds } = verification;
    if (retryAfterSeconds !== undefined)
      return { kind: 'unprepared', code: 'too_many_failed_settlements', retryAfterSeconds };
    // The chain has just said that it was unused: somebody is using it at this moment.
    return mayMeanUsed(reason) === 'certainly' ? { kind: 'unknown' } : { kind: 'refused', reason };
  }
  if (!isAvailable(app, operation)) return { kind: 'unprepared', code: 'provider_unconfigured' };
  const now = app.clock.date();
  const { payer } = call.payment;
  let standing: Standing;
  try {
    standing = await checkBudget(app, service, { payer, address: '', now });
    // The input was parsed by the operation's schemas before it was claimed, and kept as it was.
    await service.admit?.(app, call.input as Input<Op>, {
      payer,
      now,
      isNewcomer: standing.isNewcomer,
      requester: { address: '', payer, standing: 'paying' },
    });
  } catch (error) {
    if (!isApiError(error) || error.payment !== 'none') throw error;
    return { kind: 'unprepared', code: error.code, retryAfterSeconds: error.retryAfterSeconds };
  }
  const isHeld = await recordReopened(app, call, app.instance.id, now);
  if (!isHeld) return { kind: 'unknown' };
  return { kind: 'reopened', call: { ...call, state: 'claimed', prepared: null }, standing };
}
