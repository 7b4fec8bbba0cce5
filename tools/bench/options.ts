import { parseArgs } from 'node:util';

export const rowNames = [
  'unpaid',
  'front-door',
  'flood',
  'free-floods',
  'free-addresses',
  'idle',
  'paid-rate',
  'open-loop',
  'cost',
  'own-time',
  'channels',
  'replay',
  'awake',
  'put',
  'ledger-size',
  'pdf',
  'form-content',
  'airports',
  'paywall',
] as const;
export type RowName = (typeof rowNames)[number];

export interface BenchOptions {
  readonly rows: readonly RowName[];
  readonly rounds: number;
  /** Short rounds, to check that everything works; the numbers are rough. */
  readonly isQuick: boolean;
  /** How many buyers pay at once in `paid-rate`; without it, the row is measured for all of its aims. */
  readonly buyers: readonly number[] | null;
  /** How many of our processes to run in `open-loop`, one number per measurement. */
  readonly processes: readonly number[];
  /** Whether each of these processes has a settlement key. */
  readonly hasKeyEach: boolean;
  /** How many calls the large ledger of `ledger-size` holds; 1,000,000 unless the run is quick. */
  readonly ledgerCalls: number | null;
  /**
   * Another built checkout of ours. `paid-rate`, `cost` and `replay` measure it too, in the same run, to show the effect of a change;
   * `free-floods` and `free-addresses` measure it instead.
   */
  readonly beforeDir: string | null;
  /** Writes a CPU profile of our server into this folder. */
  readonly profileDir: string | null;
}

const usage = `Usage: npm run bench -- [--only row,row] [--rounds N] [--quick] [--buyers 1,32] [--processes 1,2,4] [--key-each]
       [--ledger N] [--before checkout] [--profile folder]
Rows: ${rowNames.join(', ')}`;

/** Reads the command line; throws an Error that explains the usage. */
export function readOptions(args: readonly string[]): BenchOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      only: { type: 'string' },
      rounds: { type: 'string' },
      quick: { type: 'boolean', default: false },
      buyers: { type: 'string' },
      processes: { type: 'string', default: '1' },
      'key-each': { type: 'boolean', default: false },
      ledger: { type: 'string' },
      before: { type: 'string' },
      profile: { type: 'string' },
    },
  });
  const rows = values.only?.split(',') ?? rowNames;
  const unknown = rows.filter((row) => !(rowNames as readonly string[]).includes(row));
  if (unknown.length > 0) throw new Error(`There is no row ${unknown.join(', ')}.\n${usage}`);
  return {
    rows: rows as RowName[],
    rounds: wholeNumber(values.rounds ?? (values.quick ? '1' : '3')),
    isQuick: values.quick,
    buyers: values.buyers?.split(',').map(wholeNumber) ?? null,
    processes: values.processes.split(',').map(wholeNumber),
    hasKeyEach: values['key-each'],
    ledgerCalls: values.ledger === undefined ? null : wholeNumber(values.ledger),
    beforeDir: values.before ?? null,
    profileDir: values.profile ?? null,
  };
}

function wholeNumber(text: string): number {
  const number = Number(text);
  if (!Number.isInteger(number) || number < 1) throw new Error(`${text} is not a number above 0.\n${usage}`);
  return number;
}
