import type { search } from '@/lib/catalog/airports';
import type { Service } from '@/lib/services/service';
import type { Airport } from './airports';
import { findAirports } from './find';

/** Searched in memory; no provider is asked. */
export const searchAirports: Service<typeof search> = {
  async deliver({ query }, { now }) {
    const airports = findAirports(query).map(resultOf);
    return { query, airports, meta: { resultCount: airports.length, searchedAt: now.toISOString() } };
  },
};

function resultOf(airport: Airport) {
  const { iataCode, name, cityName, countryCode, countryName, timeZone, lat, lng } = airport;
  return { iataCode, name, cityName, countryCode, countryName, timeZone, coordinates: { lat, lng } };
}
