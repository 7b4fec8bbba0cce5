import { offer as offerOperation, search } from '@/lib/catalog/flights';
import { type DuffelOffer, duffelOffer } from '@/lib/services/flights/duffel/offer';
import { detailsOf } from '@/lib/services/flights/offer-details';
import { resultsOf } from '@/lib/services/flights/search-flights';
import { expect, test } from '../support/without-browser';
import { completeOffer, segment, slice } from './flights-mapping/offers';

const now = new Date('2026-12-01T00:00:00.000Z');
const read = (changes: object = {}): DuffelOffer => duffelOffer.parse({ ...completeOffer, ...changes });
/** The details as callers get them: through JSON and the catalog's own schema. */
const details = (changes: object = {}) =>
  offerOperation.output.parse(JSON.parse(JSON.stringify(detailsOf(read(changes), now))));
const wishes = { nonStop: undefined, maxPrice: undefined, currency: undefined, maxResults: 50 };
const found = (offers: readonly DuffelOffer[]) => ({ offers, unreadable: 0, hasMore: false });
const results = (offers: DuffelOffer[], more: Partial<typeof wishes> | object = {}) =>
  search.output.parse(JSON.parse(JSON.stringify(resultsOf(found(offers), { ...wishes, ...more }, now))));

test('a complete offer becomes a search result, field by field', () => {
  expect(results([read()])).toEqual({
    results: [
      {
        id: 'off_0000Ah1xExample',
        source: 'flight_search',
        totalPrice: '187.40',
        currency: 'EUR',
        airlineCodes: ['ZZ'],
        itineraries: [
          {
            duration: 'PT02H45M',
            numberOfStops: 0,
            segments: [
              {
                departure: { airportCode: 'LIS', at: '2027-03-04T07:10:00' },
                arrival: { airportCode: 'LGW', at: '2027-03-04T09:55:00' },
                carrierCode: 'ZZ',
                operatingCarrierCode: 'ZZ',
                flightNumber: 'ZZ0417',
                aircraft: 'Airbus A320neo',
                duration: 'PT02H45M',
              },
            ],
          },
        ],
      },
    ],
    meta: { resultCount: 1, searchedAt: '2026-12-01T00:00:00.000Z' },
  });
});

