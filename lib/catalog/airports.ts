import { z } from 'zod';
import { searchMeta } from './answer-fields';
import { noParams, operation } from './operation';

const airportLimits = { queryLengthMax: 100 } as const;

const airport = z.strictObject({
  iataCode: z.string().length(3).describe('IATA code of the airport or metropolitan area.'),
  name: z.string().describe('Name of the airport.'),
  cityName: z.string().describe('The city that it serves.'),
  countryCode: z.string().describe('ISO 3166-1 alpha-2.'),
  countryName: z.string().describe('In English.'),
  timeZone: z.string().optional().describe('Time zone, as an IANA name; left out if unknown.'),
  coordinates: z
    .strictObject({
      lat: z.number().describe('Latitude in degrees, north positive.'),
      lng: z.number().describe('Longitude in degrees, east positive.'),
    })
    .optional()
    .describe('Where it is; left out if unknown.'),
});

export const search = operation({
  id: 'airports.search',
  category: 'airports',
  priceName: 'airportSearch',
  method: 'POST',
  paths: { x402: '/v1/airports/search', account: '/v1/account/airports/search' },
  price: '0.001',
  title: 'Search airports',
  summary:
    'Find airports by IATA code (also of a metropolitan area, such as LON), ICAO code, city, airport name, country or region: at most 20, best match first. Tolerates missing accents, names in other languages and typos.',
  params: noParams,
  body: z.strictObject({
    query: z
      .string()
      .min(1)
      .max(airportLimits.queryLengthMax)
      .meta({
        description: 'An IATA or ICAO code, city, airport name or country.',
        examples: ['LHR', 'tokyo'],
      }),
  }),
  takesBody: true,
  minimalBody: { query: 'london' },
  output: z.strictObject({
    query: z.string().describe('The query of the request.'),
    airports: z.array(airport).describe('The airports found, best match first; empty if there are none.'),
    meta: searchMeta,
  }),
  errors: ['invalid_input', 'body_too_large'],
  example: {
    params: {},
    body: { query: 'tokyo' },
    output: {
      query: 'tokyo',
      airports: [
        {
          iataCode: 'HND',
          name: 'Tokyo International Airport',
          cityName: 'Tokyo',
          countryCode: 'JP',
          countryName: 'Japan',
          timeZone: 'Asia/Tokyo',
          coordinates: { lat: 35.5523, lng: 139.7797 },
        },
        {
          iataCode: 'NRT',
          name: 'Narita International Airport',
          cityName: 'Tokyo',
          countryCode: 'JP',
          countryName: 'Japan',
          timeZone: 'Asia/Tokyo',
          coordinates: { lat: 35.7647, lng: 140.3864 },
        },
        {
          iataCode: 'OKO',
          name: 'Yokota Air Base',
          cityName: 'Tokyo',
          countryCode: 'JP',
          countryName: 'Japan',
          timeZone: 'Asia/Tokyo',
          coordinates: { lat: 35.7485, lng: 139.3485 },
        },
      ],
      meta: { resultCount: 3, searchedAt: '2026-12-01T00:00:00.000Z' },
    },
  },
});

export const paid = [search];
