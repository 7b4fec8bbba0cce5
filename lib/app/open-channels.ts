import type { Hex } from 'viem';
import { answerChannelRefund } from '@/lib/http/channel-refund';
import { channelBook } from '@/lib/ledger/channel-book';
import { collectionBook } from '@/lib/ledger/channel-collection';
import { refundBook } from '@/lib/ledger/channel-refund-book';
import { channelChecks } from '@/lib/operator/audit/checks/channels';
import { channels as command } from '@/lib/operator/commands/channels';
import { examineChannels } from '@/lib/operator/doctor/channels';
import { ChannelCollector } from '@/lib/payments/channels/channel-collector';
import { OfferedChannels } from '@/lib/payments/channels/channel-offer';
import { RefundRequests } from '@/lib/payments/channels/channel-refund-requests';
import { ChannelRefunds } from '@/lib/payments/channels/channel-refunds';
import { ChannelScheme } from '@/lib/payments/channels/channel-scheme';
import { ChannelSettler } from '@/lib/payments/channels/channel-settler';
import { type ChannelTerms, configuredChannels } from '@/lib/payments/channels/channel-terms';
import { blockedContracts, checkChannels, exposureProblems } from '@/lib/payments/channels/check-channels';
import { ContractCalls } from '@/lib/payments/channels/contract-calls';
import { VerifiedChannels } from '@/lib/payments/channels/verified-channels';
import { EvmChain } from '@/lib/payments/evm/evm-chain';
import { isEvmOffer } from '@/lib/payments/network-offers';
import type { NetworkRegistry } from '@/lib/payments/network-registry';
import { problemsInTime } from '@/lib/payments/network-watch';
import type { Submitter } from '@/lib/payments/settlers';
import { GroupCommit } from '@/lib/platform/concurrency/group-commit';
import { runSerially } from '@/lib/platform/concurrency/run-serially';
import type { WithDatabase } from '@/lib/platform/database/database';
import type { Platform } from '@/lib/platform/platform';
import type { Feature, OpenedFeature } from './feature';

/** x402's `batch-settlement` (docs/decisions/payment-channels.md). */
export const channels: Feature = { commands: [command], auditChecks: channelChecks, open: openChannels };

/**
 * Channels settle their deposits the way their network does. Nobody can change the contract, so it is checked only
 * until it was right once. Until then nothing is read for the ledger, because figures from another chain's blocks would
 * stay there.
 */
function openChannels(app: Platform & WithDatabase, networks: NetworkRegistry): OpenedFeature {
  const terms = configuredChannels(app.settings);
  const verified = new VerifiedChannels();
  const offered = new OfferedChannels(networks, terms);
  const opened = terms && openFor(app, terms, networks, verified);
  const check = async () => {
    if (!opened) return;
    const problems = (await problemsInTime(app, opened.check)).map(({ message }) => message);
    if (!offered.report(problems)) return;
    if (problems.length > 0) app.log.error({ problems }, 'payment channels are not offered');
    else app.log.info({ network: app.settings.BATCH_SETTLEMENT }, 'payment channels can be offered');
  };
  /** Payments that fail at the same time share a check, which begins after each of them has failed. */
  const checks = new GroupCommit<null, boolean>(
    async (failed) => {
      await check();
      return failed.map(() => offered.terms() === null);
    },
    { sizeMax: 10_000, inFlightMax: 1 },
  );
  return {
    scheme: new ChannelScheme(offered, { book: channelBook(app), verified }),
    takes: ({ channelId }) => channelId !== undefined,
    settler: opened?.settler ?? null,
    isOffered: () => offered.terms() !== null,
    check,
    isWithdrawnAfterFailure: () => checks.add(null),
    // Only the process with the key sends anything.
    tasks: opened
      ? [
          {
            name: 'collect payment channels',
            everyMs: app.timings.channels.collectMs,
            run: opened.collect,
          },
        ]
      : [],
    routes: {
      channel_refund: (deps, request) => answerChannelRefund(deps, opened?.answerRefund ?? null, request),
    },
    auditChecks: channelChecks,
    examine: () => examineChannels(app, opened?.check ?? null),
  };
}

function openFor(
  app: Platform & WithDatabase,
  terms: ChannelTerms,
  networks: NetworkRegistry,
  verified: VerifiedChannels,
) {
  const { name } = terms.offer.network;
  const available = networks.byName(name);
  const offer = available && isEvmOffer(available) ? available : null;
  const chain = new EvmChain(app, { ...terms.offer, blocksUrl: null }, offer?.nodes);
  const book = collectionBook(app);
  const jobs = openJobs(app, terms, chain, offer?.settler.kind === 'evm' ? offer.settler.submitter : null);
  let isRight = false;
  return {
    settler:
      offer &&
      new ChannelSettler(app, terms, { chain, book: channelBook(app), verified, deposits: offer.settler }),
    /** Checks the contract, and that not too much is unclaimed. Throws when no RPC answers. */
    check: async () => {
      const problems = isRight ? [] : await checkChannels(chain, terms);
      isRight = problems.length === 0;
      const [blocked, unclaimed] = await Promise.all([blockedContracts(chain), book.unclaimed(name)]);
      return [...problems, ...blocked, ...exposureProblems(unclaimed)];
    },
    /** Follows the contract, claims what was spent and sends open refunds, in the process that has the key. */
    collect: async () => {
      if (jobs && isRight) await runSerially([() => jobs.refunds.work(), () => jobs.collector.work()]);
    },
    answerRefund: jobs
      ? async (...request: Parameters<RefundRequests['answer']>) => {
          if (!isRight) throw new Error('the contract of payment channels was not checked yet');
          return jobs.answering.answer(...request);
        }
      : null,
  };
}

/** What sends transactions for channels; null when nobody here can sign them. */
function openJobs(
  app: Platform & WithDatabase,
  terms: ChannelTerms,
  chain: EvmChain,
  submitter: Submitter | null,
) {
  const { BATCH_AUTHORIZER_KEY: key, PUBLIC_URL: publicUrl } = app.settings;
  if (!submitter || !key) return null;
  // parseSettings checks that it is 0x and 64 hex characters.
  const calls = new ContractCalls(app, terms, chain, key as Hex);
  const sending = { chain, submitter, calls };
  const refunds = new ChannelRefunds(app, terms, { ...sending, book: refundBook(app) });
  return {
    refunds,
    collector: new ChannelCollector(app, terms, { ...sending, book: collectionBook(app) }),
    answering: new RefundRequests(app, terms, { book: channelBook(app), refunds, publicUrl }),
  };
}
