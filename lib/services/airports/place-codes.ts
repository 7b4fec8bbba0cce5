import { type Airport, countries } from './airports';

/** Codes of states and countries, as they are written after the name of a city: `Portland, ME`, `Rome, IT`. */

const statesByCode: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    ...{ AL: 'Alabama', AK: 'Alaska', AZ: 'Arizona', AR: 'Arkansas', CA: 'California', CO: 'Colorado' },
    ...{ CT: 'Connecticut', DE: 'Delaware', FL: 'Florida', GA: 'Georgia', HI: 'Hawaii', ID: 'Idaho' },
    ...{ IL: 'Illinois', IN: 'Indiana', IA: 'Iowa', KS: 'Kansas', KY: 'Kentucky', LA: 'Louisiana' },
    ...{ ME: 'Maine', MD: 'Maryland', MA: 'Massachusetts', MI: 'Michigan', MN: 'Minnesota' },
    ...{ MS: 'Mississippi', MO: 'Missouri', MT: 'Montana', NE: 'Nebraska', NV: 'Nevada' },
    ...{ NH: 'New Hampshire', NJ: 'New Jersey', NM: 'New Mexico', NY: 'New York', NC: 'North Carolina' },
    ...{ ND: 'North Dakota', OH: 'Ohio', OK: 'Oklahoma', OR: 'Oregon', PA: 'Pennsylvania' },
    ...{ RI: 'Rhode Island', SC: 'South Carolina', SD: 'South Dakota', TN: 'Tennessee', TX: 'Texas' },
    ...{ UT: 'Utah', VT: 'Vermont', VA: 'Virginia', WA: 'Washington|Western Australia' },
    ...{ WV: 'West Virginia', WI: 'Wisconsin', WY: 'Wyoming', AB: 'Alberta', BC: 'British Columbia' },
    ...{ MB: 'Manitoba', NB: 'New Brunswick', NL: 'Newfoundland and Labrador', NS: 'Nova Scotia' },
    ...{ NT: 'Northwest Territories|Northern Territory', NU: 'Nunavut', ON: 'Ontario' },
    ...{ PE: 'Prince Edward Island', QC: 'Quebec', SK: 'Saskatchewan', YT: 'Yukon' },
    ...{ NSW: 'New South Wales', QLD: 'Queensland', SA: 'South Australia', TAS: 'Tasmania' },
    ...{ VIC: 'Victoria', ACT: 'Australian Capital Territory' },
  }).map(([code, states]) => [code, states.split('|')]),
);

/** A code after a comma, or in capitals, and perhaps the country after it. */
const atEnd =
  /^(.*?\p{L}.*?)(?:\s*,\s*([A-Za-z]{2,3})|\s+([A-Z]{2,3}))(?:\s*,?\s*(?:USA?|United States|Canada|Australia))?\s*$/u;

/** A name, and whether an airport is in the place of the code after it. A code may be that of several places. */
export interface NameWithin {
  readonly name: string;
  readonly isWithin: (airport: Airport) => boolean;
}

/** The parts of a query that ends with the code of a state or country; null for any other. */
export function splitPlaceCode(query: string): NameWithin | null {
  const [, name = '', afterComma, inCapitals] = atEnd.exec(query) ?? [];
  const code = (afterComma ?? inCapitals ?? '').toUpperCase();
  const states = statesByCode.get(code) ?? [];
  if (states.length === 0 && !countries.has(code)) return null;
  return {
    name,
    isWithin: ({ countryCode, region }) => countryCode === code || states.includes(region),
  };
}

/** A degree of latitude is 111 km. */
const nearDegrees = 0.7;

/** Whether two airports may serve the same city: that of Cincinnati, Ohio, is in Kentucky. */
export function isNear(one: Airport, other: Airport): boolean {
  const east = (one.lng - other.lng) * Math.cos((one.lat * Math.PI) / 180);
  return Math.hypot(one.lat - other.lat, east) < nearDegrees;
}
