import { legalRefundMoves } from '@/lib/ledger/refund-states';
import { legalMoves, legalSettlementMoves } from '@/lib/ledger/states';
import { nodeFaults, synchronousFaults } from './evm/node';
import { countedFaults as solanaNodeFaults } from './solana/node';

/** Everything that can go wrong in a history. */
const faults = [
  'killed at a statement',
  'killed before a request',
  'killed after a request',
  'restarted',
  'clock jumps',
  'statement fails',
  'answer of the database lost',
  'database crashes',
  'reorganization: all returns',
  'reorganization: all comes later',
  'reorganization: some is lost',
  'a replaced transaction returns',
  'chain expensive',
  'chain full',
  'chain passes over',
  'chain forgets',
  'node down',
  'node hanging',
  'node lagging',
  'node stuck',
  'buyer submits',
  'buyer cancels',
  'buyer spends',
  'wallet changes its mind',
  'smart wallet changes its mind',
  'delivery fails',
  'preparation fails',
  'third party says no',
  'third party unreachable',
  'a stranger repeats a payment',
  'a buyer signs in instead of paying again',
  'a key is used for something else',
  'buyer submits a refused payment',
  'buyer frozen',
  'fork',
  'a refund is taken away',
  'a channel is forgotten',
  'an old voucher is signed again',
  'a voucher skips ahead',
  'a voucher is signed by somebody else',
  'a voucher is not covered',
  'a payer withdraws',
  'a payer wants a refund',
  'a payer deposits alone',
  'a stranger sends our claim',
  'a block of channels is removed',
  'Solana node down',
  'Solana node lagging',
  ...solanaNodeFaults.map((fault) => `Solana node: ${fault}` as const),
  ...[...nodeFaults, ...synchronousFaults].map((fault) => `node: ${fault}` as const),
] as const;

/** What happens to payment channels: by the contract's events, by what was charged, and by what their payers were told. */
const channelMoves = [
  ...['ChannelCreated', 'ChannelClosed', 'Deposited', 'Claimed', 'Settled', 'Refunded'],
  ...['WithdrawInitiated', 'WithdrawFinalized'],
  ...['Deposited and removed', 'Claimed and removed', 'Refunded and removed'],
  ...['Deposited by somebody else', 'Claimed by somebody else', 'claimed while its payer withdraws'],
  ...[
    'charged by a voucher',
    'charged with a deposit',
    'charged before its deposit was removed',
    'not charged',
  ],
  ...['a voucher that was not charged buys something else', 'refunded because it was not used'],
  ...['refund made', 'refund open', 'refund refused', 'refund too_soon'],
] as const;

export type Fault = (typeof faults)[number];

/** Legal moves that do not happen here, and why. */
const leftOut = {
  call: {
    'needs_attention > delivered': 'a history is shorter than the time after which a client asks again',
    'needs_attention > kept': 'only an operator does this',
    'needs_attention > unknown': 'as above',
  },
  transaction: {},
} as const;

/** Legal moves that a thousand histories may do without, and what shows them. */
const rare: readonly string[] = [
  // It takes a call that is looked up between two reorganizations; the moves in journal-moves.ts make it happen.
  'transaction: replaced > prepared',
  // It takes a transaction that every node forgets; the moves in refund-moves.ts make it happen.
  'refund: sent > cancelled',
];

type Subject = 'call' | 'transaction' | 'refund' | 'channel' | 'fault';

/** What has happened in histories, and how often. */
export class Coverage {
  readonly #counts: Readonly<Record<Subject, Map<string, number>>> = {
    call: new Map(),
    transaction: new Map(),
    refund: new Map(),
    channel: new Map(),
    fault: new Map(),
  };

  count(subject: Subject, what: string, times = 1): void {
    this.#counts[subject].set(what, (this.#counts[subject].get(what) ?? 0) + times);
  }

  /** The legal moves and faults that never happened, except those that are left out on purpose or rare. */
  missing(of: readonly Subject[] = subjects): string[] {
    const expected = {
      call: movesOf(legalMoves),
      transaction: movesOf(legalSettlementMoves),
      refund: [...movesOf(legalRefundMoves), 'sent > sent, reorganized'],
      channel: channelMoves,
      fault: faults,
    };
    return of.flatMap((subject) =>
      expected[subject]
        .filter((what) => !this.#counts[subject].has(what) && !isLeftOut(subject, what))
        .map((what) => `${subject}: ${what}`)
        .filter((what) => !rare.includes(what)),
    );
  }

  /** What happened although it is left out. */
  unexpected(): string[] {
    return subjects.flatMap((subject) =>
      [...this.#counts[subject].keys()]
        .filter((what) => isLeftOut(subject, what))
        .map((what) => `${subject}: ${what}`),
    );
  }

  /** Prints how often each thing happened, a line for each subject. */
  print(): void {
    for (const subject of subjects) {
      const sorted = [...this.#counts[subject]].sort(([one], [other]) => (one < other ? -1 : 1));
      console.log(`${subject}: ${sorted.map(([what, times]) => `${what} ${times}`).join(', ')}`);
    }
  }
}

const subjects = ['call', 'transaction', 'refund', 'channel', 'fault'] as const;

function movesOf(moves: Readonly<Record<string, readonly string[]>>): string[] {
  return Object.entries(moves).flatMap(([from, next]) => next.map((to) => `${from} > ${to}`));
}

function isLeftOut(subject: Subject, what: string): boolean {
  return subject in leftOut && what in leftOut[subject as keyof typeof leftOut];
}
