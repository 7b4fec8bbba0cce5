import { isApiError } from '@/lib/catalog/errors/api-error';
import { type ErrorCode, errors } from '@/lib/catalog/errors/codes';
import { onlyNetworkOf } from '@/lib/payments/payment';
import { describeError } from '@/lib/platform/log';
import type { Preparation } from '@/lib/services/service';
import type { CallDeps } from './call-deps';
import type { CallService } from './call-service';
import type { PaidCall } from './paid-call';

/** Preparation: what can fail before anything is charged. */

/** The call was refused: its preparation failed, or its payment was not valid. Nothing was charged. */
export type Refused =
  | {
      readonly kind: 'refused';
      readonly reason: string;
      /** Whether the payment can never be used again. */
      readonly isFinal?: boolean;
    }
  | {
      readonly kind: 'unprepared';
      readonly code: ErrorCode;
      /** One of the operation's `refusals`. */
      readonly reason?: string;
      readonly retryAfterSeconds?: number;
    };

type Prepared =
  | Refused
  | { readonly kind: 'prepared'; readonly call: PaidCall }
  /** Another instance has the call now. */
  | { readonly kind: 'unknown' };

/** Runs the service's preparation and stores its result with the call, which may then be charged. */
export async function prepare(
  deps: CallDeps,
  call: PaidCall,
  service: CallService,
  budget: Pick<Preparation, 'isNewcomer' | 'countWork'>,
): Promise<Prepared> {
  let prepared: unknown = null;
  try {
    prepared = await service.prepare(call.input, {
      ...budget,
      payer: call.payment.payer,
      onlyOn: onlyNetworkOf(call.payment),
      paidCallId: call.id,
      now: deps.clock.date(),
    });
  } catch (error) {
    return unprepared(deps, call, service, error);
  }
  if (await deps.calls.recordPrepared(call, prepared, deps.clock.date())) {
    return { kind: 'prepared', call: { ...call, state: 'settling', prepared } };
  }
  await discard(deps, prepared, service);
  return movedByAnother(deps, call);
}

/**
 * This instance was presumed dead in the meantime: another one refused the call, or charged it after a retry. Only a
 * final refusal is certain not to have been charged.
 */
async function movedByAnother(deps: CallDeps, call: PaidCall): Promise<Refused | { kind: 'unknown' }> {
  const current = await deps.calls.find(call.id);
  const isRefused = current?.state === 'refused' && current.isRefusalFinal;
  return isRefused ? refusedResult(current) : { kind: 'unknown' };
}

async function unprepared(
  deps: CallDeps,
  call: PaidCall,
  { operation }: CallService,
  error: unknown,
): Promise<Refused | { kind: 'unknown' }> {
  const isOurs = isApiError(error) && error.payment === 'none';
  const code = isOurs ? error.code : 'service_unavailable';
  const cause = isOurs ? error.cause : error;
  deps.problems.reportRequest('warn', { paidCallId: call.id, code, cause }, 'a call could not be prepared');
  const { refusals = {} } = operation;
  const isDeclared = isOurs && error.reason !== undefined && Object.hasOwn(refusals, error.reason);
  const refusal = { code, ...(isDeclared ? { reason: error.reason } : {}) };
  const isRefused = await deps.calls.recordUnprepared(call, textOf(refusal), deps.clock.date());
  return isRefused ? { kind: 'unprepared', ...refusal } : movedByAnother(deps, call);
}

/** Discards what was prepared. Best effort: what is left expires. */
export async function discard(deps: CallDeps, prepared: unknown, service: CallService): Promise<void> {
  if (prepared === null) return;
  await service.discard(prepared).catch((error: unknown) => {
    deps.log.warn({ error: describeError(error) }, 'a preparation could not be discarded');
  });
}

/** A refusal reason that begins with one of our error codes comes from the preparation. All others come from the payment. */
export function refusedResult({ refusalReason, isRefusalFinal }: PaidCall): Refused {
  const unprepared = unpreparedIn(refusalReason);
  if (unprepared) return { kind: 'unprepared', ...unprepared };
  return { kind: 'refused', reason: refusalReason ?? 'payment_refused', isFinal: isRefusalFinal };
}

/** Whether a retry may restart the call: nothing was charged, and another attempt may succeed. */
export function canRestart({ state, refusalReason }: PaidCall): boolean {
  const unprepared = state === 'refused' ? unpreparedIn(refusalReason) : null;
  return unprepared !== null && errors[unprepared.code].retry !== 'fix_input';
}

/** Why a preparation failed: a code, and one of the operation's `refusals` where there was one. */
type Unprepared = Pick<Extract<Refused, { kind: 'unprepared' }>, 'code' | 'reason'>;

/** As it is stored: `invalid_input`, or `invalid_input:no_words`. */
function textOf({ code, reason }: Unprepared): string {
  return reason === undefined ? code : `${code}:${reason}`;
}

function unpreparedIn(stored: string | null): Unprepared | null {
  const [, code = '', reason] = /^([^:]*)(?::(.*))?$/s.exec(stored ?? '') ?? [];
  if (!isErrorCode(code)) return null;
  return { code, ...(reason === undefined ? {} : { reason }) };
}

function isErrorCode(reason: string): reason is ErrorCode {
  return Object.hasOwn(errors, reason);
}
