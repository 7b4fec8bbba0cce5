import { createHash } from 'node:crypto';

/** Generates flight offers from the search alone: equal searches have equal offers, and an id contains its search. */

export type FlightSearch = {
  slices: { origin: string; destination: string; departure_date: string }[];
  passengers: ({ type: string } | { age: number })[];
  cabin_class: string;
  max_connections: number;
};

const offerCount = 24;
/** Of a busy route, JFK to Madrid. */
const busyRouteOffers = 10_000;
/** Easter Island, two connections from almost everywhere. */
const remotePlace = 'IPC';
const hubs = ['FRA', 'AMS', 'IST', 'DXB', 'ORD'];
const airlines = [
  { id: 'arl_zz', name: 'Duffel Airways', iata_code: 'ZZ' },
  { id: 'arl_zy', name: 'Sandbox Air', iata_code: 'ZY' },
  { id: 'arl_zx', name: 'Pretend Airlines', iata_code: 'ZX' },
] as const;
const aircraft = ['Airbus A320neo', 'Boeing 787-9', 'Embraer E195-E2'];

/** The ID of a search, from which its offers can be made. */
export function searchIdOf(search: FlightSearch): string {
  return `orq_${Buffer.from(textOf(search)).toString('base64url')}`;
}

/** The search with an ID from `searchIdOf`; null for any other ID. */
export function findSearch(id: string): FlightSearch | null {
  return searchIn(Buffer.from(id.slice('orq_'.length), 'base64url').toString('utf8'));
}

/** All offers of a search, in the order of their numbers. */
export function makeOffers(search: FlightSearch): object[] {
  return numbersOf(search).map((index) => makeOffer(search, index));
}

export type Page = { data: object[]; after: string | null; before: string | null };

/** One page of the offers of a search, cheapest first. `after` is the position where it begins. */
export function pageOfOffers(search: FlightSearch, limit: number, after = 0): Page {
  const sorted = cheapestFirst(search);
  return {
    data: sorted.slice(after, after + limit).map((index) => makeOffer(search, index)),
    after: after + limit < sorted.length ? String(after + limit) : null,
    before: after > 0 ? String(after) : null,
  };
}

/** The order of the last search, because its pages follow each other. */
let last: { id: string; numbers: readonly number[] } | null = null;

function cheapestFirst(search: FlightSearch): readonly number[] {
  const id = searchIdOf(search);
  if (last?.id !== id) {
    const priced = numbersOf(search).map((index) => ({ index, cents: centsOf(search, index) }));
    const sorted = priced.toSorted((one, other) => one.cents - other.cents);
    last = { id, numbers: sorted.map(({ index }) => index) };
  }
  return last.numbers;
}

function numbersOf(search: FlightSearch): number[] {
  const [there] = search.slices;
  const isBusy = there?.origin === 'JFK' && there.destination === 'MAD';
  return Array.from({ length: isBusy ? busyRouteOffers : offerCount }, (_, index) => index).filter((index) =>
    search.slices.every((slice) => routeOf(slice, index).length - 2 <= search.max_connections),
  );
}

/** The offer with an id from `makeOffers`; null for any other id. */
export function findOffer(id: string): object | null {
  const text = Buffer.from(id.slice('off_'.length), 'base64url').toString('utf8');
  const search = searchIn(text);
  const [, index] = /^(?:\S* ){4}(\d+)$/.exec(text) ?? [];
  if (!search || index === undefined) return null;
  const offer = makeOffer(search, Number(index));
  return offer.id === id ? offer : null;
}

function searchIn(text: string): FlightSearch | null {
  const [slices = '', ages = '', cabin_class = '', connections] = text.split(' ');
  if (!/^([A-Z]{3}[A-Z]{3}[\d-]{10})+$/.test(slices)) return null;
  return {
    slices: (slices.match(/.{16}/g) ?? []).map((slice) => ({
      origin: slice.slice(0, 3),
      destination: slice.slice(3, 6),
      departure_date: slice.slice(6),
    })),
    passengers: ages.split(',').map((age) => (age === '' ? { type: 'adult' } : { age: Number(age) })),
    cabin_class,
    max_connections: Number(connections),
  };
}

/** Encodes the search in the id, so that the offer can be regenerated from it. */
function idOf(search: FlightSearch, index: number): string {
  return `off_${Buffer.from(`${textOf(search)} ${index}`).toString('base64url')}`;
}

function textOf({ slices, passengers, cabin_class, max_connections }: FlightSearch): string {
  const route = slices.map(
    ({ origin, destination, departure_date }) => origin + destination + departure_date,
  );
  const ages = passengers.map((passenger) => ('age' in passenger ? passenger.age : ''));
  return [route.join(''), ages.join(','), cabin_class, max_connections].join(' ');
}

function centsOf(search: FlightSearch, index: number): number {
  return 4_000 + randomFrom(`${JSON.stringify(search)} ${index}`)(90_000) * search.passengers.length;
}

/** The airports of one direction. Every second offer has a connection, every one to a remote place has two. */
function routeOf({ origin, destination }: FlightSearch['slices'][number], index: number): string[] {
  const between = hubs.filter((code) => code !== origin && code !== destination);
  const connections = destination === remotePlace || origin === remotePlace ? 2 : index % 2;
  return [origin, ...between.slice(0, connections), destination];
}

