import { dim, print } from '../terminal';
import { type Buyer, buy, check } from './buy';
import { mpp, x402 } from './rails';

type Airport = { iataCode: string; name: string };
type Flight = { id: string; totalPrice: string; currency: string };

/** Finds an airport, searches flights to it over both rails, and gets the details of the cheapest offer. */
export async function buyFlights(buyer: Omit<Buyer, 'rail'>): Promise<void> {
  const overX402 = { ...buyer, rail: x402 };
  const { airports } = await buy<{ airports: Airport[] }>(
    { label: 'an airport search for "tokio"', path: '/airports/search', body: { query: 'tokio' } },
    overX402,
  );
  const [airport] = airports;
  check(airport !== undefined, 'The search for "tokio" found no airport.');
  print(dim(`      ${airport.iataCode}, ${airport.name}`));
  await searchFlights(airport, overX402);
  const cheapest = await searchFlights(airport, { ...buyer, rail: mpp });
  const offer = await buy<Flight>(
    { label: "the cheapest offer's details", path: `/flights/offers/${cheapest.id}`, method: 'GET' },
    overX402,
  );
  check(
    offer.id === cheapest.id && offer.totalPrice === cheapest.totalPrice,
    'The details are those of another offer.',
  );
}

async function searchFlights({ iataCode }: Airport, buyer: Buyer): Promise<Flight> {
  const departureDate = new Date(Date.now() + 60 * 86_400_000).toISOString().slice(0, 10);
  const body = { origin: 'LON', destination: iataCode, departureDate, maxResults: 3 };
  const label = `a flight search from London over ${buyer.rail.name}`;
  const { results } = await buy<{ results: Flight[] }>({ label, path: '/flights/search', body }, buyer);
  const [cheapest] = results;
  check(cheapest !== undefined, 'The flight search returned no offers.');
  print(dim(`      ${results.length} offers, the cheapest for ${cheapest.totalPrice} ${cheapest.currency}`));
  return cheapest;
}
