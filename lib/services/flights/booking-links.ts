import { type Journey, refuseUnknownPlaces } from './journey';

const limitations = [
  'The links open new searches on external sites; they reserve nothing and guarantee no fare or seat.',
  'No provider was called, so it is not known whether there are flights on this route and these dates.',
  'The searches are for one adult; choose passengers and cabin on the site.',
  'The sites may change how their links work. The links contain no affiliate tracking or commission.',
];

/**
 * Makes links to searches on two external sites, without network requests.
 * @throws ApiError invalid_input for a code that is neither a known airport nor a metropolitan area
 */
export function bookingLinks(journey: Journey) {
  refuseUnknownPlaces(journey);
  return { links: { googleFlights: googleFlights(journey), skyscanner: skyscanner(journey) }, limitations };
}

function googleFlights({ origin, destination, departureDate, returnDate }: Journey): string {
  const days = returnDate ? `on ${departureDate} through ${returnDate}` : `on ${departureDate}`;
  const words = `${returnDate ? 'Flights' : 'One-way flights'} from ${origin} to ${destination} ${days}`;
  return `https://www.google.com/travel/flights?${new URLSearchParams({ q: words })}`;
}

function skyscanner({ origin, destination, departureDate, returnDate }: Journey): string {
  const places = [origin, destination].map((code) => code.toLowerCase());
  // 4 March 2027 is 270304.
  const days = [departureDate, returnDate].flatMap((date) => date?.slice(2).replaceAll('-', '') ?? []);
  return `https://www.skyscanner.net/transport/flights/${[...places, ...days].join('/')}/`;
}
