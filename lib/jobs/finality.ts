import { checkRefusal } from '@/lib/calls/refusal';
import {
  type ConfirmedSettlement,
  hasPaidCalls,
  recordBlock,
  recordFinal,
  recordVanished,
  refusalsToClose,
  settlementsNotFinal,
} from '@/lib/ledger/finality';
import type { AvailableOffer } from '@/lib/payments/network-registry';
import { describeError } from '@/lib/platform/log';
import type { JobsApp } from './jobs';

/** Each check should tell of every settlement whether it is in the chain. If checks fail for this long, a node has lost data. */
const unclearForLongMs = 3_600_000;

/**
 * Checks the settlements of every network that are not final. When a reorganization removed one, its calls become
 * `unknown`, and are settled again while their authorization is valid.
 */
export async function checkSettlements(app: JobsApp, now: Date): Promise<void> {
  const offers = app.payments.networks.all();
  const settled = await settlementsNotFinal(
    app,
    offers.map(({ network }) => network.name),
  );
  await Promise.all(
    offers.map((offer) => checkNetwork(app, offer, settled.get(offer.network.name) ?? [], now)),
  );
}

async function checkNetwork(
  app: JobsApp,
  { network, settler }: AvailableOffer,
  transactions: readonly ConfirmedSettlement[],
  now: Date,
): Promise<void> {
  const problem = app.problems.get(`finality on ${network.name}`);
  if (transactions.length === 0) return problem.end({ network: network.name });
  const statuses = await settler.checkFinality(transactions);
  const final: string[] = [];
  const unclear: string[] = [];
  for (const { hash, block, confirmedAt } of transactions) {
    const status = statuses.get(hash);
    // A failed transaction cost its fee, which is final, unless calls were paid by it in a fork that is gone.
    const hasFailed = status?.kind === 'failed';
    const hasVanished =
      status?.kind === 'vanished' || (hasFailed && (await hasPaidCalls(app, network.name, hash)));
    if (status?.kind === 'final' || (hasFailed && !hasVanished)) final.push(hash);
    if (!status && now.getTime() - confirmedAt.getTime() > unclearForLongMs) unclear.push(hash);
    const isIncluded = status?.kind === 'included' || status?.kind === 'final';
    if (isIncluded && status.block.number !== block?.number)
      await recordBlock(app, network.name, hash, status.block);
    if (hasVanished) {
      const calls = await recordVanished(app, network.name, hash, now);
      app.log.error(
        { network: network.name, transaction: hash, calls },
        'a settlement was taken away by its chain',
      );
    }
  }
  if (final.length > 0) await recordFinal(app, network.name, final, now);
  const [transaction] = unclear;
  if (transaction === undefined) return problem.end({ network: network.name });
  const about = { network: network.name, settlements: unclear.length, transaction };
  problem.report('warn', about, 'settlements older than an hour cannot be checked');
}

const callsPerRound = 50;

/**
 * Checks refused calls again once their authorization has expired, because until then anyone could have submitted it. A call
 * whose authorization was used is paid, and is delivered. For the others the stored input is erased.
 */
export async function closeRefusals(app: JobsApp, now: Date): Promise<void> {
  for (const call of await refusalsToClose(app, now, callsPerRound)) {
    await checkRefusal(app, call).catch((error: unknown) => {
      app.log.error({ paidCallId: call.id, error: describeError(error) }, 'a refusal could not be closed');
    });
  }
}
