import { dim, print } from '../terminal';
import { buy, check, type Way } from './buying';
import { mpp, x402 } from './rails';

type Airport = { iataCode: string; name: string };
type Flight = { id: string; totalPrice: string; currency: string };

/** Finds an airport, flights to it over either rail, and what the cheapest one comes with. */
export async function buyFlights(way: Omit<Way, 'rail'>): Promise<void> {
  const overX402 = { ...way, rail: x402 };
  const { airports } = await buy<{ airports: Airport[] }>(
    { words: 'a search for «tokio»', path: '/airports/search', body: { query: 'tokio' } },
    overX402,
  );
  const [airport] = airports;
  check(airport !== undefined, 'There is no airport for «tokio».');
  print(dim(`      ${airport.iataCode}, ${airport.name}`));
  await buyCheapest(airport, overX402);
  const cheapest = await buyCheapest(airport, { ...way, rail: mpp });
  const offer = await buy<Flight>(
    { words: 'its details', path: `/flights/offers/${cheapest.id}`, method: 'GET' },
    overX402,
  );
  check(offer.id === cheapest.id && offer.totalPrice === cheapest.totalPrice, 'It is another offer.');
}

async function buyCheapest({ iataCode }: Airport, way: Way): Promise<Flight> {
  const departureDate = new Date(Date.now() + 60 * 86_400_000).toISOString().slice(0, 10);
  const body = { origin: 'LON', destination: iataCode, departureDate, maxResults: 3 };
  const words = `flights from London, over ${way.rail.name},`;
  const { results } = await buy<{ results: Flight[] }>({ words, path: '/flights/search', body }, way);
  const [cheapest] = results;
  check(cheapest !== undefined, 'There is no flight.');
  print(dim(`      ${results.length} offers, the cheapest for ${cheapest.totalPrice} ${cheapest.currency}`));
  return cheapest;
}
