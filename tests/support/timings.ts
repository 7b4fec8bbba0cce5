import { productionTimings, type Timings } from '@/lib/platform/timings';

type Changes = { readonly [Group in keyof Timings]?: Partial<Timings[Group]> };

function productionTimingsWith(changes: Changes): Timings {
  const timings: Timings = structuredClone(productionTimings);
  for (const group of Object.keys(changes)) {
    const name = group as keyof Changes;
    Object.assign(timings[name], changes[name]);
  }
  return timings;
}

/**
 * Timings on which nobody waits for long, for servers that tests kill, cut off and lie to. How long a silent server counts as
 * alive is as in production: a test that kills one lets that time pass in the database.
 */
export const shortTimings = productionTimingsWith({
  upkeep: { maintainNetworksAloneMs: 250, releaseIdleCallsMs: 500 },
  jobs: { recoverCallsMs: 200, reviewSettlementsMs: 500, closeRefusalsMs: 1_000, schedulerLookMs: 1_000 },
  backOff: { firstMs: 400, chargeMaxMs: 4_000, deliveryMaxMs: 20_000 },
  waitForOther: { firstCallMs: 2_000, reservationMs: 2_000 },
  finality: { readoptionMs: 1_000 },
  evm: {
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
});
