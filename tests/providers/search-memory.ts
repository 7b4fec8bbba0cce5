import { flightSearch } from '@/lib/services/flights/search-flights';
import { openAdapters } from './adapters';

/**
 * Searches flights with the settings in its environment, and prints by how many bytes the memory of this process grew meanwhile
 * at most. The argument is the body of the search.
 */
async function main(body: object): Promise<void> {
  const { DUFFEL_API_KEY = '', DUFFEL_BASE_URL = '' } = process.env;
  const { deliver } = openAdapters({ DUFFEL_API_KEY, DUFFEL_BASE_URL });
  // What any first search needs is not counted.
  await deliver(flightSearch, { origin: 'LIS', destination: 'LON', departureDate: '2098-03-04' });
  const before = process.memoryUsage.rss();
  let most = before;
  const look = () => {
    most = Math.max(most, process.memoryUsage.rss());
  };
  const looking = setInterval(look, 5);
  await deliver(flightSearch, body);
  clearInterval(looking);
  look();
  console.log(JSON.stringify({ grownBytes: most - before }));
}

main(JSON.parse(process.argv[2] ?? '{}'));
