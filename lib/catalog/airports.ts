import { z } from 'zod';
import { noParams, operation } from './operation';

const airportLimits = { queryLengthMax: 100 } as const;

const airport = z.strictObject({
  iataCode: z.string().length(3),
  name: z.string(),
  cityName: z.string(),
  countryCode: z.string().describe('ISO 3166-1 alpha-2.'),
  countryName: z.string().describe('In English.'),
  timeZone: z.string().optional().describe('IANA name.'),
  coordinates: z.strictObject({ lat: z.number(), lng: z.number() }).optional(),
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
    'Find airports by IATA code (also of a metropolitan area, such as LON), city, airport name, country or region: at most 20, best match first. Tolerates missing accents, names in other languages and typos.',
  params: noParams,
  body: z.strictObject({
    query: z
      .string()
      .min(1)
      .max(airportLimits.queryLengthMax)
      .meta({ description: 'An IATA code, city, airport name or country.', examples: ['LHR', 'tokyo'] }),
  }),
  takesBody: true,
  minimalBody: { query: 'london' },
  output: z.strictObject({
    query: z.string(),
    airports: z.array(airport),
    meta: z.strictObject({
      resultCount: z.number().int().min(0),
      searchedAt: z.iso.datetime(),
    }),
  }),
  errors: ['invalid_input', 'body_too_large'],
  example: {
    params: {},
    body: { query: 'tokio' },
    output: {
      query: 'tokio',
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
      ],
      meta: { resultCount: 1, searchedAt: '2026-12-01T00:00:00.000Z' },
    },
  },
});

export const paid = [search];
