import { search } from '@/lib/catalog/airports';
import { service } from '@/lib/services/service';
import type { Airport } from './airports';
import { findAirports } from './find-airports';

/** Searches in memory, without a provider. */
export const searchAirports = service(search, {
  async deliver(_app, { query }, { now }) {
    const airports = findAirports(query).map(resultOf);
    return { query, airports, meta: { resultCount: airports.length, searchedAt: now.toISOString() } };
  },
});

function resultOf(airport: Airport) {
  const { iataCode, name, cityName, countryCode, countryName, timeZone, lat, lng } = airport;
  return { iataCode, name, cityName, countryCode, countryName, timeZone, coordinates: { lat, lng } };
}
