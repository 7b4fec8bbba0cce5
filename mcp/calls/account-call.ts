import { setTimeout as sleep } from 'node:timers/promises';
import { useAccount } from '../account/accounts';
import type { Account } from '../account/state';
import type { Adapter } from '../adapter';
import { type ApiAnswer, type ApiRefusal, callApi } from '../api';
import { ToolError } from '../tool-error';
import type { Call } from './call';
import { type BegunCall, beginCall, endCall } from './open-calls';

/** Assistants give up after 60 seconds, unless told otherwise. */
const patienceMs = 45_000;
const attemptMs = 25_000;
const pauseMs = { first: 250, longest: 5_000 };

/** The answer to a call, and what is still to be done about it. */
export interface Bought {
  readonly body: unknown;
  /** When the call was begun whose lost answer this is; undefined when it is the answer to a new call. */
  readonly resumedFrom: string | undefined;
  /** Forgets the key. To be called when the answer has left for the assistant and not before: a crash until then must find it. */
  forget(): Promise<void>;
}

/**
 * Makes a call on the account of this machine and pays for it once: the key is on disk before anything is sent, and a lost
 * answer is asked for again under the same key.
 * @throws ToolError that says whether the call was charged
 */
export async function callOnAccount(adapter: Adapter, call: Call, signal: AbortSignal): Promise<Bought> {
  const account = await useAccount(adapter);
  const begun = await beginCall(adapter, account, call);
  const forget = (outcome: 'charged' | 'not_charged') => endCall(adapter, begun, outcome);
  const { answer, mayBeCharged } = await askUntilKnown(adapter, account, call, begun, signal);
  switch (answer.kind) {
    case 'answered':
      return { body: answer.body, resumedFrom: begun.resumedFrom, forget: () => forget('charged') };
    case 'refused': {
      const outcome = outcomeOf(answer.error, call, mayBeCharged);
      if (outcome !== 'unknown') await forget(outcome);
      throw new ToolError(describeRefusal(answer.error, outcome));
    }
    case 'lost':
      if (!mayBeCharged) await forget('not_charged');
      throw lostError(adapter, mayBeCharged, answer.cause);
  }
}

interface Known {
  readonly answer: ApiAnswer;
  /** Whether a request whose answer is not known may have been charged. */
  readonly mayBeCharged: boolean;
}

async function askUntilKnown(
  { settings }: Adapter,
  { token }: Account,
  { method, path, body }: Call,
  { idempotencyKey, resumedFrom }: BegunCall,
  signal: AbortSignal,
): Promise<Known> {
  const endMs = Date.now() + patienceMs;
  let mayBeCharged = resumedFrom !== undefined;
  for (let pause = pauseMs.first; ; pause = Math.min(pause * 2, pauseMs.longest)) {
    const leftMs = Math.max(1_000, Math.min(attemptMs, endMs - Date.now()));
    const answer = await callApi(settings.apiUrl, { method, path, token, idempotencyKey, body }, leftMs);
    if (answer.kind === 'lost') mayBeCharged ||= answer.wasSent;
    if (answer.kind === 'refused') mayBeCharged ||= answer.error.payment !== 'none';
    const waitMs = answer.kind === 'refused' ? Math.max(pause, answer.retryAfterMs ?? 0) : pause;
    const isWorthRepeating =
      answer.kind === 'lost' || (answer.kind === 'refused' && answer.error.retry === 'same_request');
    if (!isWorthRepeating || Date.now() + waitMs >= endMs || signal.aborted) return { answer, mayBeCharged };
    await sleep(waitMs, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return { answer, mayBeCharged };
  }
}

/** What a refusal says of the key: it bought an answer, it can have bought none, or that is still open. */
function outcomeOf(
  error: ApiRefusal,
  call: Call,
  mayBeCharged: boolean,
): 'charged' | 'not_charged' | 'unknown' {
  if (error.payment === 'kept') return error.retry === 'same_request' ? 'unknown' : 'charged';
  if (error.payment !== 'none') return 'unknown';
  // These words are about this request. Those that come before the look for the key say nothing of an earlier one.
  const isFinal = call.refusals.includes(error.code) || error.code === 'insufficient_balance';
  return !mayBeCharged || isFinal ? 'not_charged' : 'unknown';
}

function describeRefusal(error: ApiRefusal, outcome: 'charged' | 'not_charged' | 'unknown'): ApiRefusal {
  if (error.payment !== 'none' || outcome === 'not_charged') return error;
  return {
    ...error,
    message: `${error.message} That is about this attempt: whether an earlier one was charged is not known yet. Call the tool again with the same arguments; it is not charged twice.`,
    payment: 'unknown',
    retry: error.retry === 'stop' ? 'stop' : 'same_request',
  };
}

function lostError({ settings }: Adapter, mayBeCharged: boolean, cause: unknown): ToolError {
  if (!mayBeCharged) {
    return new ToolError(
      {
        code: 'service_unreachable',
        message: `${settings.apiUrl} cannot be reached. Nothing was charged.`,
        payment: 'none',
        retry: 'later',
      },
      { cause },
    );
  }
  return new ToolError(
    {
      code: 'outcome_unknown',
      message: `The call was sent to ${settings.apiUrl} and no answer came back, so whether it was charged is not known. Call the tool again with the same arguments: it is then answered and not charged a second time.`,
      payment: 'unknown',
      retry: 'same_request',
    },
    { cause },
  );
}
