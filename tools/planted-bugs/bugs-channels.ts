import type { PlantedBug } from './bugs';

const book = 'lib/ledger/channel-book.ts';
const settler = 'lib/payments/channels/channel-settler.ts';
const histories = ['tests/simulation/channel-histories.spec.ts'];

/** Mistakes with payment channels. */
export const channelBugs: readonly PlantedBug[] = [
  {
    bug: 'a voucher counts as refused when the answer to its charge is lost',
    changes: [
      {
        file: settler,
        find: "this.#book.charge(charge).catch(() => 'unknown' as const)",
        replace: "this.#book.charge(charge).catch(() => 'refused' as const)",
      },
    ],
    foundBy: ['tests/simulation/channel-settler.spec.ts'],
  },
  {
    bug: 'a claim is booked before its block is final',
    changes: [
      {
        file: 'lib/payments/channels/channel-collector.ts',
        find: "getBlock({ blockTag: 'finalized' })",
        replace: "getBlock({ blockTag: 'latest' })",
      },
    ],
    foundBy: histories,
  },
  {
    bug: 'a claim that a reorganization puts into an earlier block than the first reading of its channel is not booked',
    changes: [
      {
        file: 'lib/ledger/channel-collection.ts',
        find: 'claimed_total > (SELECT opened_atomic FROM',
        replace: 'block_number > (SELECT opened_at_block FROM',
      },
    ],
    foundBy: ['tests/repo/channel-readings.spec.ts'],
  },
  {
    bug: 'the events of the contract are read only after the block in which the first channel was read',
    changes: [
      {
        file: 'lib/payments/channels/channel.ts',
        find: 'blockNumber > reorganizedMax ? blockNumber - reorganizedMax : 0n',
        replace: 'blockNumber',
      },
    ],
    foundBy: ['tests/repo/channel-readings.spec.ts'],
  },
  {
    bug: 'a stranger who has read the voucher of a claim gets what it paid for',
    changes: [
      {
        file: 'lib/calls/answer-retry.ts',
        find: 'recognizeReplay(earlier, purchase.signed, await isPrivate)',
        replace:
          'recognizeReplay(earlier, purchase.signed, (await isPrivate) || payment.channelId !== undefined)',
      },
    ],
    foundBy: histories,
  },
  {
    bug: 'a voucher pays that raises the total by less than the price',
    changes: [
      { file: book, find: '(charged_atomic + amount_atomic = total', replace: '(charged_atomic < total' },
    ],
    foundBy: ['tests/repo/channel-book.spec.ts'],
  },
  {
    bug: 'what a payer is withdrawing can be spent',
    changes: [
      {
        file: book,
        find: 'total <= balance_atomic - withdrawing_atomic',
        replace: 'total <= balance_atomic',
      },
      {
        file: settler,
        find: 'depositAtomic - withdrawingAtomic - refunding',
        replace: 'depositAtomic - refunding',
      },
    ],
    foundBy: ['tests/repo/channel-book.spec.ts'],
  },
  {
    bug: 'what is promised as a refund can be spent',
    changes: [
      {
        file: book,
        find: '         - CASE WHEN refund_number >= refund_nonce THEN refund_atomic ELSE 0 END\n',
        replace: '',
      },
      { file: settler, find: 'withdrawingAtomic - refundingAtomic(channel)', replace: 'withdrawingAtomic' },
    ],
    foundBy: ['tests/repo/channel-refunds.spec.ts'],
  },
  {
    bug: 'a voucher that was published with a claim proves who asks',
    changes: [
      {
        file: book,
        find: '  return !(await isPublished(app, channelId, BigInt(signed.maxClaimable)));',
        replace: '  return true;',
      },
    ],
    foundBy: ['tests/repo/channel-readings.spec.ts'],
  },
  {
    bug: 'a wallet gets as many refunds a day as it asks for',
    changes: [
      {
        file: 'lib/payments/channels/channel-refund-rules.ts',
        find: '  if (lastRequestedAt && isRecent(lastRequestedAt)) return',
        replace: '  if (lastRequestedAt && lastRequestedAt > now) return',
      },
    ],
    foundBy: ['tests/repo/channel-refunds.spec.ts'],
  },
  {
    bug: 'a stranger who has read a claim closes a channel that its payer uses',
    changes: [
      {
        file: 'lib/payments/channels/channel-refund-rules.ts',
        find: '  if (isPublic && unusedFrom > now) return',
        replace: '  if (isPublic && now > now) return',
      },
    ],
    foundBy: ['tests/repo/channel-refunds.spec.ts'],
  },
  {
    bug: 'what is claimed before the events of the contract are first read is skipped',
    changes: [
      {
        file: book,
        find: 'WHERE NOT EXISTS (SELECT FROM channel_watch',
        replace: 'WHERE false AND NOT EXISTS (SELECT FROM channel_watch',
      },
    ],
    foundBy: ['tests/repo/channel-readings.spec.ts'],
  },
  {
    bug: 'the same block of a node that stands still makes what is known of a channel younger',
    changes: [
      {
        file: book,
        find: 'CASE WHEN EXCLUDED.read_at_block > channel.read_at_block THEN EXCLUDED.read_at ELSE channel.read_at END',
        replace: 'EXCLUDED.read_at',
      },
    ],
    foundBy: ['tests/repo/channel-readings.spec.ts'],
  },
  {
    bug: 'a claim that is in the first figures of its channel is booked again',
    changes: [
      {
        file: 'lib/ledger/channel-collection.ts',
        find: "WHERE (name <> 'Claimed' OR claimed_total >",
        replace: 'WHERE (true OR claimed_total >',
      },
    ],
    foundBy: ['tests/repo/channel-readings.spec.ts'],
  },
  {
    bug: 'a call is refused although its voucher stays charged',
    changes: [
      {
        file: 'lib/ledger/channel-calls.ts',
        find: ' AND paid_call.reorganizations > 0\n',
        replace: ' AND false\n',
      },
    ],
    foundBy: ['tests/repo/channel-readings.spec.ts'],
  },
  {
    bug: 'what is known of a channel outlives the block that it was read from',
    changes: [
      {
        file: 'lib/ledger/channel-calls.ts',
        find: 'JOIN transaction ON settlement_id = transaction.id)',
        replace: 'JOIN transaction ON false)',
      },
    ],
    foundBy: ['tests/repo/channel-readings.spec.ts'],
  },
];
