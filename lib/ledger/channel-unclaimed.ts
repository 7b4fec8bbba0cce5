/** What was spent of a channel, and is neither claimed nor written off, in atomic USDC. */
export const unclaimedAmount = 'charged_atomic - claimed_atomic - written_off_atomic';

/** The condition that it is more than nothing. Its first half is that of the indexes. */
export const hasUnclaimed =
  'charged_atomic > claimed_atomic AND charged_atomic - claimed_atomic > written_off_atomic';
