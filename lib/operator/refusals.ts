import { checkRefusal } from '@/lib/http/refusal';
import { refusalsToClose } from '@/lib/ledger/paid-call';
import { describeError, log } from '@/lib/platform/log';

const callsPerRound = 50;

/**
 * Looks once more at calls that were refused, when their authorization has run out: anybody could have submitted it until
 * then. One that was used after all was paid, and is delivered; of the others, what was kept is erased.
 */
export async function closeRefusals(now: Date): Promise<void> {
  for (const call of await refusalsToClose(now, callsPerRound)) {
    await checkRefusal(call).catch((error: unknown) => {
      log().error({ paidCallId: call.id, error: describeError(error) }, 'a refusal could not be closed');
    });
  }
}
