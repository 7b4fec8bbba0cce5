import type { Finding } from '../case';
import { type Answer, describeExchange } from '../http';
import type { MppChallenges, UnpaidSeller, X402Challenge } from './seller';

export const pass: Finding = { result: 'pass' };

/** @param because why the rule says nothing about this seller */
export const notApplicable = (because: string): Finding => ({ result: 'not applicable', detail: because });

/** @param what what the seller did instead, in a sentence */
export const fail = (what: string, answer: Answer): Finding => ({
  result: 'fail',
  detail: `${what}\n${describeExchange(answer)}`,
});

/** Fails with the first thing that is wrong. */
export const unlessWrong = (wrong: readonly string[], answer: Answer): Finding =>
  wrong[0] === undefined ? pass : fail(wrong.join(' '), answer);

/** For cases about sellers that take x402. */
export const overX402 =
  (check: (challenge: X402Challenge, seller: UnpaidSeller) => Finding | Promise<Finding>) =>
  async (seller: UnpaidSeller): Promise<Finding> => {
    const challenge = await seller.x402();
    if (challenge === undefined) return notApplicable('The seller does not take x402 version 2.');
    return check(challenge, seller);
  };

/** For cases about sellers that take MPP. */
export const overMpp =
  (check: (offered: MppChallenges, seller: UnpaidSeller) => Finding | Promise<Finding>) =>
  async (seller: UnpaidSeller): Promise<Finding> => {
    const offered = await seller.mpp();
    if (offered === undefined) return notApplicable('The seller does not take MPP.');
    return check(offered, seller);
  };
