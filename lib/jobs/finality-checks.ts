import type { CallDeps } from '@/lib/calls/call-deps';
import { checkRefusal } from '@/lib/calls/refusal';
import { finalityRecord } from '@/lib/ledger/finality-record';
import type { Payments } from '@/lib/payments/app-payments';
import type { ConfirmedSettlement, FinalityRecord } from '@/lib/payments/journal';
import type { AvailableOffer } from '@/lib/payments/network-registry';
import type { WithDatabase } from '@/lib/platform/database/database';
import { hourMs } from '@/lib/platform/durations';
import { describeError } from '@/lib/platform/log';
import type { Platform } from '@/lib/platform/platform';

interface FinalityDeps extends WithDatabase, Pick<Platform, 'timings' | 'log' | 'problems'> {
  readonly payments: Payments;
}

/** Each check should tell of every settlement whether it is in the chain. If checks fail for this long, a node has lost data. */
const unclearForLongMs = hourMs;

/** What checking settlements needs. */
interface FinalityCheck extends Pick<Platform, 'problems' | 'log'> {
  readonly record: FinalityRecord;
  readonly offers: readonly CheckedOffer[];
}

/** A network, and who can tell which of its settlements are in the chain. */
interface CheckedOffer extends Pick<AvailableOffer, 'network'> {
  readonly settler: Pick<AvailableOffer['settler'], 'checkFinality'>;
}

/** The job that checks the settlements of every network that are not final. */
export function checkSettlements(app: FinalityDeps, now: Date): Promise<void> {
  const { problems, log, payments } = app;
  return checkFinality({ problems, log, record: finalityRecord(app), offers: payments.networks.all() }, now);
}

/**
 * Checks the settlements of networks that are not final. When a reorganization removed one, its calls become `unknown`, and
 * are settled again while their authorization is valid.
 */
export async function checkFinality(check: FinalityCheck, now: Date): Promise<void> {
  const { record, offers } = check;
  const settled = await record.notFinal(offers.map(({ network }) => network.name));
  await Promise.all(
    offers.map((offer) => checkNetwork(check, offer, settled.get(offer.network.name) ?? [], now)),
  );
}

async function checkNetwork(
  { record, problems, log }: FinalityCheck,
  { network, settler }: CheckedOffer,
  transactions: readonly ConfirmedSettlement[],
  now: Date,
): Promise<void> {
  const problem = problems.get(`finality on ${network.name}`);
  if (transactions.length === 0) return problem.end({ network: network.name });
  const statuses = await settler.checkFinality(transactions);
  const final: string[] = [];
  const unclear: string[] = [];
  for (const settlement of transactions) {
    const { hash, block, confirmedAt } = settlement;
    const status = statuses.get(hash);
    // A failed transaction cost its fee, which is final, unless calls were paid by it in a fork that is gone.
    const hasFailed = status?.kind === 'failed';
    const hasVanished =
      status?.kind === 'vanished' || (hasFailed && (await record.hasPaidCalls(network.name, hash)));
    if (status?.kind === 'final' || (hasFailed && !hasVanished)) final.push(hash);
    if (!status && now.getTime() - confirmedAt.getTime() > unclearForLongMs) unclear.push(hash);
    const isIncluded = status?.kind === 'included' || status?.kind === 'final';
    if (isIncluded && status.block.number !== block?.number)
      await record.recordBlock(network.name, settlement, status.block);
    if (hasVanished) {
      const calls = await record.recordVanished(network.name, settlement, now);
      log.error({ network: network.name, transaction: hash, calls }, 'a reorganization removed a settlement');
    }
  }
  if (final.length > 0) await record.recordFinal(network.name, final, now);
  const [transaction] = unclear;
  if (transaction === undefined) return problem.end({ network: network.name });
  const about = { network: network.name, settlements: unclear.length, transaction };
  problem.report('warn', about, 'settlements older than an hour cannot be checked');
}

type RefusalDeps = Pick<CallDeps, 'calls' | 'payments' | 'clock' | 'log'>;

const callsPerRound = 50;

/**
 * Checks refused calls again once their authorization has expired, because until then anyone could have submitted it. A call
 * whose authorization was used is paid, and is delivered. For the others the stored input is erased.
 */
export async function closeRefusals(deps: RefusalDeps, now: Date): Promise<void> {
  for (const call of await deps.calls.refusalsToClose(now, callsPerRound)) {
    await checkRefusal(deps, call).catch((error: unknown) => {
      deps.log.error({ paidCallId: call.id, error: describeError(error) }, 'a refusal could not be closed');
    });
  }
}
