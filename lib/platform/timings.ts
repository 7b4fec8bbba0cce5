import { channelTimings } from './channel-timings';
import { facilitatorTimings } from './facilitator-timings';
import { tracingTimings } from './tracing-timings';
/**
 * Every pause, interval and back-off of ours, and how long one part waits for another, in milliseconds. Passed in as one
 * record, so that tests can use shorter ones. Not included: times that protocols and chains define, such as the lifetime of a
 * blockhash, the limits of a single call to a database, node or provider, and how long data is stored.
 */
export const productionTimings = {
  /**
   * Heartbeats of an app. An app that is silent for `aliveForMs` is considered dead. With each heartbeat the app asks the
   * database for work.
   */
  instance: { heartbeatMs: 2_000, aliveForMs: 8_000 },
  /**
   * Statements take milliseconds. After this long the connection counts as lost, for example because the host is gone,
   * and whether the statement was executed is unknown.
   */
  database: { answerWithinMs: 20_000 },
  /** Background tasks of each app. */
  upkeep: {
    /**
     * From the start of one check of a network to the start of the next, and how long a check may take. Together less than the
     * 15 seconds after which a network whose RPCs do not answer is not offered.
     */
    checkNetworksMs: 9_000,
    checkNetworkWithinMs: 5_000,
    checkStoreMs: 30_000,
    releaseIdleCallsMs: 2_000,
  },
  /** How often an app asks for work when heartbeats are not frequent enough. */
  polling: {
    /** While calls or settlements are unfinished, and for a while after that. */
    activeMs: 1_000,
    activeForMs: 10_000,
    /** The same, when other apps use the database and may queue charges for this one. */
    activeWithPeersMs: 250,
    idleWithPeersMs: 1_000,
  },
  /** Jobs that run once for all apps. */
  jobs: {
    recoverCallsMs: 1_000,
    reviewSettlementsMs: 5_000,
    closeRefusalsMs: 15_000,
    checkRefundsMs: 5_000,
    /** Deletion of expired uploads, forms and responses. */
    cleanUpMs: 60_000,
    /** From one call of each provider for the operator to the next. */
    probeProvidersMs: 3_600_000,
    /** The audit of the ledger. */
    auditMs: 86_400_000,
    auditFirstAfterMs: 3_600_000,
    /** How long a stopping worker waits for running jobs. */
    stopMs: 10_000,
  },
  /** How long recovery waits before it tries again: doubled each time, up to the limit for the stage. */
  backOff: { firstMs: 3_000, chargeMaxMs: 30_000, deliveryMaxMs: 300_000 },
  /**
   * How long a signed request waits for chains and remote servers in all, so that it has an answer within 20 seconds even
   * if they do not respond. Of this, `settleMs` is left for the settlement.
   */
  signedRequest: { answerWithinMs: 19_000, settleMs: 8_000 },
  /** How long a retry waits for the first request, and a call for an upload that another call holds. */
  waitForOther: {
    firstCallMs: 6_000,
    firstCallPollFirstMs: 50,
    firstCallPollMaxMs: 500,
    reservationMs: 6_000,
    reservationPollFirstMs: 100,
    reservationPollMaxMs: 1_000,
  },
  /**
   * How long a call may wait for a free browser or lookup. An accepted payment is valid for at least 30 s: waiting and the work
   * itself together must take less.
   */
  queueWait: { printingMs: 8_000, readingMs: 5_000, offerLookupMs: 8_000 },
  channels: channelTimings,
  /** How long recovery leaves a call alone after a reorganization, for its transaction to return. */
  finality: { readoptionMs: 5_000 },
  refunds: {
    /** How long until the next check of an open refund: a tenth of its age, within these limits. */
    checkFirstMs: 5_000,
    checkMaxMs: 300_000,
    /** How long a chain accepts what a wallet has signed for a refund. */
    signWithinMs: 600_000,
  },
  /** When an RPC counts as not working (docs/decisions/nodes.md). */
  rpc: {
    /** After this long without an answer, another RPC is asked too, and the silent one is asked whether it answers anything. */
    slowMs: 1_000,
    /** After this long without any answer, it counts as hanging. */
    aliveWithinMs: 3_000,
    /** How long an answer is waited for, from an RPC that answers other requests. Searches for logs take longest. */
    answerWithinMs: 5_000,
    logsWithinMs: 10_000,
    /** How long an answer of any of the RPCs is waited for. */
    anyWithinMs: 7_000,
    /** The pause before an RPC that is the only one left is asked again. */
    againMs: 150,
    /** When an RPC that did not work is tried: doubled each time, up to the limit, even if it worked for less than `steadyMs`. */
    probeFirstMs: 1_000,
    probeMaxMs: 30_000,
    steadyMs: 60_000,
  },
  evm: {
    /** How long a request waits for its settlement before the answer is "unknown". */
    answerWithinMs: 20_000,
    /** How often receipts are requested: the interval doubles each time, up to the limit for one transaction or for several. */
    pollFirstMs: 20,
    pollMaxAloneMs: 100,
    pollMaxMs: 500,
    /** How long a node may wait for the block of a transaction that was sent to it. After that its receipt is requested. */
    synchronousMs: 2_500,
    /** The limit while the node reports new blocks. */
    pollMaxBesideBlocksMs: 2_000,
    /** How long to wait before a broken connection for new blocks is replaced: doubled each time, up to the limit. */
    subscribeFirstMs: 1_000,
    subscribeMaxMs: 60_000,
    /** When a silent connection is considered broken, and when an unused one is closed. */
    subscriptionSilentMs: 15_000,
    subscriptionIdleMs: 60_000,
    /** How often a pending transaction is checked for lost broadcasts and low fees. */
    maintainMs: 3_000,
    /** When a pending transaction is replaced: if others pay more, and in any case. */
    replaceWhenOutbidMs: 6_000,
    replaceAlwaysMs: 45_000,
    /** How long data read from the chain is reused. */
    headAgeMaxMs: 2_000,
    priorityFeeAgeMaxMs: 30_000,
    /** How long payments are collected for the next transaction, while other payments wait for a block. */
    groupPauseMaxMs: 100,
    /**
     * When an idle sender releases its key to other apps: before it starts to ask less often whether they have queued charges
     * (`polling.activeForMs`).
     */
    idleMs: 8_000,
    leaseRefreshMs: 2_000,
    /** How often an app without a key looks for a free one. */
    leaseRetryMs: 250,
    /** How long a nonce may be missing before an empty transaction fills it. */
    gapPatienceMs: 10_000,
    /** When the charges that a dead key holder left behind are taken over. */
    leftBehindMs: 15_000,
    /** Polling for charges that are queued for the app that holds the key. */
    queuePollMs: 100,
    queueGiveUpMs: 60_000,
  },
  solana: {
    answerWithinMs: 20_000,
    pollFirstMs: 30,
    pollMaxMs: 500,
    /** How long payments of the same payer wait for each other. */
    serialWithinMs: 10_000,
    resendEveryMs: 2_000,
    watchMs: 150_000,
    /** How long a payment is still looked up after its blockhash has expired. */
    deadAfterMs: 60_000,
  },
  facilitator: facilitatorTimings,
  providers: {
    /** How long a provider is not called after it rejected our account, or an operation after it rejected our plan. */
    accountMs: 60_000,
    /** The same after a rate limit. */
    limitedMs: 5_000,
    limitedMaxMs: 60_000,
    /** The same after there was no connection. */
    unreachableMs: 5_000,
    /** Not a time: after so many failures in a row, an operation is not called for a while. */
    failuresMax: 3,
    /** How long that is: doubled each time, up to the limit. */
    outageMs: 30_000,
    outageMaxMs: 300_000,
    /** A call is not charged before there was contact within this time; otherwise a connection shows that there is. */
    contactAgeMaxMs: 2_000,
    connectMs: 5_000,
    /** How long a paid call for which nothing could be sent is tried again before it goes to the operator. */
    unsentMs: 60_000,
    /** The pause before the second attempt to connect. */
    reconnectMs: 250,
  },
  browsers: {
    /** How long a document, or a page, may take once it has a browser. Its payment waits meanwhile. */
    printMs: 15_000,
    readMs: 15_000,
    /** How long to wait after every method of starting a browser failed: doubled each time, up to the limit. */
    retryLaunchFirstMs: 1_000,
    retryLaunchMs: 30_000,
    /** How long a document waits before a payer with more than a share of the browsers loses one of them. */
    revokeAfterMs: 1_000,
    /** The pause before a paid page is tried again when all browsers were busy. */
    busyPauseMs: 500,
  },
  /** How long a process keeps the traffic of links in memory before it writes it. */
  links: { writeTrafficMs: 10_000, stalledMs: 300_000 },
  /** How often waiting readers poll: in case a notification was missed, and while none can be received. */
  responses: { pollMs: 5_000, pollDeafMs: 1_000 },
  /** Limits on other work while paid requests are under way, and for a moment after the last one. */
  throttle: {
    /** How long after the last one. A buyer who calls again within this time finds the process as free as before. */
    afterPaidMs: 500,
    /** Between unpaid responses. */
    unpaidPauseMs: 2,
    /** After each free call; while somebody pays, they run one at a time. */
    callPauseMs: 10,
    /** How long a waiting call, such as one for the next response of a form, blocks the others. */
    callMaxMs: 100,
  },
  /** A server that has just started. */
  warmUp: {
    /** How long it leaves everything to the first requests. */
    afterMs: 1_500,
    /** How long it waits for a moment without paid requests before it loads the pages' framework all the same. */
    quietWithinMs: 30_000,
    /** How long the steps of a warm-up may hold up others, and the pause after that. */
    sliceMs: 5,
    pauseMs: 10,
  },
  /** A stopping server. */
  server: {
    /** How long it waits for requests. Recovery finishes interrupted ones. */
    drainMs: 10_000,
    /** How long connections without a request stay open, so that a proxy which is just sending one gets its response. */
    idleConnectionMs: 2_000,
  },
  /** `GET /metrics`. */
  metrics: {
    /** Up to what age values read from the database, and from the chains, are shown again. */
    figuresAgeMs: 5_000,
    balancesAgeMs: 60_000,
    /** How long a response waits for these values, and for the other processes. */
    waitMs: 2_000,
    siblingMs: 1_000,
  },
  /** Commands of the operator. */
  operator: { eraseWithinMs: 600_000 },
  /** `GET /status.json`: up to what age its figures are shown again. Nothing that is free slows down what is paid. */
  status: { figuresAgeMs: 60_000 },
  tracing: tracingTimings,
  /** Several processes with a common parent. */
  processes: {
    /** How long to wait before replacing a process that ended within `steadyMs`, if the one before it did too. */
    restartFirstMs: 1_000,
    restartMaxMs: 30_000,
    steadyMs: 60_000,
    /** How often each process reports that it is alive. */
    aliveMs: 5_000,
  },
} as const;

type Durations<Record> = { readonly [Key in keyof Record]: number };

export type Timings = {
  readonly [Group in keyof typeof productionTimings]: Durations<(typeof productionTimings)[Group]>;
};
