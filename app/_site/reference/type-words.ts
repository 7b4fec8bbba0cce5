import { alternativesOf, mapValuesOf, type Schema } from './schema';

/** What a schema says about the values of a field, in words. */

/** The type: `string`, `list of objects`, `boolean or object`. */
export function typeWords(schema: Schema): string {
  const words = alternativesOf(schema).flatMap((one) => {
    if (one.items) return [`list of ${plural(typeWords(one.items))}`];
    if (Array.isArray(one.type)) return one.type;
    const values = mapValuesOf(one);
    if (values) return [`map of ${plural(typeWords(values))}`];
    if (one.type !== undefined) return [String(one.type)];
    const [value] = [one.const, ...(one.enum ?? [])].filter((known) => known !== undefined);
    return [value === undefined ? 'any JSON' : typeof value];
  });
  return [...new Set(words)].join(' or ');
}

function plural(words: string): string {
  return words.split(' or ').map(pluralOfOne).join(' or ');
}

function pluralOfOne(words: string): string {
  if (/^(list|map) of /.test(words)) return words.replace(/^\w+/, '$&s');
  return words === 'any JSON' ? 'any JSON values' : `${words}s`;
}

const formats: Readonly<Record<string, string>> = {
  date: 'date, YYYY-MM-DD',
  'date-time': 'date and time, ISO 8601',
  email: 'email address',
  uri: 'URL',
  url: 'URL',
};

/** The format, such as `URL` or `three-letter IATA code`; null if it has no name. For a list, the format of its entries. */
export function formatWords(schema: Schema): string | null {
  const [named] = alternativesOf(schema).flatMap(
    ({ format, patternWords, items }) =>
      formats[format ?? ''] ?? patternWords ?? (items && formatWords(items)) ?? [],
  );
  return named ?? null;
}

/** Longer lists are only in the OpenAPI document. */
const valuesMax = 16;

/** The values that a field can have, if they are few. */
export function valuesOf(schema: Schema): readonly string[] {
  const values = alternativesOf(schema.items ?? schema).flatMap(({ enum: all, const: only }) =>
    only === undefined ? (all ?? []) : [only],
  );
  return values.length > valuesMax ? [] : values.map((value) => JSON.stringify(value));
}

/** Bounds and default: `1 to 120 characters`, `default: 10`. */
export function ruleWords(schema: Schema): readonly string[] {
  const { default: value } = schema;
  const isEmpty = JSON.stringify(value) === '[]' || JSON.stringify(value) === '{}';
  return [
    ...new Set(alternativesOf(schema).flatMap(boundWords)),
    ...(value === undefined ? [] : [`default: ${isEmpty ? 'none' : JSON.stringify(value)}`]),
  ];
}

function boundWords(schema: Schema): readonly string[] {
  const { minLength, maxLength, minItems, maxItems, minimum, maximum, exclusiveMinimum, items } = schema;
  return [
    range(minLength, maxLength, 'characters'),
    range(minItems, maxItems, 'entries'),
    range(bound(minimum), bound(maximum), ''),
    exclusiveMinimum === undefined ? '' : `above ${exclusiveMinimum}`,
    ...(items ? boundWords(items).map((words) => `each ${words}`) : []),
  ].filter(Boolean);
}

/** Where there are no bounds, Zod writes those of safe integers. */
const bound = (value: number | undefined) =>
  value !== undefined && Math.abs(value) < Number.MAX_SAFE_INTEGER ? value : undefined;

const numbers = new Intl.NumberFormat('en-US');

function range(least: number | undefined, most: number | undefined, unit: string): string {
  const [from, to] = [least, most].map((one) => (one === undefined ? '' : numbers.format(one)));
  const words = unit === '' ? '' : ` ${unit}`;
  if (least !== undefined && most !== undefined)
    return least === most ? `${to}${words}` : `${from} to ${to}${words}`;
  if (most !== undefined) return `at most ${to}${words}`;
  return least === undefined ? '' : `at least ${from}${words}`;
}
