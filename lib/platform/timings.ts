/**
 * How long the app waits for what, in milliseconds: every period, back-off and limit that is ours to choose. One record,
 * handed in, so that tests can run on shorter ones. What protocols and chains fix (the life of an authorization or of a
 * blockhash) is not here.
 */
export const productionTimings = {
  /** An app among those on the same database. One that was silent for `aliveForMs` is taken for dead. */
  instance: { heartbeatMs: 2_000, aliveForMs: 8_000 },
  /** What each app looks after for itself. */
  upkeep: {
    checkNetworksMs: 15_000,
    checkStoreMs: 30_000,
    maintainNetworksMs: 250,
    /** The same where no other app works on the database. */
    maintainNetworksAloneMs: 2_000,
    releaseIdleCallsMs: 2_000,
  },
  /** What is done once for all apps. */
  jobs: {
    recoverCallsMs: 1_000,
    reviewSettlementsMs: 5_000,
    closeRefusalsMs: 15_000,
    /** How often an app looks for scheduled runs, and whether a cron expression has come due. */
    schedulerLookMs: 5_000,
    schedulerClockMs: 10_000,
    /** How long a stopping worker waits for what runs. */
    stopMs: 10_000,
  },
  /** How long recovery waits before it tries again: doubled each time, up to the limit of the stage. */
  backOff: { firstMs: 3_000, chargeMaxMs: 30_000, deliveryMaxMs: 300_000 },
  /** How long a retry waits for the request that came first, or a call for an upload that another holds. */
  waitForOther: { firstCallMs: 6_000, reservationMs: 6_000 },
  /** A call that a re-organization brought back is left to a vanished settlement's block for so long. */
  finality: { readoptionMs: 5_000 },
  evm: {
    /** A request is answered as unknown when its settlement takes longer. */
    answerWithinMs: 20_000,
    pollFirstMs: 20,
    pollMaxMs: 500,
    /** How often a pending transaction is looked after beyond its receipt. */
    attendMs: 3_000,
    /** A pending transaction is replaced after this long: when others pay more, and in any case. */
    replaceWhenOutbidMs: 6_000,
    replaceAlwaysMs: 45_000,
    /** For how long what was read of the chain is used again. */
    headAgeMaxMs: 2_000,
    priorityFeeAgeMaxMs: 30_000,
    /** A sender without work gives its key back to other apps. */
    idleMs: 30_000,
    leaseRefreshMs: 2_000,
    /** A missing nonce is left to whoever may still fill it. */
    gapPatienceMs: 10_000,
    /** Charges that a dead holder of the key left behind are taken over. */
    leftBehindMs: 15_000,
    /** Of charges that wait for the app that holds the key. */
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
    /** After its blockhash has died, so long a payment is still looked for. */
    deadAfterMs: 60_000,
  },
  facilitator: {
    answerWithinMs: 20_000,
    pollFirstMs: 50,
    pollMaxMs: 1_000,
    /** The chain is asked when the facilitator has said nothing for so long, and for so long after its word. */
    trustedSilenceMs: 2_000,
    afterWordMs: 5_000,
  },
  /** How long nothing is asked of a provider that refuses our account, or too many calls. */
  providers: { accountMs: 60_000, limitedMs: 5_000, limitedMaxMs: 60_000 },
} as const;

type Durations<Record> = { readonly [Key in keyof Record]: number };

export type Timings = {
  readonly [Group in keyof typeof productionTimings]: Durations<(typeof productionTimings)[Group]>;
};
