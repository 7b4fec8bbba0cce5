import { recordRefusalFinal } from '@/lib/ledger/finality';
import { recordOutcome } from '@/lib/ledger/moves';
import { refusalsToClose } from '@/lib/ledger/paid-call';
import { log } from '@/lib/log';
import { payments } from '@/lib/runtime/payments';

const callsPerRound = 50;

/**
 * Looks once more at calls that were refused, when their authorization has run out: anybody could have submitted it until
 * then. One that was used after all was paid, and is delivered; of the others, what was kept is erased.
 */
export async function closeRefusals(now: Date): Promise<void> {
  for (const call of await refusalsToClose(now, callsPerRound)) {
    const settler = payments().settlerAt(call.payment.network);
    const outcome = await settler?.findOut(call.payment, call);
    if (outcome?.kind === 'settled') {
      log().warn({ paidCallId: call.id }, 'a refused payment was submitted by somebody after all');
      await recordOutcome(call.id, outcome, now);
    }
    if (outcome?.kind === 'refused') await recordRefusalFinal(call.id, now);
  }
}
