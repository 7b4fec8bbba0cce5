import { tools } from '@/lib/catalog';
import { expectError } from '../support/expectations';
import { stack } from '../support/stack';
import { expect, test } from '../support/without-browser';

const post = (body: unknown) =>
  fetch(`${stack().apiUrl}/v1/tools/flight-booking-links`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
const oneWay = { origin: 'LIS', destination: 'LHR', departureDate: '2027-03-04' };

test('one-way and return links are free and need no payment header', async () => {
  const one = await post(oneWay);
  expect(one.status).toBe(200);
  expect(one.headers.get('payment-required')).toBeNull();
  const there = tools.flightBookingLinks.output.parse(await one.json());
  expect(there.links).toEqual({
    googleFlights: 'https://www.google.com/travel/flights?q=One-way+flights+from+LIS+to+LHR+on+2027-03-04',
    skyscanner: 'https://www.skyscanner.net/transport/flights/lis/lhr/270304/',
  });
  expect(there.limitations.join(' ')).toMatch(/reserve nothing/);
  const back = await post({ ...oneWay, origin: 'lon', returnDate: '2027-03-11' });
  expect((await back.json()).links).toEqual({
    googleFlights:
      'https://www.google.com/travel/flights?q=Flights+from+LON+to+LHR+on+2027-03-04+through+2027-03-11',
    skyscanner: 'https://www.skyscanner.net/transport/flights/lon/lhr/270304/270311/',
  });
});

const date = 'must be a calendar date, YYYY-MM-DD';
const place = 'must be the IATA code of an airport or metropolitan area; airport search finds codes';
const wrong: readonly [body: unknown, path: string, rule: string | RegExp][] = [
  [{}, 'origin', 'is required'],
  [{ ...oneWay, origin: 'L' }, 'origin', /^must be /],
  [{ ...oneWay, origin: 7 }, 'origin', 'must be a string'],
  [{ ...oneWay, origin: 'QQQ' }, 'origin', place],
  [{ ...oneWay, destination: 'TXL' }, 'destination', place],
  [{ ...oneWay, destination: 'LIS' }, 'destination', 'must differ from origin'],
  [{ ...oneWay, departureDate: '2027-02-30' }, 'departureDate', date],
  [{ ...oneWay, departureDate: '2027-13-01' }, 'departureDate', date],
  [{ ...oneWay, departureDate: '4 March' }, 'departureDate', date],
  [{ ...oneWay, returnDate: '2027-03-03' }, 'returnDate', 'must not be before departureDate'],
  [{ ...oneWay, returnDate: '2027-02-29' }, 'returnDate', date],
  [{ ...oneWay, adults: 2 }, 'adults', 'is not a known field'],
  ['{', 'body', 'must be JSON in UTF-8'],
  [[], 'body', 'must be an object'],
];

test('an invalid journey is refused with field, rule and example', async () => {
  for (const [body, path, rule] of wrong) {
    const error = await expectError(await post(body), 'invalid_input');
    const words = JSON.stringify(body);
    expect(error.issues?.[0]?.path, words).toBe(path);
    if (typeof rule === 'string') expect(error.issues?.[0]?.rule, words).toBe(rule);
    else expect(error.issues?.[0]?.rule, words).toMatch(rule);
    expect(error.example).toEqual(tools.flightBookingLinks.minimalBody);
  }
});

test('leap days and same-day returns are accepted', async () => {
  for (const body of [
    { ...oneWay, departureDate: '2028-02-29' },
    { ...oneWay, returnDate: oneWay.departureDate },
  ]) {
    expect((await post(body)).status).toBe(200);
  }
});
