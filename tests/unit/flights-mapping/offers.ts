/** An offer with everything that Duffel documents about offers; tests change parts of it. */

const airline = { id: 'arl_1', name: 'Duffel Airways', iata_code: 'ZZ' };
const lisbon = {
  type: 'airport',
  id: 'arp_lis_pt',
  iata_code: 'LIS',
  icao_code: 'LPPT',
  name: 'Humberto Delgado Airport',
  city_name: 'Lisbon',
  iata_city_code: 'LIS',
  iata_country_code: 'PT',
  latitude: 38.77,
  longitude: -9.13,
  time_zone: 'Europe/Lisbon',
  city: null,
};
const gatwick = {
  ...lisbon,
  id: 'arp_lgw_gb',
  iata_code: 'LGW',
  icao_code: 'EGKK',
  name: 'London Gatwick Airport',
  iata_city_code: 'LON',
  iata_country_code: 'GB',
  time_zone: 'Europe/London',
  city: { id: 'cit_lon_gb', type: 'city', name: 'London', iata_code: 'LON', iata_country_code: 'GB' },
};

const completeSegment = {
  id: 'seg_1',
  departing_at: '2027-03-04T07:10:00',
  arriving_at: '2027-03-04T09:55:00',
  duration: 'PT02H45M',
  distance: '1560.2',
  origin_terminal: '1',
  destination_terminal: null,
  origin: lisbon,
  destination: gatwick,
  aircraft: { id: 'arc_1', name: 'Airbus A320neo', iata_code: '32N' },
  marketing_carrier: airline,
  marketing_carrier_flight_number: '0417',
  operating_carrier: airline,
  operating_carrier_flight_number: '0417',
  stops: [],
  passengers: [
    {
      passenger_id: 'pas_1',
      cabin_class: 'economy',
      cabin_class_marketing_name: 'Economy Basic',
      fare_basis_code: 'TZZBAS1',
      baggages: [
        { type: 'carry_on', quantity: 1 },
        { type: 'checked', quantity: 0 },
      ],
      cabin: null,
    },
  ],
};

export const segment = (changes: Partial<Record<keyof typeof completeSegment, unknown>> = {}) => ({
  ...completeSegment,
  ...changes,
});

const completeSlice = {
  id: 'sli_1',
  duration: 'PT02H45M',
  fare_brand_name: 'Basic',
  ngs_shelf: 1,
  comparison_key: 'k1',
  origin_type: 'airport',
  destination_type: 'airport',
  origin: lisbon,
  destination: gatwick,
  conditions: {
    change_before_departure: null,
    advance_seat_selection: null,
    priority_boarding: null,
    priority_check_in: null,
  },
  segments: [segment()],
};

export const slice = (changes: object = {}) => ({ ...completeSlice, ...changes });

export const completeOffer = {
  id: 'off_0000Ah1xExample',
  live_mode: false,
  partial: false,
  total_amount: '187.40',
  total_currency: 'EUR',
  base_amount: '150.00',
  base_currency: 'EUR',
  tax_amount: '37.40',
  tax_currency: 'EUR',
  total_emissions_kg: '212',
  created_at: '2026-11-21T09:10:12Z',
  updated_at: '2026-11-21T09:10:12Z',
  expires_at: '2026-11-21T09:40:12Z',
  owner: { ...airline, logo_symbol_url: null, logo_lockup_url: null, conditions_of_carriage_url: null },
  passenger_identity_documents_required: false,
  supported_passenger_identity_document_types: ['passport'],
  supported_loyalty_programmes: [],
  private_fares: [],
  payment_requirements: {
    requires_instant_payment: true,
    payment_required_by: null,
    price_guarantee_expires_at: null,
  },
  conditions: {
    refund_before_departure: null,
    change_before_departure: { allowed: true, penalty_amount: '45.00', penalty_currency: 'EUR' },
  },
  passengers: [
    { id: 'pas_1', type: 'adult', age: null, fare_type: null },
    { id: 'pas_2', type: 'child', age: 7, fare_type: null },
  ],
  slices: [slice()],
};
