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

/** How long browsers may take on a slow machine with busy cores, where their limits are not what is tested. */
const patientBrowsers = { printMs: 45_000, readMs: 45_000 };

/** The timings of production, with patience for browsers. */
export const patientTimings = withChanges(productionTimings, { browsers: patientBrowsers });

/**
 * Timings on which nobody waits for long, for servers that tests kill, cut off and lie to. How long a silent server counts as
 * alive is as in production: a test that kills one lets that time pass in the database.
 */
export const shortTimings = withChanges(productionTimings, {
  instance: { heartbeatMs: 500 },
  upkeep: { releaseIdleCallsMs: 500 },
  polling: { activeMs: 200, activeWithPeersMs: 200, idleWithPeersMs: 250 },
  jobs: { recoverCallsMs: 200, reviewSettlementsMs: 500, closeRefusalsMs: 1_000, checkRefundsMs: 200 },
  refunds: { checkFirstMs: 200, checkMaxMs: 1_000 },
  backOff: { firstMs: 400, chargeMaxMs: 4_000, deliveryMaxMs: 20_000 },
  waitForOther: { firstCallMs: 2_000, reservationMs: 2_000 },
  finality: { readoptionMs: 1_000 },
  links: { writeTrafficMs: 200 },
  evm: {
    synchronousMs: 500,
    preconfirmationPatienceMs: 1_000,
    attendMs: 500,
    replaceWhenOutbidMs: 1_500,
    answerWithinMs: 5_000,
    headAgeMaxMs: 500,
    leaseRefreshMs: 500,
    gapPatienceMs: 2_000,
    leftBehindMs: 3_000,
  },
  solana: { answerWithinMs: 5_000, resendEveryMs: 500, deadAfterMs: 10_000 },
  facilitator: { answerWithinMs: 5_000, trustedSilenceMs: 500, afterReportMs: 1_500 },
  // A process that is starting says nothing, and seven times as long counts as hanging.
  processes: { restartFirstMs: 100, aliveMs: 2_500 },
  browsers: patientBrowsers,
});

/** Timings on which a request whose broadcast or receipt a test holds back waits for it, while others give up and are answered. */
export const heldTimings = withChanges(shortTimings, { evm: { answerWithinMs: 20_000 } });

/** Timings on which a download that nobody takes is ended soon. */
export const stallingTimings = withChanges(shortTimings, { links: { stalledMs: 3_000 } });

/** Timings on which what was spent through a payment channel is claimed at once. */
export const collectingTimings = withChanges(shortTimings, {
  channels: {
    collectMs: 200,
    claimAfterMs: 0,
    claimAgainAfterMs: 1_000,
    refundAgainAfterMs: 1_000,
    refundWaitMs: 5_000,
    refundPollMs: 50,
  },
});

const never = 3_600_000;

/** Timings on which a process asks its database for nothing, over and over, after its start. */
export const timingsWithoutPolling = withChanges(shortTimings, {
  instance: { heartbeatMs: never, aliveForMs: 2 * never },
  polling: { activeMs: never, activeWithPeersMs: never, idleWithPeersMs: never },
  evm: { queuePollMs: never, queueGiveUpMs: never },
});

/**
 * Timings for calls of which one message is broken at a time: each wait ends in a fraction of a second. What is not about
 * unfinished calls rests, so that nearly every message between a server and the outside is a call's. Nothing that is read from a
 * chain is reused, so that every call reads it.
 */
export const shortestTimings = withChanges(shortTimings, {
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
  evm: {
    pollFirstMs: 10,
    pollMaxAloneMs: 50,
    pollMaxMs: 50,
    synchronousMs: 200,
    preconfirmationPatienceMs: 300,
    attendMs: 100,
    replaceWhenOutbidMs: 200,
    answerWithinMs: 3_000,
    headAgeMaxMs: 0,
    priorityFeeAgeMaxMs: 0,
    leaseRefreshMs: 300,
    gapPatienceMs: 200,
    leftBehindMs: 300,
  },
  solana: { pollFirstMs: 10, pollMaxMs: 50, answerWithinMs: 3_000, turnWithinMs: 500, resendEveryMs: 250 },
});
