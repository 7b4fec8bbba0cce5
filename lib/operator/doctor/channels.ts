import {
  unbookedByNetwork,
  unclaimedByNetwork,
  unclaimedOfOthers,
  unsweptByNetwork,
} from '@/lib/ledger/channel-list';
import { sweepFromAtomic } from '@/lib/payments/channels/channel';
import { type ChannelTerms, configuredChannels } from '@/lib/payments/channels/channel-terms';
import { toPrice } from '@/lib/payments/money';
import type { NetworkProblem } from '@/lib/payments/settlers';
import { inTime } from '@/lib/platform/concurrency/in-time';
import type { WithDatabase } from '@/lib/platform/database/database';
import { describeError } from '@/lib/platform/log';
import type { Platform } from '@/lib/platform/platform';
import { type Finding, failed, ok, warning } from './finding';

interface ChannelsDeps extends WithDatabase, Pick<Platform, 'settings' | 'clock'> {}

const about = 'BATCH_SETTLEMENT';

const answerMs = 10_000;

/**
 * Whether payment channels can be offered, and whether money in them is not collected.
 * @param check throws when no RPC answers; null while channels are off
 */
export async function examineChannels(
  app: ChannelsDeps,
  check: (() => Promise<readonly NetworkProblem[]>) | null,
): Promise<Finding[]> {
  return [...(check ? await checkContract(app, check) : []), ...(await checkMoneyInChannels(app))];
}

async function checkContract(
  { clock, settings }: Pick<Platform, 'settings' | 'clock'>,
  check: () => Promise<readonly NetworkProblem[]>,
): Promise<Finding[]> {
  const network = settings.BATCH_SETTLEMENT ?? '';
  const rpc = `Check that the RPCs in ${network.toUpperCase()}_RPC_URL respond to this machine.`;
  try {
    const problems = await inTime(clock, check(), answerMs, null);
    if (problems === null)
      return [failed(about, `the check took more than ${answerMs / 1_000} seconds`, rpc)];
    if (problems.length > 0) return problems.map(({ message, advice }) => failed(about, message, advice));
    return [ok(about, `the contract of payment channels on ${network} is the one that we know`)];
  } catch (error) {
    return [failed(about, describeError(error).message, rpc)];
  }
}

/** Money in payment channels that the current settings do not collect. A database that does not respond is reported elsewhere. */
async function checkMoneyInChannels(
  app: Pick<ChannelsDeps, 'settings' | keyof WithDatabase>,
): Promise<Finding[]> {
  const terms = configuredChannels(app.settings);
  try {
    const ofOthers = terms
      ? await unclaimedOfOthers(app, terms.offer.network.name, terms.receiverAuthorizer)
      : new Map<string, bigint>();
    return [
      ...(await leftBehind(app, terms, ofOthers)),
      ...(terms ? ofOtherAuthorizers(terms, ofOthers) : []),
    ];
  } catch {
    return [];
  }
}

/**
 * Money that nobody claims or books without the settings of its network. While channels are open, there is always some, so it
 * is not reported; while they are closing, it shows how long the settings are needed.
 */
async function leftBehind(
  app: WithDatabase,
  terms: ChannelTerms | null,
  ofOthers: ReadonlyMap<string, bigint>,
): Promise<Finding[]> {
  const left = (network: string, message: string, hint = ''): Finding[] => {
    if (terms?.offer.network.name !== network) {
      // A test network is set by the name of its main network.
      const [name] = network.split('-');
      const settings = `BATCH_SETTLEMENT=${name}, BATCH_AUTHORIZER_KEY as it was, and BATCH_CLOSING=true`;
      return [failed(about, message, `Set ${settings}, until doctor no longer says so.${hint}`)];
    }
    const advice = `Leave BATCH_SETTLEMENT and BATCH_AUTHORIZER_KEY set until doctor no longer says so.${hint}`;
    return terms.isClosing ? [warning(about, message, advice)] : [];
  };
  const [unclaimed, unbooked, unswept] = await Promise.all([
    unclaimedByNetwork(app),
    unbookedByNetwork(app),
    unsweptByNetwork(app),
  ]);
  // Amounts that only other keys can claim are reported separately.
  const others = (network: string) => (terms?.offer.network.name === network ? [...ofOthers.values()] : []);
  const ours = [...unclaimed].map(([network, atomic]): [string, bigint] => [
    network,
    others(network).reduce((sum, other) => sum - other, atomic),
  ]);
  return [
    ...ours
      .filter(([, atomic]) => atomic > 0n)
      .flatMap(([network, atomic]) =>
        left(
          network,
          `${toPrice(atomic)} USDC was spent through payment channels on ${network} and is not claimed`,
        ),
      ),
    ...[...unbooked].flatMap(([network, atomic]) =>
      left(
        network,
        `${toPrice(atomic)} USDC was claimed from payment channels on ${network} and is not booked`,
      ),
    ),
    ...[...unswept]
      .filter(([, atomic]) => atomic >= sweepFromAtomic)
      .flatMap(([network, atomic]) =>
        left(
          network,
          `${toPrice(atomic)} USDC was claimed from payment channels on ${network} and is not paid out`,
          ' A former PAY_TO_EVM is paid when anybody calls settle of the contract for it.',
        ),
      ),
  ];
}

function ofOtherAuthorizers({ offer }: ChannelTerms, unclaimed: ReadonlyMap<string, bigint>): Finding[] {
  const { name } = offer.network;
  return [...unclaimed].map(([authorizer, atomic]) =>
    warning(
      'BATCH_AUTHORIZER_KEY',
      `${toPrice(atomic)} USDC is unclaimed in payment channels on ${name} that were opened with authorizer ${authorizer}, ` +
        'and only its key or the payee can claim it',
      'Set BATCH_AUTHORIZER_KEY to its key, and BATCH_CLOSING=true, until doctor no longer says that something "is not claimed". Then set the present key again.',
    ),
  );
}
