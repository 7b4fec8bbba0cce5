import { z } from 'zod';

/**
 * The parts of Duffel's offers that we read. Duffel's types promise more than its responses contain, so fields that the
 * result can do without are optional.
 */

/** What can be left out is left out when it is odd: an offer is worth more than one of its details. */
const optional = <Schema extends z.ZodType>(schema: Schema) => schema.nullish().catch(undefined);

/** Some numbers, such as those of flights, come as text or as numbers. */
const text = optional(z.union([z.string(), z.number().transform(String)]));
const airline = optional(z.object({ name: text, iata_code: text }));
const place = optional(z.object({ iata_code: text }));

const condition = optional(
  z.object({ allowed: optional(z.boolean()), penalty_amount: text, penalty_currency: text }),
);
const conditions = optional(
  z.object({ change_before_departure: condition, refund_before_departure: condition }),
);

const traveller = z.object({
  cabin_class: text,
  cabin_class_marketing_name: text,
  baggages: optional(z.array(z.object({ type: z.string(), quantity: z.number().int().min(0) }))),
});

const segment = z.object({
  origin: place,
  destination: place,
  departing_at: text,
  arriving_at: text,
  duration: text,
  aircraft: optional(z.object({ name: text })),
  marketing_carrier: airline,
  marketing_carrier_flight_number: text,
  operating_carrier: airline,
  stops: optional(z.array(z.unknown())),
  passengers: optional(z.array(traveller)),
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
  total_currency: z
    .string()
    .toUpperCase()
    .regex(/^[A-Z]{3}$/),
  owner: airline,
  conditions,
  supported_passenger_identity_document_types: optional(z.array(z.string())),
  slices: z.array(slice).min(1),
});

export type DuffelOffer = z.output<typeof duffelOffer>;
export type DuffelSlice = z.output<typeof slice>;
export type DuffelSegment = z.output<typeof segment>;
export type DuffelCondition = z.output<typeof condition>;
