import { z } from 'zod';
import { searchMeta } from './answer-fields';

/** What the flight operations return. */

const cabin = z.enum(['economy', 'premium_economy', 'business', 'first']);
const timestamp = z.iso.datetime();

const point = z.strictObject({
  airportCode: z
    .string()
    .optional()
    .meta({ description: 'IATA code of the airport.', examples: ['LIS'] }),
  at: z.string().optional().describe('Local time at the airport, without an offset.'),
});

const segment = z.strictObject({
  departure: point.describe('Where and when it departs.'),
  arrival: point.describe('Where and when it arrives.'),
  carrierCode: z.string().optional().describe('Code of the airline that sells the flight.'),
  operatingCarrierCode: z.string().optional().describe('Code of the airline that operates the flight.'),
  flightNumber: z.string().optional().describe('Includes the code of the airline that sells the flight.'),
  aircraft: z.string().optional().describe('Type of aircraft; left out if the airline does not say.'),
  duration: z
    .string()
    .optional()
    .meta({ description: 'Duration, ISO 8601.', examples: ['PT2H45M'] }),
});

const itinerary = z.strictObject({
  duration: z
    .string()
    .optional()
    .meta({ description: 'Duration, ISO 8601.', examples: ['PT2H45M'] }),
  numberOfStops: z.number().int().min(0).describe('Connections and technical stops.'),
  segments: z.array(segment).describe('The flights, in order.'),
});

const totalPrice = z
  .string()
  .meta({ description: 'Price for all passengers, decimal.', examples: ['187.40'] });
const currencyCode = z.string().meta({ description: 'Currency of the price, ISO 4217.', examples: ['EUR'] });

/** What a search returns. */
export const searchResult = z.strictObject({
  results: z
    .array(
      z.strictObject({
        id: z.string().describe('The offer ID. Details are at /v1/flights/offers/{id} for about 30 minutes.'),
        source: z.literal('flight_search').describe('Where the offer comes from.'),
        totalPrice,
        currency: currencyCode,
        airlineCodes: z.array(z.string()).describe('Codes of the airlines that sell the flights.'),
        itineraries: z.array(itinerary).describe('The journey out and, if there is one, the journey back.'),
      }),
    )
    .describe('The offers, cheapest first; empty if there are none.'),
  meta: searchMeta,
  warnings: z
    .array(z.string())
    .optional()
    .meta({
      description: 'What the result leaves out, in sentences.',
      examples: [['No offers were found for this search.']],
    }),
});

const conditions = z
  .strictObject({
    description: z
      .string()
      .optional()
      .describe('The conditions, in sentences; left out if the airline does not say.'),
  })
  .describe('Conditions of the fare.');

const penalty = (change: string) =>
  z
    .string()
    .optional()
    .meta({
      description: `Fee of ${change} before departure, decimal; left out if the airline does not say.`,
      examples: ['45.00'],
    });
const penaltyCurrency = currencyCode.optional().describe('Currency of the fee, ISO 4217.');

/** The details of one offer. */
export const offerDetails = z.strictObject({
  id: z.string().describe('The offer ID.'),
  totalPrice,
  currencyCode,
  validatingAirlineCodes: z.array(z.string()).describe('Codes of the airlines that issue the ticket.'),
  cabin: cabin.optional().describe('Set if it is the same for everyone on every segment.'),
  itineraries: z
    .array(
      itinerary.extend({
        segments: z
          .array(
            segment.extend({
              cabin: cabin.optional().describe('Cabin of the flight; left out if the airline does not say.'),
              cabinMarketingName: z
                .string()
                .optional()
                .describe('What the airline calls it; left out if it does not say.'),
            }),
          )
          .describe('The flights, in order.'),
        conditions: conditions.optional(),
      }),
    )
    .describe('The journey out and, if there is one, the journey back.'),
  baggageAllowance: z
    .strictObject({
      carryOn: z.number().int().min(0).optional().describe('Number of bags in the cabin.'),
      checked: z.number().int().min(0).optional().describe('Number of checked bags.'),
    })
    .describe('Bags of the first passenger for the whole journey; left out if an airline does not say.'),
  fareConditions: z
    .strictObject({
      changeable: z.boolean().optional().describe('Whether the flights can be changed.'),
      refundable: z.boolean().optional().describe('Whether the ticket can be refunded.'),
      changePenaltyAmount: penalty('a change'),
      changePenaltyCurrency: penaltyCurrency,
      refundPenaltyAmount: penalty('a refund'),
      refundPenaltyCurrency: penaltyCurrency,
      supportedPassengerIdentityDocumentTypes: z
        .array(z.string())
        .optional()
        .describe('Types of identity document that the airline accepts.'),
    })
    .describe('Conditions before departure. Fields that the airline does not provide are left out.'),
  conditions,
  searchedAt: timestamp.describe('When the offer was read, in UTC.'),
});
