import { type Issue, invalidInput } from '@/lib/catalog/errors/api-error';
import { isPlace, timeZoneOf } from '@/lib/services/airports/places';

/** Route and dates. Dates are `YYYY-MM-DD`, local at the airports. */
export interface Journey {
  readonly origin: string;
  readonly destination: string;
  readonly departureDate: string;
  readonly returnDate?: string;
}

/** @throws ApiError invalid_input (400) for a code that is neither a known airport nor a metropolitan area */
export function refuseUnknownPlaces({ origin, destination }: Pick<Journey, 'origin' | 'destination'>): void {
  refuse(
    Object.entries({ origin, destination })
      .filter(([, code]) => !isPlace(code))
      .map(([path]) => ({
        path,
        rule: 'must be the IATA code of an airport or metropolitan area; airport search finds codes',
      })),
  );
}

/** @throws ApiError invalid_input (400) for a date that has passed at the origin */
export function refusePastDates({ origin, departureDate }: Journey, now: Date): void {
  // The Swedish locale writes ISO 8601 dates. An unknown time zone counts as the westernmost, where days end last.
  const today = new Intl.DateTimeFormat('sv', { timeZone: timeZoneOf(origin) ?? 'Etc/GMT+12' }).format(now);
  refuse(departureDate < today ? [{ path: 'departureDate', rule: 'must not be in the past' }] : []);
}

/** Reservation systems hold the flights of the next 361 days. Most airlines sell those of 330. */
const daysAheadMax = 361;
const dayMs = 86_400_000;

/** @throws ApiError invalid_input (400) for days that no airline sells yet, wherever the journey begins */
export function refuseDistantDates({ departureDate, returnDate }: Journey, now: Date): void {
  const last = new Date(now.getTime() + (daysAheadMax + 1) * dayMs).toISOString().slice(0, 10);
  refuse(
    Object.entries({ departureDate, returnDate })
      .filter(([, date]) => date !== undefined && date > last)
      .map(([path]) => ({ path, rule: `must be at most ${daysAheadMax} days ahead` })),
  );
}

function refuse(issues: readonly Issue[]): void {
  if (issues.length > 0) throw invalidInput(issues);
}
