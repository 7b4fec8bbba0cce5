import type { Hex } from 'viem';
import { channelBook } from '@/lib/ledger/channel-book';
import { collectionBook } from '@/lib/ledger/channel-collection';
import { refundBook } from '@/lib/ledger/channel-refund-book';
import type { Payments } from '@/lib/payments/app-payments';
import { ChannelCollector } from '@/lib/payments/channels/channel-collector';
import { ChannelRefunds } from '@/lib/payments/channels/channel-refunds';
import { ChannelSettler } from '@/lib/payments/channels/channel-settler';
import type { ChannelTerms } from '@/lib/payments/channels/channel-terms';
import { blockedContracts, checkChannels, exposureProblems } from '@/lib/payments/channels/check-channels';
import { ContractCalls } from '@/lib/payments/channels/contract-calls';
import type { VerifiedChannels } from '@/lib/payments/channels/verified-channels';
import { EvmChain } from '@/lib/payments/evm/evm-chain';
import { isEvmOffer } from '@/lib/payments/network-offers';
import type { NetworkRegistry } from '@/lib/payments/network-registry';
import type { Submitter } from '@/lib/payments/settlers';
import { X402Refunds } from '@/lib/payments/x402/x402-refunds';
import { runSerially } from '@/lib/platform/concurrency/run-serially';
import type { WithDatabase } from '@/lib/platform/database/database';
import type { Platform } from '@/lib/platform/platform';

type Opened = NonNullable<Payments['channels']> & { readonly settler: ChannelSettler | null };

/**
 * Channels settle their deposits the way their network does. Nobody can change the contract, so it is checked only
 * until it was right once. Until then nothing is read for the ledger, because figures from another chain's blocks would
 * stay there.
 */
export function openChannels(
  app: Platform & WithDatabase,
  terms: ChannelTerms,
  networks: NetworkRegistry,
  verified: VerifiedChannels,
): Opened {
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
    check: async () => {
      const problems = isRight ? [] : await checkChannels(chain, terms);
      isRight = problems.length === 0;
      const [blocked, unclaimed] = await Promise.all([blockedContracts(chain), book.unclaimed(name)]);
      return [...problems, ...blocked, ...exposureProblems(unclaimed)];
    },
    collect: async () => {
      if (jobs && isRight) await runSerially([() => jobs.refunds.work(), () => jobs.collector.work()]);
    },
    answerRefund: jobs
      ? async (headers, countUnearned) => {
          if (!isRight) throw new Error('the contract of payment channels was not checked yet');
          return jobs.answering.answer(headers, countUnearned);
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
    answering: new X402Refunds(app, terms, { book: channelBook(app), refunds, publicUrl }),
  };
}
