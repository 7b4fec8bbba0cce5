import { airports, countries, metropolitanAreas } from '@/lib/services/airports/airports';
import { findAirports } from '@/lib/services/airports/find-airports';
import { typosBetween } from '@/lib/services/airports/typos';
import { expect, test } from '../support/without-browser';
import { queries } from './airports-search/queries';

const codesOf = (query: string) => findAirports(query).map(({ iataCode }) => iataCode);

for (const kind of new Set(queries.map((query) => query.kind))) {
  test(`finds what is meant first: ${kind}`, () => {
    const wrong = queries
      .filter((query) => query.kind === kind && codesOf(query.query)[0] !== query.first)
      .map(
        ({ query, first }) => `${query}: ${first} expected, ${codesOf(query).slice(0, 3).join(' ')} found`,
      );
    expect(wrong).toEqual([]);
  });
}

test('the table has more than 400 queries', () => {
  expect(queries.length).toBeGreaterThan(400);
});

test('a metropolitan code finds exactly its airports', () => {
  expect(codesOf('LON')).toEqual(['LHR', 'LGW', 'STN', 'LTN', 'LCY', 'SEN']);
  expect(codesOf('NYC')).toEqual(['JFK', 'EWR', 'LGA', 'SWF']);
  for (const [code, members] of metropolitanAreas) {
    expect([...codesOf(code)].sort(), code).toEqual(expect.arrayContaining([...members]));
  }
});

test('the code of every airport finds that airport first', () => {
  const lost = airports().filter(({ iataCode }) => codesOf(iataCode)[0] !== iataCode);
  expect(lost.map(({ iataCode }) => iataCode)).toEqual([]);
});

test('the name of every country finds airports of that country alone', () => {
  const all = [...countries];
  const found = all.map(([, [name = '']]) => [name, findAirports(name)[0]?.countryCode]);
  expect(found).toEqual(all.map(([code, [name = '']]) => [name, code]));
});

test('closed airports are not found', () => {
  const closed = [
    'TXL',
    'SXF',
    'THF',
    'ISL',
    'NAY',
    'CGX',
    'HEW',
    'TSE',
    'REP',
    'PNH',
    'ULN',
    'ADA',
    'KIV',
    'FRU',
  ];
  expect(closed.flatMap(codesOf).filter((code) => closed.includes(code))).toEqual([]);
  expect(['TSE', 'REP', 'PNH', 'NAY'].flatMap(codesOf)).toEqual([]);
  expect(airports().filter(({ iataCode }) => closed.includes(iataCode))).toEqual([]);
  expect(codesOf('berlin')).toEqual(expect.arrayContaining(['BER']));
  expect(codesOf('tegel')).not.toContain('TXL');
});

test('three or four capitals that are no code are not taken for a misspelled name', () => {
  expect(['XQZ', 'NYX', 'QQQ', 'EGZZ', 'ROMW', 'KQQQ'].flatMap(codesOf)).toEqual([]);
});

test('the ICAO code of every airport that has one finds it', () => {
  const lost = airports().filter(
    ({ iataCode, icaoCode }) => icaoCode !== null && !codesOf(icaoCode).includes(iataCode),
  );
  expect(lost.map(({ icaoCode }) => icaoCode)).toEqual([]);
});

test('gibberish, punctuation and other scripts find nothing and break nothing', () => {
  for (const query of [
    'qqqqqqqqqqqq',
    '???',
    ' ',
    '\u0000',
    '(',
    '.*',
    '💥',
    'x'.repeat(100),
    'ﷺ'.repeat(100),
  ]) {
    expect(codesOf(query), query).toEqual([]);
  }
  expect(
    codesOf('a b c d e f g h i j k l m n o p q r s t u v w x y z a b c d e f g h i j k l m n').length,
  ).toBeLessThan(21);
});

test('a result has at most twenty airports', () => {
  for (const query of ['united states', 'a', 'san', 'airport', 'international airport']) {
    expect(codesOf(query).length, query).toBeLessThanOrEqual(20);
  }
});

test('every airport of the data is complete', () => {
  const zones = new Set(Intl.supportedValuesOf('timeZone'));
  const isZone = (zone: string) =>
    zones.has(zone) || new Intl.DateTimeFormat('en', { timeZone: zone }) !== null;
  const odd = airports().filter(
    ({ iataCode, name, cityName, countryCode, countryName, timeZone, lat, lng }) =>
      !/^[A-Z0-9]{3}$/.test(iataCode) ||
      ![name, cityName, countryName].every((text) => text.trim() !== '' && text.length < 120) ||
      !/^[A-Z]{2}$/.test(countryCode) ||
      countryName === countryCode ||
      !isZone(timeZone) ||
      !(Math.abs(lat) <= 90 && Math.abs(lng) <= 180) ||
      (lat === 0 && lng === 0),
  );
  expect(odd).toEqual([]);
});

const typos: readonly [one: string, other: string, count: number][] = [
  ['london', 'london', 0],
  ['london', 'lodnon', 1],
  ['london', 'londn', 1],
  ['london', 'loondon', 1],
  ['london', 'lindon', 1],
  ['london', 'lnodno', 2],
  ['tokyo', 'kyoto', 3],
  ['', 'ab', 2],
  ['ab', '', 2],
  ['abcdef', 'fedcba', 3],
];

for (const [one, other, count] of typos) {
  test(`${one || 'nothing'} and ${other || 'nothing'} are ${count < 3 ? count : 'more than two'} typos apart`, () => {
    expect(typosBetween(one, other, 2)).toBe(count);
    expect(typosBetween(other, one, 2)).toBe(count);
  });
}
