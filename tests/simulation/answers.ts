import type { PurchaseResult } from '@/lib/calls/purchase';
import { isApiError } from '@/lib/catalog/errors/api-error';

/** What a buyer learns from an answer about its money and its order. */
export interface Answer {
  /**
   * `answered`: what was bought, or that it failed and the payment is kept. `refused`: 402. `uncharged`: another error that says
   * that nothing was charged. `open`: the outcome is not known, or what was paid is still owed.
   */
  readonly kind: 'answered' | 'refused' | 'uncharged' | 'open' | 'refunded';
  /** All of it that a repetition has to repeat. */
  readonly text: string;
  readonly paidCallId: string | null;
}

/** What is answered to a request: as lib/http does, by its result or its error. */
export async function answerOf(buying: Promise<PurchaseResult>): Promise<Answer> {
  try {
    return ofResult(await buying);
  } catch (error) {
    if (!isApiError(error)) throw error;
    const { code, payment, paidCallId = null } = error;
    const kind = payment === 'none' ? 'uncharged' : 'open';
    return { kind, text: `${code}, payment ${payment}`, paidCallId };
  }
}

function ofResult(purchased: PurchaseResult): Answer {
  if (purchased.kind === 'rejected')
    return { kind: 'refused', text: `402 ${purchased.reason}`, paidCallId: null };
  const { call, result } = purchased;
  const paidCallId = call.id;
  switch (result.kind) {
    case 'answered': {
      const { status, body, receipt } = result.answer;
      return { kind: 'answered', text: `${status} ${body} ${receipt}`, paidCallId };
    }
    case 'refused':
      return { kind: 'refused', text: `402 ${result.reason}`, paidCallId };
    case 'unprepared':
      return { kind: 'uncharged', text: result.code, paidCallId };
    case 'refunded':
      return { kind: 'refunded', text: 'refunded', paidCallId };
    default:
      return { kind: 'open', text: result.kind, paidCallId };
  }
}
