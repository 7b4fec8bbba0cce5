import type { z } from 'zod';
import type * as catalog from '@/lib/catalog/adapter-tools';
import * as airports from '@/lib/catalog/airports';
import { isApiError } from '@/lib/catalog/errors/api-error';
import * as flights from '@/lib/catalog/flights';
import { bookingLinks } from '@/lib/services/flights/booking-links';
import { ToolError } from '@/packages/client/tool-error';
import { buy } from './paid';
import type { Run } from './tool';

export const runSearchFlights: Run<z.output<typeof catalog.searchFlights.input>> = (adapter, body, signal) =>
  buy(adapter, flights.search, { body }, signal);

export const runSearchAirports: Run<z.output<typeof catalog.searchAirports.input>> = (
  adapter,
  body,
  signal,
) => buy(adapter, airports.search, { body }, signal);

export const runOfferDetails: Run<{ id: string }> = (adapter, params, signal) =>
  buy(adapter, flights.offer, { params }, signal);

/** Does the same as the service's own call, without using the network or the state. */
export const runBookingLinks: Run<z.output<typeof catalog.bookingLinks.input>> = async (_, journey) => {
  try {
    return { output: bookingLinks(journey) };
  } catch (error) {
    if (!isApiError(error)) throw error;
    const { code, message, issues, payment } = error;
    throw new ToolError({ code, message, issues, payment, retry: 'fix_input' });
  }
};
