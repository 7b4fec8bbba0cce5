import type { ChannelConfig } from '@x402/evm';
import type { Channel, ChannelState } from '@/lib/payments/channels/channel';
import type { ChannelRow } from '@/packages/paywall/memory/channel-memory-rows';
import { type CallProcess, type CallWorld, later, newClaim, newPayment, worldTime } from './call-world';

/**
 * Every situation in which the books of payment channels find a channel, and everything that they can be told about it. Each
 * channel has a network of its own, because some limits are of a network. Its calls are `a` and `b`, each for one price.
 */

const now = worldTime;
const longAgo = new Date(0);
const price = 5_000n;
const total = { a: price, b: 2n * price } as const;
type CallName = keyof typeof total;

const idOf = (name: string) => `channel of ${name}`;
const networkOf = (name: string) => `network of ${name}`;
const callOf = (name: string, call: CallName) => `${name}${call}`;

function configOf(name: string): ChannelConfig {
  const payer = `0xpayer of ${name}` as const;
  return {
    ...{ payer, payerAuthorizer: payer, receiver: '0xus', receiverAuthorizer: '0xour key' },
    ...{ token: '0xtoken', withdrawDelay: 86_400, salt: '0x01' },
  };
}

const identityOf = (name: string): Pick<Channel, 'id' | 'network' | 'config'> => ({
  id: idOf(name),
  network: networkOf(name),
  config: configOf(name),
});

const stateAt = (blockNumber: bigint, changes: Partial<ChannelState> = {}): ChannelState => ({
  ...{ balanceAtomic: 1_000_000n, claimedAtomic: 0n, withdrawingAtomic: 0n, withdrawalBegunAt: 0 },
  refundNonce: 0n,
  blockNumber,
  ...changes,
});

/** Claims a call that the channel's next voucher is to pay for. */
async function claim({ one }: CallWorld, name: string, call: CallName): Promise<void> {
  const callName = callOf(name, call);
  const payment = newPayment(callName, {
    payer: configOf(name).payer,
    authorization: `${idOf(name)}:${total[call]}`,
    amountAtomic: price,
    channelId: idOf(name),
  });
  await one.calls.claim(newClaim(callName, payment), now);
}

const chargeOf = (name: string, call: CallName) => ({
  paidCallId: `pc_${callOf(name, call)}`,
  channelId: idOf(name),
  maxClaimableAtomic: total[call],
  signature: `signature of ${total[call]}`,
  readSince: later(-60),
  isFlushedLater: false,
});

/** A channel with two claimed calls, of which the first is charged. */
async function open(world: CallWorld, name: string): Promise<void> {
  await world.one.channels.record(identityOf(name), stateAt(10n));
  await claim(world, name, 'a');
  await claim(world, name, 'b');
}

async function spend(world: CallWorld, name: string): Promise<void> {
  await open(world, name);
  await world.one.channels.charge(chargeOf(name, 'a'));
}

/** How a channel is brought into a situation. */
export interface ChannelSituation {
  readonly name: string;
  arrange(world: CallWorld, name: string): Promise<void>;
}

const spentAnd = (name: string, changes: Partial<ChannelRow>): ChannelSituation => ({
  name,
  arrange: async (world, channel) => {
    await spend(world, channel);
    await world.changeChannel(idOf(channel), changes);
  },
});

const unused = { usedAt: longAgo, createdAt: longAgo } as const;

