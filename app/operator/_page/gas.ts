import type { KeyStatus } from '@/lib/operator/console/wallets';

/** An operator is warned when the gas of a key lasts for less than this, at the rate of the last 24 hours. */
export const hoursWarned = 24;

export function runsOut({ hoursLeft }: Pick<KeyStatus, 'hoursLeft'>): boolean {
  return hoursLeft !== null && hoursLeft < hoursWarned;
}
