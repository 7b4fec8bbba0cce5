/** Milliseconds. A day begins at midnight UTC. */
export const hourMs = 3_600_000;
export const dayMs = 24 * hourMs;

/** The same time of the day, some days later, or earlier if `days` is negative. */
export function daysAfter(start: Date, days: number): Date {
  return new Date(start.getTime() + days * dayMs);
}

/** When the day of a moment began, in milliseconds since 1970. */
export function startOfDay(ms: number): number {
  return Math.floor(ms / dayMs) * dayMs;
}
