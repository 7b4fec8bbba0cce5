/** How facilitators are called. */
export const facilitatorTimings = {
  answerWithinMs: 20_000,
  pollFirstMs: 50,
  pollMaxMs: 1_000,
  /**
   * How long a facilitator may be silent before the chain is queried, and how long the chain is queried after the
   * facilitator's report.
   */
  trustedSilenceMs: 2_000,
  afterReportMs: 5_000,
  /** How long it may take to say whether it would settle a payment, and on which networks it settles. */
  verifyWithinMs: 8_000,
  supportedWithinMs: 4_000,
};
