import { z } from 'zod';

/**
 * The parts of Duffel's offers that we read. Duffel's types promise more than its responses contain, so fields that the
 * result can do without are optional.
 */

const text = z.string().nullish();
const airline = z.object({ name: text, iata_code: text }).nullish();
const place = z.object({ iata_code: text }).nullish();

const condition = z
  .object({ allowed: z.boolean().nullish(), penalty_amount: text, penalty_currency: text })
  .nullish();
const conditions = z
  .object({ change_before_departure: condition, refund_before_departure: condition })
  .nullish();

const traveller = z.object({
  cabin_class: text,
  cabin_class_marketing_name: text,
  baggages: z.array(z.object({ type: z.string(), quantity: z.number().int().min(0) })).nullish(),
});

const segment = z.object({
  origin: place,
  destination: place,
  departing_at: text,
  arriving_at: text,
  duration: text,
  aircraft: z.object({ name: text }).nullish(),
  marketing_carrier: airline,
  marketing_carrier_flight_number: text,
  operating_carrier: airline,
  stops: z.array(z.unknown()).nullish(),
  passengers: z.array(traveller).nullish(),
});

const slice = z.object({
  duration: text,
  fare_brand_name: text,
  conditions,
  segments: z.array(segment).min(1),
});

export const duffelOffer = z.object({
  id: z.string().min(1),
  total_amount: z.string().regex(/^\d+(\.\d+)?$/),
  total_currency: z.string().regex(/^[A-Z]{3}$/),
  owner: airline,
  conditions,
  supported_passenger_identity_document_types: z.array(z.string()).nullish(),
  slices: z.array(slice).min(1),
});

export type DuffelOffer = z.output<typeof duffelOffer>;
export type DuffelSlice = z.output<typeof slice>;
export type DuffelSegment = z.output<typeof segment>;
export type DuffelCondition = z.output<typeof condition>;
