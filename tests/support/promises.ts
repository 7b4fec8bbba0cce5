/**
 * The tests of `tests/recovery` that are in the default tier: for each promise of docs/reliability.md, and for each kind of failure
 * that could break it, one with the real server, the real database and real kills. All others are in the full tier. What they show
 * in more cases, `tests/simulation`, `tests/unit` and `tests/repo` show without processes. Promises 5, 10 and 11 need no failure:
 * they are in `tests/api` (`binding`, `replay`, `receipts`, `links`). Promise 14 is that of the soak.
 */
interface PromiseTests {
  /** Its number in docs/reliability.md. */
  readonly promise: string;
  readonly words: string;
  /** The titles of tests, by the name of their file. */
  readonly tests: Readonly<Record<string, readonly string[]>>;
}

export const promises: readonly PromiseTests[] = [
  {
    promise: '1 and 8',
    words:
      'Each signed payment pays for at most one call, each call is paid once, and so is one that is repeated',
    tests: {
      accounts: ['killed when debited without an effect, the same request buys one upload for one price'],
      facilitator: [
        'on base, if a facilitator settles and loses its answer, the first response still delivers',
      ],
      kill: [
        'killed at "broadcast without an acknowledgement", recovery delivers within 30 s though the client never returns',
        'killed at "mined without a receipt", the same request ends with the one upload it paid for',
      ],
      'lost-answers': [
        'a payment whose broadcast is accepted, but its answer is lost is made once and delivered in the first response',
      ],
      'lost-settlements': [
        '20 settlements with lost, late, truncated, duplicated or false responses, on every network and both rails, all end delivered or proven unpaid, and nobody pays twice',
      ],
      mcp: [
        'killed before the x402 payment of a tool call is broadcast, the same call ends with the one upload it paid for',
      ],
      pending: [
        'a server killed while its transaction waits for a block resumes that one and sends no other',
        'a transaction that the node forgets before it is mined is sent again',
      ],
      repeated: [
        'a stranger who copies a payment from the chain during its call gets nothing and disturbs nothing',
      ],
      reorganizations: [
        'a settlement removed by a reorganization is sent again, and the call keeps its response',
      ],
      signers: ['two instances that share one key never send with it at the same time'],
      'solana-smart-wallets': [
        'killed when the payment of a smart wallet is in a block but not recorded, the same request ends with the one upload it paid for',
      ],
      'two-servers': [
        'a hundred identical requests to two servers buy one upload and all get its one response',
      ],
    },
  },
  {
    promise: '2',
    words: 'Nothing is delivered without a settled payment',
    tests: {
      'lying-nodes': [
        'a receipt that one of two nodes makes up delivers nothing',
        'if a node accepts a payment whose payer has no money, settlement fails: 402, nothing delivered',
      ],
      'solana-smart-wallets': [
        'a smart wallet that does nothing in the block is refused and gets nothing, and its fee counts against it',
      ],
    },
  },
  {
    promise: '3',
    words: 'A settled call is delivered once, kept with an error that says so, refunded, or on the worklist',
    tests: {
      channels: [
        'before a provider is asked, the charge is on disk; for work of our own it is with the answer',
      ],
      kill: [
        'killed at "done without a stored answer", the same request ends with the one upload it paid for',
      ],
      'late-delivery': [
        'a call whose next check is minutes away is delivered as soon as its transaction is in a block',
      ],
      mcp: ['a client that cancels a paid call and leaves gets the result later, and paid once'],
      'provider-outages': [
        'a paid call that could not be sent is delivered when the provider is back, and bought there once',
      ],
      refunds: [
        'only the exact transfer from the treasury to the payer after the payment is taken for a refund, once',
        'a refund into an account is there at once; a call from an account is refunded into that one alone',
      ],
      reservations: [
        'a paid renewal that can never be delivered is on the worklist at once, with the reason',
      ],
    },
  },
  {
    promise: '4 and 6',
    words: 'Debits equal credits, and what was written never changes: the checkers find what is planted',
    tests: {
      history: [
        'the comparison of clients, chains and ledger detects a 402 for what is paid',
        'the comparison of clients, chains and ledger sees a record of money that changed',
      ],
    },
  },
  {
    promise: '7',
    words: 'A 402 or 400 means that nothing was charged',
    tests: {
      expired: [
        'a payment that expires while it waits for broadcast is refused and never charged',
        'a payment that a stranger submits in time, and that expires before our broadcast, is delivered and gets no 402',
      ],
      'gas-budget': [
        'over its hourly budget a payer gets Retry-After before anything is sent, also from another process and after a restart',
      ],
      'lost-answers': [
        'a missing receipt gets 503 and never 402, and the same request gets its upload later',
        'if the chain cannot be asked to verify a payment, the call gets 503, and nothing is stored or charged',
      ],
    },
  },
  {
    promise: '9',
    words: 'A repeated request gets the same answer',
    tests: {
      repeated: ['after a kill and a restart, every replay is byte-identical and never charged again'],
    },
  },
  {
    promise: '12',
    words:
      'A minute after all faults end, the only open items are those that wait for a stated time or for the operator',
    tests: {
      cron: ['one request finishes a call that a killed server left'],
      'database-restart': [
        'a database restart during a call and a job loses neither: server and worker reconnect and finish both',
      ],
      kill: [],
      signers: [
        'when the holder of the key is killed, the other instance takes over the key and its open settlements, and nothing is lost',
      ],
      worker: ['a separate worker process finishes the calls of a killed server, which runs no jobs itself'],
    },
  },
  {
    promise: '13',
    words:
      'A signed request is answered in time when RPCs do not respond, and a network on which nobody responds is not offered',
    tests: {
      'hanging-nodes': [
        'if every RPC of base hangs, it is not offered soon, a signed payment gets 503 and is not charged, and both end by themselves',
      ],
    },
  },
];
