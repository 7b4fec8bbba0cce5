import * as airports from '../airports';
import * as flights from '../flights';
import { flightBookingLinks } from '../tools';
import { adapterTool, pays, reads } from './tool';

export const searchFlights = adapterTool({
  name: 'search_flights',
  title: 'Search flights',
  description:
    'Search live flight offers between two airports, cheapest first. Takes IATA codes, which airports_search finds. Each call is a new, separately charged search.',
  price: flights.search.price,
  operation: flights.search.id,
  ...pays,
  openWorld: true,
  input: flights.search.body,
  output: flights.search.output,
  example: flights.search.example.body,
});

export const searchAirports = adapterTool({
  name: 'airports_search',
  title: 'Search airports',
  description: 'Find airports and their IATA codes by code, city, airport name or country.',
  price: airports.search.price,
  operation: airports.search.id,
  ...pays,
  input: airports.search.body,
  output: airports.search.output,
  example: airports.search.example.body,
});

export const offerDetails = adapterTool({
  name: 'flight_offer_details',
  title: 'Flight offer details',
  description:
    'Get the current price, baggage, cabins and fare conditions of a flight offer, by its ID from search_flights. Offers last about 30 minutes; an expired offer costs nothing.',
  price: flights.offer.price,
  operation: flights.offer.id,
  ...pays,
  openWorld: true,
  input: flights.offer.params,
  output: flights.offer.output,
  example: flights.offer.example.params,
});

export const bookingLinks = adapterTool({
  name: 'flight_booking_links',
  title: 'Flight booking links',
  description:
    'Build links that open a new search on two flight-search sites. Works on this machine without network calls. The links reserve nothing and guarantee no fare.',
  price: null,
  operation: null,
  ...reads,
  input: flightBookingLinks.body,
  output: flightBookingLinks.output,
  example: flightBookingLinks.example.body,
});