test('a complete offer becomes offer details, field by field', () => {
  const [itinerary] = results([read()]).results[0]?.itineraries ?? [];
  expect(details()).toEqual({
    id: 'off_0000Ah1xExample',
    totalPrice: '187.40',
    currencyCode: 'EUR',
    validatingAirlineCodes: ['ZZ'],
    cabin: 'economy',
    itineraries: [
      {
        ...itinerary,
        segments: [{ ...itinerary?.segments[0], cabin: 'economy', cabinMarketingName: 'Economy Basic' }],
        conditions: {
          description: 'Fare: Basic. Changes before departure: not said by the airline.',
        },
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
      description: 'Changes before departure: 45.00 EUR. A refund before departure: not said by the airline.',
    },
    searchedAt: '2026-12-01T00:00:00.000Z',
  });
});

/** Changes to the complete offer, and the expected changes in its details. */
const detailCases: Readonly<Record<string, readonly [changes: object, expected: object]>> = {
  'there and back': [
    { slices: [slice(), slice({ duration: 'P1DT3H', segments: [segment(), segment()] })] },
    { itineraries: [{ numberOfStops: 0 }, { duration: 'P1DT3H', numberOfStops: 1 }] },
  ],
  'a technical stop within a flight': [
    { slices: [slice({ segments: [segment({ stops: [{ id: 'sto_1' }, { id: 'sto_2' }] })] })] },
    { itineraries: [{ numberOfStops: 2, segments: [{ flightNumber: 'ZZ0417' }] }] },
  ],
  'sold by one airline, flown by another': [
    {
      slices: [slice({ segments: [segment({ operating_carrier: { name: 'Other Air', iata_code: 'OA' } })] })],
    },
    {
      itineraries: [
        { segments: [{ carrierCode: 'ZZ', operatingCarrierCode: 'OA', flightNumber: 'ZZ0417' }] },
      ],
    },
  ],
  'one cabin on one flight, another on the next': [
    {
      slices: [
        slice({
          segments: [
            segment(),
            segment({ passengers: [{ cabin_class: 'business', cabin_class_marketing_name: 'Club' }] }),
          ],
        }),
      ],
    },
    {
      cabin: undefined,
      itineraries: [{ segments: [{ cabin: 'economy' }, { cabin: 'business', cabinMarketingName: 'Club' }] }],
    },
  ],
  'different cabins for two passengers': [
    {
      slices: [
        slice({
          segments: [segment({ passengers: [{ cabin_class: 'economy' }, { cabin_class: 'business' }] })],
        }),
      ],
    },
    { cabin: undefined, itineraries: [{ segments: [{ cabin: undefined }] }] },
  ],
  'a cabin that has no name here': [
    { slices: [slice({ segments: [segment({ passengers: [{ cabin_class: 'suite' }] })] })] },
    { cabin: undefined },
  ],
  'no conditions at all': [
    { conditions: null },
    {
      fareConditions: { supportedPassengerIdentityDocumentTypes: ['passport'] },
      conditions: {
        description:
          'Changes before departure: not said by the airline. A refund before departure: not said by the airline.',
      },
    },
  ],
  'not changeable, refunded for nothing': [
    {
      conditions: {
        change_before_departure: { allowed: false, penalty_amount: null, penalty_currency: null },
        refund_before_departure: { allowed: true, penalty_amount: '0.00', penalty_currency: 'EUR' },
      },
    },
    {
      fareConditions: {
        changeable: false,
        refundable: true,
        refundPenaltyAmount: '0.00',
        refundPenaltyCurrency: 'EUR',
        supportedPassengerIdentityDocumentTypes: ['passport'],
      },
      conditions: {
        description: 'Changes before departure: not allowed. A refund before departure: free.',
      },
    },
  ],
  'refunded for a fee that is not known': [
    {
      conditions: {
        change_before_departure: null,
        refund_before_departure: { allowed: true, penalty_amount: null, penalty_currency: null },
      },
    },
    {
      fareConditions: { refundable: true, supportedPassengerIdentityDocumentTypes: ['passport'] },
      conditions: {
        description:
          'Changes before departure: not said by the airline. A refund before departure: allowed, for a fee that is not known.',
      },
    },
  ],
  'no airline code of the seller': [
    { owner: { name: 'Nameless', iata_code: null } },
    { validatingAirlineCodes: [] },
  ],
};

for (const [what, [changes, expected]] of Object.entries(detailCases)) {
  test(`details of an offer: ${what}`, () => {
    const made = details(changes);
    expect(made).toMatchObject(JSON.parse(JSON.stringify(expected)));
    for (const [name, value] of Object.entries(expected)) {
      if (value === undefined) expect(made).not.toHaveProperty(name);
      if (name === 'fareConditions') expect(made.fareConditions).toEqual(value);
    }
  });
}

type Bags = readonly { type: string; quantity: number }[] | null;
const bag = (type: string, quantity: number) => ({ type, quantity });

/** The bags that each segment lists, and the allowance for the whole journey. */
const baggage: readonly [what: string, segments: readonly Bags[], allowance: object][] = [
  ['the same everywhere', [[bag('carry_on', 1), bag('checked', 2)]], { carryOn: 1, checked: 2 }],
  ['the fewest of all flights', [[bag('checked', 2)], [bag('checked', 1)]], { checked: 1 }],
  ['none at all, said so', [[bag('carry_on', 0), bag('checked', 0)]], { carryOn: 0, checked: 0 }],
  ['two entries of one type', [[bag('checked', 1), bag('checked', 1)]], { checked: 2 }],
  ['one flight says nothing', [[bag('carry_on', 1)], []], {}],
  ['nothing said', [[]], {}],
  ['no list', [null], {}],
  ['hand baggage alone', [[bag('carry_on', 1)]], { carryOn: 1 }],
];

for (const [what, segments, allowance] of baggage) {
  test(`baggage: ${what}`, () => {
    const flown = segments.map((baggages) => segment({ passengers: [{ cabin_class: 'economy', baggages }] }));
    expect(details({ slices: [slice({ segments: flown })] }).baggageAllowance).toEqual(allowance);
  });
}

/** Whichever of these Duffel leaves out or sends as null, the rest of the offer is kept. */
const gaps = ['duration', 'aircraft', 'marketing_carrier', 'marketing_carrier_flight_number'] as const;
const moreGaps = ['operating_carrier', 'stops', 'passengers', 'departing_at', 'origin'] as const;

for (const gap of [...gaps, ...moreGaps]) {
  test(`a segment without ${gap} is returned without it`, () => {
    const { [gap]: _, ...without } = segment();
    for (const flown of [without, segment({ [gap]: null })]) {
      const offer = { slices: [slice({ segments: [flown] })] };
      expect(details(offer).itineraries[0]?.segments).toHaveLength(1);
      expect(results([read(offer)]).results).toHaveLength(1);
      expect(JSON.stringify(details(offer))).not.toContain('null');
    }
  });
}

/** Details in a form that Duffel does not document. */
const oddities: Readonly<Record<string, object>> = {
  'bags without a number': {
    slices: [
      slice({ segments: [segment({ passengers: [{ baggages: [{ type: 'checked', quantity: null }] }] })] }),
    ],
  },
  'a number of bags as text': {
    slices: [
      slice({ segments: [segment({ passengers: [{ baggages: [{ type: 'checked', quantity: '1' }] }] })] }),
    ],
  },
  'stops that are no list': { slices: [slice({ segments: [segment({ stops: 0 })] })] },
  'an aircraft as text': { slices: [slice({ segments: [segment({ aircraft: 'A320' })] })] },
  'a condition as text': { conditions: { change_before_departure: { allowed: 'yes' } } },
  'documents as text': { supported_passenger_identity_document_types: 'passport' },
};

for (const [what, changes] of Object.entries(oddities)) {
  test(`an offer with ${what} is offered without them`, () => {
    expect(results([read(changes)]).results).toHaveLength(1);
    expect(details(changes).totalPrice).toBe('187.40');
  });
}

test('a flight number that is a number, and a currency in lower case, are read', () => {
  const flown = { slices: [slice({ segments: [segment({ marketing_carrier_flight_number: 417 })] })] };
  const [result] = results([read({ ...flown, total_currency: 'eur' })]).results;
  expect(result).toMatchObject({ currency: 'EUR', itineraries: [{ segments: [{ flightNumber: 'ZZ417' }] }] });
});

test('an itinerary says nothing about refunds, which are conditions of the whole offer', () => {
  const change_before_departure = { allowed: true, penalty_amount: '10.00', penalty_currency: 'GBP' };
  const { itineraries } = details({ slices: [slice({ conditions: { change_before_departure } })] });
  expect(itineraries[0]?.conditions?.description).toBe('Fare: Basic. Changes before departure: 10.00 GBP.');
});

test('the selling airline replaces airlines that are not named', () => {
  const offer = read({ slices: [slice({ segments: [segment({ marketing_carrier: null })] })] });
  expect(results([offer]).results[0]?.airlineCodes).toEqual(['ZZ']);
});

const priced = (id: string, total_amount: string, total_currency = 'EUR', connections = 0) =>
  read({
    ...{ id, total_amount, total_currency },
    slices: [slice({ segments: Array.from({ length: connections + 1 }, () => segment()) })],
  });
const many = [
  priced('off_dear', '1000.00'),
  priced('off_cheap', '99.90', 'EUR', 1),
  priced('off_pounds', '88.00', 'GBP'),
  priced('off_middle', '250.00'),
];
const noted = (more: object) => {
  const { results: found, warnings = [] } = results(many, more);
  return { ids: found.map(({ id }) => id.slice(4)), warnings };
};

const wishCases: readonly [what: string, wish: object, ids: string[], warnings: (string | RegExp)[]][] = [
  ['nothing', {}, ['pounds', 'cheap', 'middle', 'dear'], [/different currencies/]],
  ['two results', { maxResults: 2 }, ['pounds', 'cheap'], [/different currencies/]],
  [
    'non-stop',
    { nonStop: true },
    ['pounds', 'middle', 'dear'],
    [/^1 offer was left out because .*non-stop/, /currencies/],
  ],
  ['nonStop false', { nonStop: false }, ['pounds', 'cheap', 'middle', 'dear'], [/currencies/]],
  ['at most 250', { maxPrice: 250 }, ['pounds', 'cheap', 'middle'], [/^1 offer .*maxPrice/, /currencies/]],
  [
    'at most 250 EUR',
    { maxPrice: 250, currency: 'EUR' },
    ['cheap', 'middle'],
    [/^1 offer .*in EUR/, /^1 offer .*maxPrice/],
  ],
  ['at most 10', { maxPrice: 10 }, [], [/^4 offers .*maxPrice/]],
  [
    'a currency alone',
    { currency: 'EUR' },
    ['pounds', 'cheap', 'middle', 'dear'],
    [/no effect/, /currencies/],
  ],
];

for (const [what, wish, ids, warnings] of wishCases) {
  test(`filters are applied and results sorted, cheapest first: ${what}`, () => {
    const told = noted(wish);
    expect(told.ids).toEqual(ids);
    expect(told.warnings).toEqual(warnings.map((warning) => expect.stringMatching(warning)));
  });
}

test('a search without offers is an empty list with a warning', () => {
  expect(results([])).toMatchObject({
    results: [],
    meta: { resultCount: 0 },
    warnings: ['No offers were found for this search.'],
  });
});
