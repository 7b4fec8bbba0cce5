import { z } from 'zod';
import { offerDetails, searchResult } from './flight-answers';
import { noBody, noParams, operation } from './operation';
import { forwardedErrors } from './providers';
import { calendarDate, findJourneyFaults, placeCode } from './travel';

const flightLimits = {
  resultsMax: 50,
  passengersMax: 9,
  offerIdLengthMax: 256,
} as const;

const travelClasses = ['ECONOMY', 'PREMIUM_ECONOMY', 'BUSINESS', 'FIRST'] as const;
const passengers = (min: number) =>
  z
    .number()
    .int()
    .min(min)
    .max(flightLimits.passengersMax)
    .default(min)
    .meta({ examples: [min] });

/** The body of a flight search. */
const searchRequest = z
  .strictObject({
    origin: placeCode.describe('IATA code of an airport or a metropolitan area, such as LON.'),
    destination: placeCode.describe('IATA code of an airport or a metropolitan area, such as LON.'),
    departureDate: calendarDate.describe('Local departure date, YYYY-MM-DD; not in the past.'),
    returnDate: calendarDate
      .optional()
      .describe('Local return date, YYYY-MM-DD. Omit it for a one-way trip.'),
    adults: passengers(1).describe('Passengers aged 12 or over.'),
    children: passengers(0).describe(
      'Passengers aged 2 to 11. A group that the flight provider does not take is refused before payment.',
    ),
    infants: passengers(0).describe("Passengers under 2, on an adult's lap."),
    travelClass: z.enum(travelClasses).default('ECONOMY').describe('Cabin.'),
    nonStop: z
      .boolean()
      .optional()
      .describe('If true, return only offers whose itineraries have one segment each.'),
    maxResults: z
      .number()
      .int()
      .min(1)
      .max(flightLimits.resultsMax)
      .default(flightLimits.resultsMax)
      .meta({ description: 'Maximum number of offers, cheapest first.', examples: [10] }),
    maxPrice: z
      .number()
      .gt(0)
      .optional()
      .meta({
        description: 'Maximum total price. Prices are not converted.',
        examples: [250],
      }),
    currency: z
      .string()
      .toUpperCase()
      .regex(/^[A-Z]{3}$/, { error: 'must be a three-letter ISO 4217 code such as EUR' })
      .optional()
      .meta({
        description: 'ISO 4217 code; with maxPrice, return only offers in this currency.',
        examples: ['EUR'],
      }),
  })
  .check(({ value, issues }) => {
    for (const fault of findJourneyFaults(value)) issues.push({ ...fault, code: 'custom', input: value });
  });

const exampleSegment = {
  departure: { airportCode: 'LIS', at: '2027-03-04T07:10:00' },
  arrival: { airportCode: 'LGW', at: '2027-03-04T09:55:00' },
  carrierCode: 'ZZ',
  operatingCarrierCode: 'ZZ',
  flightNumber: 'ZZ0417',
  aircraft: 'Airbus A320neo',
  duration: 'PT2H45M',
};
const exampleItinerary = { duration: 'PT2H45M', numberOfStops: 0, segments: [exampleSegment] };
const exampleId = 'off_0000Ah1xExample';

export const search = operation({
  id: 'flights.search',
  category: 'flights',
  priceName: 'flightSearch',
  method: 'POST',
  paths: {
    x402: '/v1/flights/search',
    mpp: '/v1/mpp/flights/search',
    account: '/v1/account/flights/search',
  },
  price: '0.05',
  title: 'Search flights',
  summary:
    'Search live flight offers from many airlines by route, dates and passengers, cheapest first. An empty result is charged too.',
  params: noParams,
  body: searchRequest,
  takesBody: true,
  minimalBody: { origin: 'LIS', destination: 'LON', departureDate: '2027-03-04' },
  providers: ['duffel'],
  output: searchResult,
  errors: [...forwardedErrors, 'passengers_refused', 'uncharged_work_limit'],
  example: {
    params: {},
    body: { origin: 'LIS', destination: 'LON', departureDate: '2027-03-04', nonStop: true, maxResults: 5 },
    output: {
      results: [
        {
          id: exampleId,
          source: 'flight_search',
          totalPrice: '187.40',
          currency: 'EUR',
          airlineCodes: ['ZZ'],
          itineraries: [exampleItinerary],
        },
      ],
      meta: { resultCount: 1, searchedAt: '2026-12-01T00:00:00.000Z' },
    },
  },
});

export const offer = operation({
  id: 'flights.offer',
  category: 'flights',
  priceName: 'flightOffer',
  method: 'GET',
  paths: { x402: '/v1/flights/offers/{id}', account: '/v1/account/flights/offers/{id}' },
  price: '0.01',
  title: 'Get a flight offer',
  summary:
    'Get one flight offer with its current price, cabins, baggage and fare conditions. An unknown or expired offer costs nothing.',
  params: z.strictObject({
    id: z
      .string()
      .min(1)
      .max(flightLimits.offerIdLengthMax)
      .regex(/^[A-Za-z0-9_-]+$/, { error: 'must be an offer ID from a search result' })
      .meta({ description: 'An offer ID from a search result.', examples: [exampleId] }),
  }),
  body: noBody,
  takesBody: false,
  providers: ['duffel'],
  output: offerDetails,
  failsUncharged: true,
  errors: [
    'invalid_input',
    'offer_not_found',
    'uncharged_work_limit',
    'provider_unconfigured',
    'provider_unavailable',
  ],
  example: {
    params: { id: exampleId },
    body: {},
    output: {
      id: exampleId,
      totalPrice: '187.40',
      currencyCode: 'EUR',
      validatingAirlineCodes: ['ZZ'],
      cabin: 'economy',
      itineraries: [
        {
          ...exampleItinerary,
          segments: [{ ...exampleSegment, cabin: 'economy', cabinMarketingName: 'Economy Basic' }],
          conditions: { description: 'Fare: Basic.' },
        },
      ],
      baggageAllowance: { carryOn: 1, checked: 0 },
      fareConditions: {
        changeable: true,
        changePenaltyAmount: '45.00',
        changePenaltyCurrency: 'EUR',
        supportedPassengerIdentityDocumentTypes: ['passport'],
      },
      conditions: {
        description:
          'Changes before departure: 45.00 EUR. A refund before departure: not said by the airline.',
      },
      searchedAt: '2026-12-01T00:00:00.000Z',
    },
  },
});

export const paid = [search, offer];
