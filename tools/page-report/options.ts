import { parseArgs } from 'node:util';

const areas = ['site', 'docs', 'forms', 'deposit', 'try-it', 'console', 'files'] as const;
export type Area = (typeof areas)[number];

export interface ReportOptions {
  /** The folder for the pictures and the table. */
  readonly out: string;
  readonly areas: readonly Area[];
  /** Only states whose names match. */
  readonly name: RegExp;
  readonly hasLighthouse: boolean;
  /** Whether to take pictures and measure everything that one visit shows. */
  readonly hasPictures: boolean;
}

const usage = `Usage: npm run pages -- --out FOLDER [--only ${areas.join(',')}] [--name PATTERN] [--lighthouse] [--no-pictures]`;

/** Reads the command line; throws an Error that explains the usage. */
export function readOptions(args: readonly string[]): ReportOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      out: { type: 'string' },
      only: { type: 'string', default: areas.join(',') },
      name: { type: 'string', default: '' },
      lighthouse: { type: 'boolean', default: false },
      'no-pictures': { type: 'boolean', default: false },
    },
  });
  const wanted = values.only.split(',');
  const unknown = wanted.filter((one) => !areas.some((area) => area === one));
  if (unknown.length > 0) throw new Error(`There is no area ${unknown.join(', ')}.\n${usage}`);
  if (values.out === undefined) throw new Error(usage);
  return {
    out: values.out,
    areas: areas.filter((area) => wanted.includes(area)),
    name: new RegExp(values.name),
    hasLighthouse: values.lighthouse,
    hasPictures: !values['no-pictures'],
  };
}
