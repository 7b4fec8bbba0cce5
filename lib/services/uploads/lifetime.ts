const dayMs = 86_400_000;

/** The same time of day, in UTC, that many days later. */
export function daysAfter(start: Date, days: number): Date {
  return new Date(start.getTime() + days * dayMs);
}

/** Whether the public link has ended, by time or by deletion. The worker's pace does not matter to it. */
export function isOver(upload: { expiresAt: Date; deletedAt: Date | null }, now: Date): boolean {
  return upload.deletedAt !== null || upload.expiresAt <= now;
}
