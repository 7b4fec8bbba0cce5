/**
 * Every pause, interval and back-off of ours, and how long one part waits for another, in milliseconds. Passed in as one
 * record, so that tests can use shorter ones. Not here: times that protocols and chains define, such as the life of a
 * blockhash, the limits of a single call to a database, node or provider, and how long data is stored.
 */
export const productionTimings = {
  /**
   * Heartbeats of an app. One that is silent for `aliveForMs` is taken for dead. With each heartbeat the app asks the
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
    checkNetworksMs: 15_000,
    checkStoreMs: 30_000,
    releaseIdleCallsMs: 2_000,
  },
  /** How often an app asks for work when a heartbeat is too seldom. */
  polling: {
    /** While calls or settlements are unfinished, and a while after that. */
    activeMs: 1_000,
    activeForMs: 10_000,
    /** The same when other apps use the database and may queue charges for this one. */
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
    /** How long a stopping worker waits for running jobs. */
    stopMs: 10_000,
  },
  /** How long recovery waits before it tries again: doubled each time, up to the limit of the stage. */
  backOff: { firstMs: 3_000, chargeMaxMs: 30_000, deliveryMaxMs: 300_000 },
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
   * How long a call may wait for a free browser or look-up. An accepted payment is valid for at least 30 s: waiting and
   * the work itself together must take less.
   */
  waitForPlace: { printingMs: 8_000, readingMs: 5_000, offerLookupMs: 8_000 },
  /** Payment channels: when what is known of one on the chain is read again, and when it is too old to charge by. */
  channels: {
    renewAfterMs: 300_000,
    renewDoubtfulAfterMs: 2_000,
    refuseAfterMs: 21_600_000,
    /** How often the contract is followed, and what is due is claimed. */
    collectMs: 30_000,
    /** How long little is left unclaimed after its channel was used last. */
    claimAfterMs: 21_600_000,
    /** How long a claim may take into a block until it is sent again. */
    claimAgainAfterMs: 600_000,
    /** How long a refund may. Its payer waits for it. */
    refundAgainAfterMs: 60_000,
    /** How long nobody has used a channel until what is left is paid back. */
    refundIdleAfterMs: 30 * 86_400_000,
    /** How long a request waits for the block of its refund, and how often it looks. */
    refundWaitMs: 20_000,
    refundPollMs: 500,
  },
  /** How long recovery leaves a call alone after a reorganization, for its transaction to return. */
  finality: { readoptionMs: 5_000 },
  refunds: {
    /** How long after a check of an open refund the next one comes: a tenth of its age, within these limits. */
    checkFirstMs: 5_000,
    checkMaxMs: 300_000,
    /** How long a chain takes what a wallet has signed for a refund. */
    signWithinMs: 600_000,
  },
  evm: {
    /** How long a request waits for its settlement before the answer is "unknown". */
    answerWithinMs: 20_000,
    /** How often receipts are asked for: twice as seldom each time, up to the limit for one transaction or for several. */
    pollFirstMs: 20,
    pollMaxAloneMs: 100,
    pollMaxMs: 500,
    /** How long a node may wait for the block of a transaction that it was sent. After that its receipt is asked for. */
    synchronousMs: 2_500,
    /** The limit while the node tells new blocks. */
    pollMaxBesideBlocksMs: 2_000,
    /** When a broken connection for new blocks is replaced: doubled each time, up to the limit. */
    subscribeFirstMs: 1_000,
    subscribeMaxMs: 60_000,
    /** When a silent connection counts as broken, and an unused one is closed. */
    subscriptionSilentMs: 15_000,
    subscriptionIdleMs: 60_000,
    /**
     * How long a pre-confirmed transaction may stay out of the chain while that grows. Longer than nodes lag behind each
     * other: what counts as lost stops pre-confirmations.
     */
    preconfirmationPatienceMs: 10_000,
    /** How often a pending transaction is checked for lost broadcasts and low fees. */
    attendMs: 3_000,
    /** When a pending transaction is replaced: if others pay more, and in any case. */
    replaceWhenOutbidMs: 6_000,
    replaceAlwaysMs: 45_000,
    /** How long data read from the chain is reused. */
    headAgeMaxMs: 2_000,
    priorityFeeAgeMaxMs: 30_000,
    /** How long payments are collected for the next transaction, while others wait for a block. */
    groupPauseMaxMs: 100,
    /**
     * When an idle sender releases its key to other apps: before it asks more seldom whether they have queued charges
     * (`polling.activeForMs`).
     */
    idleMs: 8_000,
    leaseRefreshMs: 2_000,
    /** How often an app without a key looks for a free one. */
    leaseRetryMs: 250,
    /** How long a missing nonce may stay missing before an empty transaction fills it. */
    gapPatienceMs: 10_000,
    /** When the charges of a dead key holder are taken over. */
    leftBehindMs: 15_000,
    /** Polling of charges that are queued for the app that holds the key. */
    queuePollMs: 100,
    queueGiveUpMs: 60_000,
  },
  solana: {
    answerWithinMs: 20_000,
    pollFirstMs: 30,
    pollMaxMs: 500,
    /** How long payments of one payer wait for each other. */
    turnWithinMs: 10_000,
    resendEveryMs: 2_000,
    watchMs: 150_000,
    /** How long a payment is still looked for after its blockhash has expired. */
    deadAfterMs: 60_000,
  },
  facilitator: {
    answerWithinMs: 20_000,
    pollFirstMs: 50,
    pollMaxMs: 1_000,
    /**
     * How long a facilitator may be silent before the chain is asked, and how long the chain is asked after its report.
     */
    trustedSilenceMs: 2_000,
    afterReportMs: 5_000,
  },
  /** How long a provider is not called after it rejected our account, or limited us. */
  providers: {
    accountMs: 60_000,
    limitedMs: 5_000,
    limitedMaxMs: 60_000,
    /** The pause before the second attempt to connect. */
    reconnectMs: 250,
  },
  browsers: {
    /** How long a document, and a page, may take once it has a browser. Its payment waits meanwhile. */
    printMs: 15_000,
    readMs: 15_000,
    /** How long to wait after every way of starting a browser failed. */
    retryLaunchMs: 30_000,
    /** How long a document waits before a payer with more than a share of the browsers loses one. */
    revokeAfterMs: 1_000,
    /** The pause before a paid page is tried again when all browsers were busy. */
    busyPauseMs: 500,
  },
  /** How long a process keeps what links were used for before it writes it. */
  links: { writeTrafficMs: 10_000, stalledMs: 300_000 },
  /** How often waiting readers poll: in case a notification was missed, and while none can be heard. */
  responses: { pollMs: 5_000, pollDeafMs: 1_000 },
  /** While paid requests are under way, and for a moment after the last one. */
  throttle: {
    /** How long after it. A buyer who calls again within this time finds the process as free as before. */
    afterPaidMs: 500,
    /** Between unpaid responses. */
    unpaidPauseMs: 2,
    /** After each free call; they run one at a time. */
    callPauseMs: 10,
    /** How long a call that waits, such as for the next response of a form, blocks the others. */
    callMaxMs: 100,
  },
  /** How long a stopping server waits for requests. Recovery finishes interrupted ones. */
  server: { drainMs: 10_000 },
  /** `GET /metrics`. */
  metrics: {
    /** The age up to which what was read from the database, and from the chains, is shown again. */
    figuresAgeMs: 5_000,
    balancesAgeMs: 60_000,
    /** How long a response waits for them, and for the other processes. */
    waitMs: 2_000,
    siblingMs: 1_000,
  },
  /** Several processes with a common parent. */
  processes: {
    /** When one is replaced that ended within `steadyMs`, as the one before it had. */
    restartFirstMs: 1_000,
    restartMaxMs: 30_000,
    steadyMs: 60_000,
    /** How often each says that it is alive. */
    aliveMs: 5_000,
  },
} as const;

type Durations<Record> = { readonly [Key in keyof Record]: number };

export type Timings = {
  readonly [Group in keyof typeof productionTimings]: Durations<(typeof productionTimings)[Group]>;
};
