import { checkRefusal } from '@/lib/http/refusal';
import { refusalsToClose } from '@/lib/ledger/paid-call';
import type { OperatorApp } from '@/lib/operator/app';
import { describeError } from '@/lib/platform/log';

const callsPerRound = 50;

/**
 * Looks once more at calls that were refused, when their authorization has run out: anybody could have submitted it until
 * then. One that was used after all was paid, and is delivered; of the others, what was kept is erased.
 */
export async function closeRefusals(app: OperatorApp, now: Date): Promise<void> {
  for (const call of await refusalsToClose(app, now, callsPerRound)) {
    await checkRefusal(app, call).catch((error: unknown) => {
      app.log.error({ paidCallId: call.id, error: describeError(error) }, 'a refusal could not be closed');
    });
  }
}
