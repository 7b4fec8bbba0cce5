import { z } from 'zod';

/** Route and dates: what flight searches and booking links have in common. */

/** An IATA code in upper or lower case. */
export const placeCode = z
  .string()
  .toUpperCase()
  .regex(/^[A-Z]{3}$/, { error: 'must be a three-letter IATA code such as LHR' })
  .meta({ examples: ['LHR'] });

/** A valid calendar date in ISO 8601. */
export const calendarDate = z
  .string()
  .refine(isCalendarDate, { error: 'must be a calendar date, YYYY-MM-DD' })
  .meta({ format: 'date', examples: ['2027-03-04'] });

function isCalendarDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const date = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}

interface Journey {
  readonly origin: string;
  readonly destination: string;
  readonly departureDate: string;
  readonly returnDate?: string;
}

/** Finds fields of a journey that contradict each other. */
export function findJourneyFaults({ origin, destination, departureDate, returnDate }: Journey) {
  const faults: { path: string[]; message: string }[] = [];
  if (origin === destination) faults.push({ path: ['destination'], message: 'must differ from origin' });
  if (returnDate !== undefined && returnDate < departureDate) {
    faults.push({ path: ['returnDate'], message: 'must not be before departureDate' });
  }
  return faults;
}
