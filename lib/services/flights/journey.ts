import { ApiError, type Issue } from '@/lib/errors/api-error';
import { isPlace, timeZoneOf } from '@/lib/services/airports/places';

/** Where to and when; dates as `YYYY-MM-DD`, local at the airports. */
export interface Journey {
  readonly origin: string;
  readonly destination: string;
  readonly departureDate: string;
  readonly returnDate?: string;
}

/** @throws ApiError invalid_input (400) for a code that is neither an airport nor a metropolitan area that we know */
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

/** @throws ApiError invalid_input (400) for a day that is over where the journey begins */
export function refusePastDates({ origin, departureDate }: Journey, now: Date): void {
  // Sweden writes dates as ISO 8601 does. West of everybody else, days end last.
  const today = new Intl.DateTimeFormat('sv', { timeZone: timeZoneOf(origin) ?? 'Etc/GMT+12' }).format(now);
  refuse(departureDate < today ? [{ path: 'departureDate', rule: 'must not be in the past' }] : []);
}

function refuse(issues: readonly Issue[]): void {
  if (issues.length > 0) throw new ApiError('invalid_input', { reason: 'invalid_input', issues });
}
