import { messageOf, reasonOf } from '@/lib/catalog/errors/payment-reasons';
import type { CallTimeline } from '@/lib/operator/calls/timeline';
import { situationOf } from '@/lib/operator/situation';
import { networkLabel } from '@/lib/payments/network-offers';
import { stateWords } from './state-tag';

type Call = CallTimeline['call'];

/** Why a provider's call was charged and has no result, by the code that its caller got. */
const failures: Readonly<Record<string, string>> = {
  provider_error: 'The provider returned an error.',
  provider_timeout: 'The provider did not answer in time.',
  connection_lost: 'The connection to the provider was lost after the request was sent.',
  unusable_response: 'The provider’s response could not be used.',
  kept_by_operator: 'An operator kept a payment that belongs to no call.',
};

/** Why a call is in its state, in a sentence; null where that needs no reason. */
export function reasonWords({ state, moveNote, refusalReason, network, amountAtomic }: Call): string | null {
  switch (state) {
    case 'needs_attention':
      return situationOf({ kind: 'needs_attention', reason: moveNote });
    case 'kept':
      if (moveNote === null) return 'The provider failed after the payment. No reason was recorded.';
      return failures[moveNote] ?? `The provider rejected the request: ${stateWords(moveNote)}.`;
    case 'refused': {
      const code = refusalReason ?? moveNote;
      if (code === null) return null;
      const price = String(Number(amountAtomic) / 1e6);
      return `${stateWords(code)}: ${messageOf(reasonOf(code), { price, network: networkLabel(network) })}`;
    }
    case 'refunded':
      return moveNote === null ? null : (failures[moveNote] ?? `${stateWords(moveNote)}.`);
    default:
      return null;
  }
}

/** What the caller got. */
export function callerGot({ state, answer, answerStatus, moveNote }: Call): string {
  const replayed = answer === 'erased' ? ' The stored response has expired.' : '';
  switch (state) {
    case 'delivered':
      return `The result${answerStatus === null ? '' : `, with status ${answerStatus}`}.${replayed}`;
    case 'kept':
      if (moveNote === 'kept_by_operator') return 'Nothing: the payment bought no call.';
      return `An error${answerStatus === null ? '' : `, with status ${answerStatus}`}: the payment is kept, and no retry is charged.${replayed}`;
    case 'needs_attention':
      return 'Nothing yet. Retries get 503: paid, not delivered, under review.';
    case 'refused':
      return '402: nothing was charged.';
    case 'refunded':
      return 'The money back. Retries get 410: refunded.';
    case 'unknown':
      return 'Nothing yet. Retries get an error that says not to pay again.';
    default:
      return 'Nothing yet.';
  }
}