export const situations: readonly ChannelSituation[] = [
  { name: 'not known', arrange: async () => undefined },
  { name: 'new', arrange: open },
  { name: 'used once', arrange: spend },
  {
    name: 'used twice',
    arrange: async (world, name) => {
      await spend(world, name);
      await world.one.channels.charge(chargeOf(name, 'b'));
    },
  },
  spentAnd('read long ago', { readAt: longAgo }),
  spentAnd('being emptied', { withdrawingAtomic: 998_000n, withdrawalBegunAt: 1_700_000_000n }),
  spentAnd('claimed further than we know', { claimedAtomic: 7_000n }),
  spentAnd('close to what may be unclaimed', { chargedAtomic: 4_995_001n, balanceAtomic: 9_000_000n }),
  spentAnd('worth a claim', { chargedAtomic: 600_000n }),
  spentAnd('worth a claim, and unused for long', { chargedAtomic: 20_000n, ...unused }),
  spentAnd('claimed a moment ago', { chargedAtomic: 600_000n, claimSentAt: now }),
  spentAnd('without success claimed long ago', {
    ...{ chargedAtomic: 600_000n, claimSentAt: longAgo, claimFailedAt: longAgo },
  }),
  spentAnd('written off', { chargedAtomic: 600_000n, balanceAtomic: 1_000n, writtenOffAtomic: 600_000n }),
  spentAnd('written off in part', {
    ...{ chargedAtomic: 600_000n, balanceAtomic: 1_000n, writtenOffAtomic: 300_000n },
  }),
  spentAnd('unused for long', unused),
  spentAnd('almost empty and unused for long', { ...unused, balanceAtomic: 50_000n }),
  spentAnd('refunded before', {
    refundNumber: 0n,
    refundNonce: 1n,
    refundAtomic: 1n,
    refundAskedAt: longAgo,
  }),
  spentAnd('to be refunded', { refundNumber: 0n, refundAtomic: 990_000n, refundAskedAt: longAgo }),
  spentAnd('being refunded', {
    ...{ refundNumber: 0n, refundAtomic: 200_000n, refundAskedAt: now, refundSentAt: now },
  }),
  {
    name: 'public',
    arrange: async (world, name) => {
      await spend(world, name);
      await world.one.channelRefunds.publish({ channelId: idOf(name), totalAtomic: total.a });
    },
  },
  {
    name: 'that pays for a call in need of attention',
    arrange: async (world, name) => {
      await spend(world, name);
      await world.one.calls.recordNeedsAttention({ id: `pc_${callOf(name, 'a')}` }, 'delivery_failed', now);
    },
  },
  {
    name: 'whose deposit a reorganization has removed',
    arrange: async (world, name) => {
      await spend(world, name);
      await world.fallBack(`pc_${callOf(name, 'a')}`);
      await world.changeChannel(idOf(name), { readAt: longAgo, balanceAtomic: 0n });
    },
  },
];

/** Something that a process tells the books about a channel. */
export interface ChannelMove {
  readonly name: string;
  run(process: CallProcess, name: string): Promise<unknown>;
}

const claimedEvent = (name: string, blockNumber: bigint) => ({
  ...{ blockNumber, transactionHash: `0xclaim of ${name} in ${blockNumber}`, logIndex: 1, name: 'Claimed' },
  ...{ channelId: idOf(name), amountAtomic: 4_000n, claimedAtomic: (blockNumber - 10n) * 1_000n },
});

export const moves: readonly ChannelMove[] = [
  ...(['a', 'b'] as const).map((call) => ({
    name: `charges call ${call}`,
    run: ({ channels }: CallProcess, name: string) => channels.charge(chargeOf(name, call)),
  })),
  {
    name: 'is read in an earlier block',
    run: ({ channels }, name) => channels.record(identityOf(name), stateAt(9n, { balanceAtomic: 1n })),
  },
  {
    name: 'is read in the same block',
    run: ({ channels }, name) =>
      channels.record(identityOf(name), stateAt(10n, { balanceAtomic: 2_000_000n })),
  },
  {
    name: 'is read in a later block, with a claim',
    run: ({ channels }, name) => channels.record(identityOf(name), stateAt(11n, { claimedAtomic: 5_000n })),
  },
  {
    name: 'is read in a later block, empty and refunded',
    run: ({ channels }, name) =>
      channels.record(identityOf(name), stateAt(12n, { balanceAtomic: 10_000n, refundNonce: 1n })),
  },
  {
    name: 'is taken for a claim',
    run: async ({ collection }, name) => [
      ...(await collection.takeClaims([{ channelId: idOf(name), totalAtomic: total.a }])),
    ],
  },
  { name: 'is given back', run: ({ collection }, name) => collection.giveBackClaims([idOf(name)]) },
  { name: 'cannot be claimed', run: ({ collection }, name) => collection.noteUnclaimable(idOf(name)) },
  {
    name: 'was claimed in the chain',
    run: ({ collection }, name) =>
      collection.recordEvents(
        networkOf(name),
        [claimedEvent(name, 10n), claimedEvent(name, 14n), claimedEvent(name, 15n)],
        { finalBlock: 16n, seenBlock: 18n },
      ),
  },
  {
    name: 'was claimed and paid out in the chain',
    run: ({ collection }, name) =>
      collection.recordEvents(
        networkOf(name),
        [
          claimedEvent(name, 14n),
          {
            ...{ blockNumber: 15n, transactionHash: `0xpayout of ${name}`, logIndex: 0, name: 'Settled' },
            ...{ channelId: null, receiver: '0xus', token: '0xtoken', amountAtomic: 4_000n },
          },
        ],
        { finalBlock: 15n, seenBlock: 17n },
      ),
  },
  ...([null, 150_000n] as const).map((atomic) => ({
    name: `is asked for a refund of ${atomic === null ? 'everything' : 'a part'}`,
    run: ({ channelRefunds }: CallProcess, name: string) =>
      channelRefunds.promise({ channelId: idOf(name), totalAtomic: total.a, atomic, isUsable: true }),
  })),
  {
    name: 'is asked for a refund while channels are being closed',
    run: ({ channelRefunds }, name) =>
      channelRefunds.promise({ channelId: idOf(name), totalAtomic: total.b, atomic: null, isUsable: false }),
  },
  { name: 'is taken for a refund', run: ({ channelRefunds }, name) => channelRefunds.takeRefund(idOf(name)) },
];

