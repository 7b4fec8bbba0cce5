import type { CallDeps } from '@/lib/calls/call-deps';
import { checkRefusal } from '@/lib/calls/refusal';
import type { ConfirmedSettlement, FinalityRecord } from '@/lib/payments/journal';
import type { NetworkName } from '@/lib/payments/network-offers';
import type { AvailableOffer } from '@/lib/payments/network-registry';
import type { FinalityStatus } from '@/lib/payments/outcome';
import { hourMs } from '@/lib/platform/durations';
import { describeError } from '@/lib/platform/log';
import type { Platform } from '@/lib/platform/platform';

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
  check: FinalityCheck,
  { network, settler }: CheckedOffer,
  transactions: readonly ConfirmedSettlement[],
  now: Date,
): Promise<void> {
  const { record, problems, log } = check;
  const problem = problems.get(`finality on ${network.name}`);
  if (transactions.length === 0) return problem.end({ network: network.name });
  const statuses = await settler.checkFinality(transactions);
  const final: string[] = [];
  const unclear: string[] = [];
  for (const settlement of transactions) {
    const { hash, confirmedAt } = settlement;
    const status = statuses.get(hash);
    if (!status && now.getTime() - confirmedAt.getTime() > unclearForLongMs) unclear.push(hash);
    // One that cannot be recorded must not keep the others from becoming final.
    const isFinal =
      status &&
      (await recordStatus(check, network.name, settlement, status, now).catch((error: unknown) => {
        const about = { network: network.name, transaction: hash, error: describeError(error) };
        log.error(about, 'the status of a settlement could not be recorded');
        return false;
      }));
    if (isFinal) final.push(hash);
  }
  if (final.length > 0) await record.recordFinal(network.name, final, now);
  const [transaction] = unclear;
  if (transaction === undefined) return problem.end({ network: network.name });
  const about = { network: network.name, settlements: unclear.length, transaction };
  problem.report('warn', about, 'settlements older than an hour cannot be checked');
}

/** Records what the chain says of a settlement. @returns whether it is final */
async function recordStatus(
  { record, log }: FinalityCheck,
  network: NetworkName,
  settlement: ConfirmedSettlement,
  status: FinalityStatus,
  now: Date,
): Promise<boolean> {
  const { hash, block } = settlement;
  switch (status.kind) {
    case 'included':
    case 'final':
      if (status.block.number !== block?.number) await record.recordBlock(network, settlement, status.block);
      return status.kind === 'final';
    case 'failed':
      // It cost its fee, which is final, unless calls were paid by it in a fork that is gone.
      if (!(await record.hasPaidCalls(network, hash))) return true;
  }
  const calls = await record.recordVanished(network, settlement, now);
  log.error({ network, transaction: hash, calls }, 'a reorganization removed a settlement');
  return false;
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
