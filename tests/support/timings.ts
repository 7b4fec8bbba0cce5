import { productionTimings, type Timings } from '@/lib/platform/timings';

type Changes = { readonly [Group in keyof Timings]?: Partial<Timings[Group]> };

function withChanges(base: Timings, changes: Changes): Timings {
  const timings: Timings = structuredClone(base);
  for (const group of Object.keys(changes)) {
    const name = group as keyof Changes;
    Object.assign(timings[name], changes[name]);
  }
  return timings;
}

/** Browser timeouts for a slow machine with busy cores, for tests that are not about these timeouts. */
const patientBrowsers = { printMs: 45_000, readMs: 45_000 };

/** The production timings, with long browser timeouts. */
export const patientTimings = withChanges(productionTimings, { browsers: patientBrowsers });

/**
 * Timings with short waits, for servers that tests kill, cut off and lie to. A silent server counts as alive for as long as in
 * production. A test that kills one moves timestamps in the database past that time. Nodes have three times as long to answer
 * as in production, because a test may hold an answer back while the machine is busy. After a failure, which the tests before
 * caused, they are tried again soon.
 */
export const shortTimings = withChanges(productionTimings, {
  instance: { heartbeatMs: 500 },
  upkeep: { releaseIdleCallsMs: 500, checkNetworkWithinMs: 15_000 },
  polling: { activeMs: 200, activeWithPeersMs: 200, idleWithPeersMs: 250 },
  jobs: { recoverCallsMs: 200, reviewSettlementsMs: 500, closeRefusalsMs: 1_000, checkRefundsMs: 200 },
  refunds: { checkFirstMs: 200, checkMaxMs: 1_000 },
  backOff: { firstMs: 400, chargeMaxMs: 4_000, deliveryMaxMs: 20_000 },
  waitForOther: { firstCallMs: 2_000, reservationMs: 2_000 },
  finality: { readoptionMs: 1_000 },
  links: { writeTrafficMs: 200 },
  tracing: { exportEveryMs: 100, exportWithinMs: 2_000 },
  rpc: {
    slowMs: 3_000,
    aliveWithinMs: 9_000,
    answerWithinMs: 15_000,
    logsWithinMs: 30_000,
    anyWithinMs: 21_000,
    probeMaxMs: 1_000,
  },
  signedRequest: { answerWithinMs: 57_000 },
  evm: {
    synchronousMs: 500,
    maintainMs: 500,
    replaceWhenOutbidMs: 1_500,
    answerWithinMs: 5_000,
    headAgeMaxMs: 500,
    leaseRefreshMs: 500,
    gapPatienceMs: 2_000,
    leftBehindMs: 3_000,
  },
  solana: { answerWithinMs: 5_000, resendEveryMs: 500, deadAfterMs: 10_000 },
  facilitator: { answerWithinMs: 5_000, trustedSilenceMs: 500, afterReportMs: 1_500 },
  server: { idleConnectionMs: 200 },
  // Tests make many calls fail in a row. One that is about this sets it.
  providers: { failuresMax: Number.MAX_SAFE_INTEGER, unsentMs: 3_000 },
  // A process says nothing while it starts. One that is silent for seven times as long counts as hanging.
  processes: { restartFirstMs: 100, aliveMs: 2_500 },
  browsers: patientBrowsers,
});

/** Timings with which nodes and requests have as long as in production. */
export const promptNodeTimings = withChanges(shortTimings, {
  rpc: productionTimings.rpc,
  signedRequest: productionTimings.signedRequest,
  upkeep: { checkNetworkWithinMs: productionTimings.upkeep.checkNetworkWithinMs },
});

/** Timings with which an operation is refused after failures in a row, as in production. */
export const breakingTimings = withChanges(shortTimings, { providers: { failuresMax: 3 } });

/** Networks are checked so often that a test can wait for it, and so rarely that a payment of a test comes first. */
export const checkingTimings = withChanges(shortTimings, { upkeep: { checkNetworksMs: 5_000 } });

/** Timings with which a request waits for a broadcast or receipt that a test holds back, while others give up and are answered. */
export const heldTimings = withChanges(shortTimings, { evm: { answerWithinMs: 20_000 } });

/** Timings with which a download that the client does not read is ended soon. */
export const stallingTimings = withChanges(shortTimings, { links: { stalledMs: 3_000 } });

/** Timings with which money spent through a payment channel is claimed at once. */
export const collectingTimings = withChanges(shortTimings, {
  channels: {
    collectMs: 200,
    claimAfterMs: 0,
    claimAgainAfterMs: 1_000,
    refundAgainAfterMs: 1_000,
    refundUnusedAfterMs: 0,
    refundWaitMs: 5_000,
    refundPollMs: 50,
  },
});

const never = 3_600_000;

/** The same, but small amounts are claimed only from channels whose payers withdraw. */
export const withdrawalTimings = withChanges(collectingTimings, { channels: { claimAfterMs: never } });

/** Timings with which a process does not poll its database after its start. */
export const timingsWithoutPolling = withChanges(shortTimings, {
  instance: { heartbeatMs: never, aliveForMs: 2 * never },
  polling: { activeMs: never, activeWithPeersMs: never, idleWithPeersMs: never },
  evm: { queuePollMs: never, queueGiveUpMs: never },
});

/**
 * Timings for calls in which one message at a time is broken: each wait ends in a fraction of a second. Work that is not about
 * unfinished calls is paused, so nearly every message between a server and the outside belongs to a call. Nothing that is read
 * from a chain is cached, so every call reads it.
 */
export const shortestTimings = withChanges(promptNodeTimings, {
  upkeep: { releaseIdleCallsMs: 200, checkNetworksMs: never, checkStoreMs: never },
  polling: { activeMs: 100, activeWithPeersMs: 100 },
  jobs: {
    recoverCallsMs: 100,
    reviewSettlementsMs: never,
    closeRefusalsMs: never,
    checkRefundsMs: never,
    cleanUpMs: never,
  },
  backOff: { firstMs: 50, chargeMaxMs: 200, deliveryMaxMs: 200 },
  waitForOther: { firstCallMs: 200, reservationMs: 200 },
  channels: { collectMs: never, renewAfterMs: 0, renewDoubtfulAfterMs: 0 },
  rpc: { probeFirstMs: never, probeMaxMs: never },
  evm: {
    pollFirstMs: 10,
    pollMaxAloneMs: 50,
    pollMaxMs: 50,
    synchronousMs: 200,
    maintainMs: 100,
    replaceWhenOutbidMs: 200,
    answerWithinMs: 3_000,
    headAgeMaxMs: 0,
    priorityFeeAgeMaxMs: 0,
    leaseRefreshMs: 300,
    gapPatienceMs: 200,
    leftBehindMs: 300,
  },
  solana: { pollFirstMs: 10, pollMaxMs: 50, answerWithinMs: 3_000, serialWithinMs: 500, resendEveryMs: 250 },
});