/** What moves did: what each returned, or its error, and everything that the books have of the channel. */
export async function play(
  world: CallWorld,
  situation: ChannelSituation,
  name: string,
  told: readonly ChannelMove[],
  order: 'in order' | 'in reverse' | 'at once',
): Promise<string> {
  await situation.arrange(world, name);
  const runs = told.map(
    (move, index) => () => resultOf(move.run(index % 2 === 0 ? world.one : world.other, name)),
  );
  const results: string[] = [];
  if (order === 'at once') results.push(...(await Promise.all(runs.map((run) => run()))));
  else {
    for (const run of order === 'in order' ? runs : runs.toReversed()) results.push(await run());
    if (order === 'in reverse') results.reverse();
  }
  return [...results, ...(await describeChannel(world, name))].join('\n').replaceAll(name, 'NAME');
}

async function resultOf(result: Promise<unknown>): Promise<string> {
  try {
    return toText(await result);
  } catch (error) {
    return `failed: ${JSON.stringify(error).match(/23\d{3}/)?.[0] ?? String(error)}`;
  }
}

/** Everything that the books have of a channel, as text. */
async function describeChannel(world: CallWorld, name: string): Promise<string[]> {
  const { channels, collection, channelRefunds, calls } = world.one;
  const [id, network] = [idOf(name), networkOf(name)];
  const isIts = (found: readonly Channel[]) => found.map((channel) => channel.id).includes(id);
  const parties = { receiver: '0xus', receiverAuthorizer: '0xour key', token: '0xtoken' };
  const facts = {
    found: await channels.find(id),
    known: (await collection.known([id])).length,
    payees: await collection.knownPayees(network, [parties]),
    due: isIts(await collection.due(network, { limit: 5, isClosing: false })),
    dueWhenClosing: isIts(await collection.due(network, { limit: 5, isClosing: true })),
    unclaimed: await collection.unclaimed(network),
    watched: await collection.watchedUntil(network),
    idle: isIts(await channelRefunds.idle(network, parties, 5)),
    refunding: isIts(await channelRefunds.refunding(network, 5)),
    awaitsDeposit: await channels.awaitsDeposit(id),
    isPublished: [await channels.isPublished(id, total.a), await channels.isPublished(id, total.b)],
  };
  const paid = await Promise.all(
    (['a', 'b'] as const).map(async (call) => {
      const paidCallId = `pc_${callOf(name, call)}`;
      const found = await calls.find(paidCallId);
      if (!found) return 'no call';
      const { moves: made, postings } = await world.trace(paidCallId);
      const { state, payment, refusalReason, isRefusalFinal } = found;
      const wasCharged = await channels.wasCharged(paidCallId);
      const isPrivate = await calls.isPrivate({
        ...payment,
        signed: { family: 'channel', maxClaimable: String(total[call]) } as never,
      });
      const row = { state, authorization: payment.authorization, refusalReason, isRefusalFinal, wasCharged };
      return [toText({ ...row, isPrivate }), ...made, ...postings].join('\n');
    }),
  );
  const rows = await world.traceChannel(id, network);
  return [
    ...Object.entries(facts).map(([fact, value]) => `${fact}: ${toText(value)}`),
    ...paid,
    ...rows.map(toText),
  ];
}

/** A value as text, with the columns of objects in a fixed order. */
function toText(value: unknown): string {
  return (
    JSON.stringify(value, (_, part: unknown) => {
      if (typeof part === 'bigint') return String(part);
      if (part === null || typeof part !== 'object' || Array.isArray(part)) return part;
      return Object.fromEntries(Object.entries(part).toSorted(([one], [other]) => one.localeCompare(other)));
    }) ?? 'nothing'
  );
}
