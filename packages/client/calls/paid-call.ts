import { setTimeout as sleep } from 'node:timers/promises';
import type { Adapter } from '../adapter/adapter';
import type { ApiRefusal, ApiResult } from '../api';
import { ToolError } from '../tool-error';
import type { Call } from './call';
import { beginCall, endCall, type OpenedCall } from './open-calls';
import type { Payer } from './payer';

/** Assistants time out after 60 seconds by default. */
const totalMs = 45_000;
const attemptMs = 25_000;
const pauseMs = { first: 250, longest: 5_000 };

/** The response to a paid call. */
export interface PaidResponse {
  readonly body: unknown;
  readonly headers: Pick<Headers, 'get'>;
  /** When the original call was made, if this is the response to a retry; undefined for a new call. */
  readonly resumedFrom: string | undefined;
  /**
   * Deletes the key. Call it only once the response has been sent to the assistant: after a crash before that, the key is still
   * there.
   */
  forget(): Promise<void>;
}

/**
 * Makes a call that is paid for only once: the key is on disk before anything is sent, and a lost response is requested again
 * with the same key.
 * @throws ToolError that says whether the call was charged
 */
export async function makePaidCall(
  adapter: Adapter,
  payer: Payer,
  call: Call,
  signal: AbortSignal,
): Promise<PaidResponse> {
  const opened = await beginCall(adapter, payer, call);
  const forget = (outcome: 'charged' | 'not_charged') => endCall(adapter, opened, outcome);
  const { result, mayBeCharged } = await retryUntilKnown(payer, call, opened, signal);
  switch (result.kind) {
    case 'ok':
      return {
        body: result.body,
        headers: result.headers,
        resumedFrom: opened.resumedFrom,
        forget: () => forget('charged'),
      };
    case 'refused': {
      const outcome = outcomeOf(result.error, call, mayBeCharged);
      if (outcome !== 'unknown') await forget(outcome);
      throw new ToolError(describeRefusal(result.error, outcome));
    }
    case 'lost':
      if (!mayBeCharged) await forget('not_charged');
      throw lostError(adapter, mayBeCharged, result.cause);
  }
}

interface Known {
  readonly result: ApiResult;
  /** Whether a request with an unknown outcome may have been charged. */
  readonly mayBeCharged: boolean;
}

async function retryUntilKnown(
  payer: Payer,
  call: Call,
  opened: OpenedCall,
  signal: AbortSignal,
): Promise<Known> {
  const endMs = Date.now() + totalMs;
  let mayBeCharged = opened.resumedFrom !== undefined;
  for (let pause = pauseMs.first; ; pause = Math.min(pause * 2, pauseMs.longest)) {
    const leftMs = Math.max(1_000, Math.min(attemptMs, endMs - Date.now()));
    const result = await payer.send(call, opened, leftMs);
    if (result.kind === 'lost') mayBeCharged ||= result.wasSent;
    if (result.kind === 'refused') mayBeCharged ||= result.error.payment !== 'none';
    const waitMs = result.kind === 'refused' ? Math.max(pause, result.retryAfterMs ?? 0) : pause;
    const isRetryable =
      result.kind === 'lost' || (result.kind === 'refused' && result.error.retry === 'same_request');
    if (!isRetryable || Date.now() + waitMs >= endMs || signal.aborted) return { result, mayBeCharged };
    await sleep(waitMs, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return { result, mayBeCharged };
  }
}

/** What an error says about the key: charged, not charged, or neither. */
function outcomeOf(
  error: ApiRefusal,
  call: Call,
  mayBeCharged: boolean,
): 'charged' | 'not_charged' | 'unknown' {
  if (error.payment === 'kept') return error.retry === 'same_request' ? 'unknown' : 'charged';
  // The key is used up: the call is over, and the money was returned.
  if (error.payment === 'refunded') return 'charged';
  if (error.payment !== 'none') return 'unknown';
  // `none` is about this request. Errors raised before the key is looked up say nothing about an earlier request, and a service
  // that is busy may still be working on that one.
  const isAboutCall = call.refusals.includes(error.code) && error.retry !== 'later';
  const isFinal = isAboutCall || error.code === 'insufficient_balance';
  return !mayBeCharged || isFinal ? 'not_charged' : 'unknown';
}

function describeRefusal(error: ApiRefusal, outcome: 'charged' | 'not_charged' | 'unknown'): ApiRefusal {
  if (error.payment !== 'none' || outcome === 'not_charged') return error;
  return {
    ...error,
    message: `${error.message} This is about the last attempt. It is not known yet whether an earlier attempt was charged. Make the same call again; it is not charged twice.`,
    payment: 'unknown',
    retry: error.retry === 'stop' ? 'stop' : 'same_request',
  };
}

function lostError({ settings }: Adapter, mayBeCharged: boolean, cause: unknown): ToolError {
  if (!mayBeCharged) {
    return new ToolError(
      {
        code: 'service_unreachable',
        message: `${settings.apiUrl} cannot be reached. Nothing was charged. Try again later.`,
        payment: 'none',
        retry: 'later',
      },
      { cause },
    );
  }
  return new ToolError(
    {
      code: 'outcome_unknown',
      message: `The call was sent to ${settings.apiUrl}, but no response came back, so it is not known whether it was charged. Make the same call again; it is not charged twice.`,
      payment: 'unknown',
      retry: 'same_request',
    },
    { cause },
  );
}
