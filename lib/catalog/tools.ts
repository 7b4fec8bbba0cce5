import { z } from 'zod';
import { freeTool } from './free-operation';
import { noParams } from './operation';
import { calendarDate, findJourneyFaults, placeCode } from './travel';

export const flightBookingLinks = freeTool({
  id: 'tools.flight-booking-links',
  toolName: 'flight_booking_links',
  category: 'flights',
  method: 'POST',
  path: '/v1/tools/flight-booking-links',
  title: 'Build flight search links',
  summary:
    'Build links that open a new flight search on two external sites. They reserve nothing and guarantee no fare.',
  params: noParams,
  body: z
    .strictObject({
      origin: placeCode.describe('IATA code of an airport or a metropolitan area.'),
      destination: placeCode.describe('IATA code of an airport or a metropolitan area.'),
      departureDate: calendarDate.describe('Local departure date, YYYY-MM-DD.'),
      returnDate: calendarDate
        .optional()
        .describe('Local return date, YYYY-MM-DD. Omit it for a one-way trip.'),
    })
    .check(({ value, issues }) => {
      for (const fault of findJourneyFaults(value)) issues.push({ ...fault, code: 'custom', input: value });
    }),
  takesBody: true,
  minimalBody: { origin: 'LIS', destination: 'LHR', departureDate: '2027-03-04' },
  output: z.strictObject({
    links: z
      .strictObject({
        googleFlights: z.url().describe('The search on Google Flights.'),
        skyscanner: z.url().describe('The search on Skyscanner.'),
      })
      .describe('A link per site.'),
    limitations: z.array(z.string()).describe('What the links do not do, in sentences.'),
  }),
  errors: ['invalid_input', 'body_too_large'],
  example: {
    params: {},
    body: { origin: 'LIS', destination: 'LHR', departureDate: '2027-03-04' },
    output: {
      links: {
        googleFlights:
          'https://www.google.com/travel/flights?q=One-way+flights+from+LIS+to+LHR+on+2027-03-04',
        skyscanner: 'https://www.skyscanner.net/transport/flights/lis/lhr/270304/',
      },
      limitations: ['The links open new searches on external sites. They reserve nothing.'],
    },
  },
});

export const free = [flightBookingLinks];