function makeOffer(search: FlightSearch, index: number) {
  const id = idOf(search, index);
  const draw = randomFrom(`${JSON.stringify(search)} ${index} more`);
  const owner = airlines[index % airlines.length] ?? airlines[0];
  const cents = centsOf(search, index);
  const currency = index % 6 === 5 ? 'USD' : 'EUR';
  const fee = {
    allowed: true,
    penalty_amount: index % 4 === 0 ? '0.00' : '45.00',
    penalty_currency: currency,
  };
  return {
    id,
    live_mode: false,
    partial: false,
    total_amount: (cents / 100).toFixed(2),
    total_currency: currency,
    base_amount: (cents / 125).toFixed(2),
    base_currency: currency,
    tax_amount: index % 5 === 0 ? null : ((cents - cents / 1.25) / 100).toFixed(2),
    tax_currency: index % 5 === 0 ? null : currency,
    total_emissions_kg: String(80 + draw(900)),
    created_at: '2026-11-21T09:10:12.123456Z',
    updated_at: '2026-11-21T09:10:12.123456Z',
    expires_at: '2099-12-31T00:00:00Z',
    owner: { ...owner, logo_symbol_url: null, logo_lockup_url: null, conditions_of_carriage_url: null },
    passenger_identity_documents_required: index % 2 === 0,
    supported_passenger_identity_document_types: index % 2 === 0 ? ['passport'] : [],
    supported_loyalty_programmes: [],
    private_fares: [],
    payment_requirements: {
      requires_instant_payment: true,
      payment_required_by: null,
      price_guarantee_expires_at: null,
    },
    conditions: {
      change_before_departure: index % 3 === 0 ? null : fee,
      refund_before_departure:
        index % 3 === 1 ? null : { allowed: false, penalty_amount: null, penalty_currency: null },
    },
    passengers: search.passengers.map((passenger, at) => ({
      id: `pas_${at + 1}`,
      type: 'type' in passenger ? passenger.type : passenger.age < 2 ? 'infant_without_seat' : 'child',
      age: 'age' in passenger ? passenger.age : null,
      fare_type: null,
    })),
    slices: search.slices.map((slice, at) => makeSlice(search, slice, index, at)),
  };
}

function makeSlice(search: FlightSearch, slice: FlightSearch['slices'][number], index: number, at: number) {
  const draw = randomFrom(`${JSON.stringify(slice)} ${index} ${at}`);
  const route = routeOf(slice, index);
  let clock = Date.parse(`${slice.departure_date}T00:00:00Z`) + (6 * 60 + draw(14 * 60)) * 60_000;
  const began = clock;
  const segments = route.slice(1).map((to, leg) => {
    const minutes = 55 + draw(500);
    const departing = clock;
    const arriving = departing + minutes * 60_000;
    clock = arriving + 75 * 60_000;
    return makeSegment(search, { from: route[leg] ?? '', to, departing, arriving }, index, `${at}${leg}`);
  });
  const minutes = (clock - 75 * 60_000 - began) / 60_000;
  return {
    id: `sli_${index}_${at}`,
    duration: index % 7 === 6 ? null : durationOf(minutes),
    fare_brand_name: index % 4 === 3 ? null : 'Basic',
    origin_type: 'airport',
    destination_type: 'airport',
    origin: place(slice.origin),
    destination: place(slice.destination),
    conditions: { change_before_departure: null, advance_seat_selection: null, priority_boarding: null },
    segments,
  };
}

type Leg = { from: string; to: string; departing: number; arriving: number };

function makeSegment(search: FlightSearch, leg: Leg, index: number, id: string) {
  const marketing = airlines[index % airlines.length] ?? airlines[0];
  // On every fourth flight, the airline that sells it differs from the one that operates it.
  const operating = index % 4 === 1 ? airlines[(index + 1) % airlines.length] : marketing;
  const local = (time: number) => new Date(time).toISOString().slice(0, 19);
  return {
    id: `seg_${index}_${id}`,
    departing_at: local(leg.departing),
    arriving_at: local(leg.arriving),
    duration: durationOf((leg.arriving - leg.departing) / 60_000),
    distance: index % 3 === 0 ? null : '1560.2',
    origin: place(leg.from),
    destination: place(leg.to),
    origin_terminal: '1',
    destination_terminal: null,
    aircraft: index % 5 === 4 ? null : { id: 'arc_1', name: aircraft[index % 3], iata_code: '32N' },
    marketing_carrier: marketing,
    marketing_carrier_flight_number: String(100 + index).padStart(4, '0'),
    operating_carrier: operating,
    operating_carrier_flight_number: operating === marketing ? String(100 + index) : null,
    stops: index % 8 === 2 ? [{ id: 'sto_1', duration: 'PT00H40M', airport: place('SNN') }] : [],
    passengers: search.passengers.map((_, at) => ({
      passenger_id: `pas_${at + 1}`,
      cabin_class: search.cabin_class,
      cabin_class_marketing_name: `${marketing.name} ${search.cabin_class}`,
      fare_basis_code: null,
      baggages:
        index % 4 === 2
          ? []
          : [
              { type: 'carry_on', quantity: 1 },
              { type: 'checked', quantity: index % 3 },
            ],
      cabin: null,
    })),
  };
}

const place = (code: string) => ({ type: 'airport', id: `arp_${code.toLowerCase()}`, iata_code: code });

function durationOf(minutes: number): string {
  const two = (value: number) => String(Math.floor(value)).padStart(2, '0');
  return `PT${two(minutes / 60)}H${two(minutes % 60)}M`;
}

/** Pseudo-random numbers from a seed. */
function randomFrom(seed: string): (below: number) => number {
  let at = 0;
  return (below) => {
    at += 1;
    return createHash('sha256').update(`${seed} ${at}`).digest().readUInt32BE(0) % below;
  };
}
