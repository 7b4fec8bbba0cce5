/**
 * Every interval, back-off and time limit of ours, in milliseconds. Passed in as one record, so that tests can use
 * shorter ones. Times that protocols and chains define, such as the life of a blockhash, are not here.
 */
export const productionTimings = {
  /** Heartbeats of an app. One that is silent for `aliveForMs` is taken for dead. */
  instance: { heartbeatMs: 2_000, aliveForMs: 8_000 },
  /** Background tasks of each app. */
  upkeep: {
    checkNetworksMs: 15_000,
    checkStoreMs: 30_000,
    maintainNetworksMs: 250,
    /** The same when no other app uses the database. */
    maintainNetworksAloneMs: 2_000,
    releaseIdleCallsMs: 2_000,
  },
  /** Jobs that run once for all apps. */
  jobs: {
    recoverCallsMs: 1_000,
    reviewSettlementsMs: 5_000,
    closeRefusalsMs: 15_000,
    /** How often an app checks for scheduled runs and due cron expressions. */
    schedulerLookMs: 5_000,
    schedulerClockMs: 10_000,
    /** How long a stopping worker waits for running jobs. */
    stopMs: 10_000,
  },
  /** How long recovery waits before it tries again: doubled each time, up to the limit of the stage. */
  backOff: { firstMs: 3_000, chargeMaxMs: 30_000, deliveryMaxMs: 300_000 },
  /** How long a retry waits for the first request, and a call for an upload that another call holds. */
  waitForOther: { firstCallMs: 6_000, reservationMs: 6_000 },
  /** How long recovery leaves a call alone after a re-organization, for its transaction to return. */
  finality: { readoptionMs: 5_000 },
  evm: {
    /** How long a request waits for its settlement before the answer is "unknown". */
    answerWithinMs: 20_000,
    pollFirstMs: 20,
    pollMaxMs: 500,
    /** How often a pending transaction is checked for lost broadcasts and low fees. */
    attendMs: 3_000,
    /** When a pending transaction is replaced: if others pay more, and in any case. */
    replaceWhenOutbidMs: 6_000,
    replaceAlwaysMs: 45_000,
    /** How long data read from the chain is reused. */
    headAgeMaxMs: 2_000,
    priorityFeeAgeMaxMs: 30_000,
    /** When an idle sender releases its key to other apps. */
    idleMs: 30_000,
    leaseRefreshMs: 2_000,
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
  providers: { accountMs: 60_000, limitedMs: 5_000, limitedMaxMs: 60_000 },
} as const;

type Durations<Record> = { readonly [Key in keyof Record]: number };

export type Timings = {
  readonly [Group in keyof typeof productionTimings]: Durations<(typeof productionTimings)[Group]>;
};
