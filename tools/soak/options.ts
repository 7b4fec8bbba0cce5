import { parseArgs } from 'node:util';

export interface SoakOptions {
  readonly minutes: number;
  /** The folder for the figures and the plot. */
  readonly out: string;
  /** How long each client rests between two calls, in milliseconds. */
  readonly restMs: number;
  /** How often the server is measured, in milliseconds. */
  readonly sampleEveryMs: number;
}

const usage = 'Usage: npm run soak -- --out FOLDER [--minutes 60] [--rest-ms 250]';

/** The fewest measurements that show a trend. */
const samplesMin = 120;

/** Reads the command line; throws an Error that explains the usage. */
export function readOptions(args: readonly string[]): SoakOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      out: { type: 'string' },
      minutes: { type: 'string', default: '60' },
      'rest-ms': { type: 'string', default: '250' },
    },
  });
  const minutes = Number(values.minutes);
  const restMs = Number(values['rest-ms']);
  if (values.out === undefined || !(minutes > 0) || !(restMs >= 0)) throw new Error(usage);
  const sampleEveryMs = Math.min(10_000, (minutes * 60_000) / samplesMin);
  return { minutes, out: values.out, restMs, sampleEveryMs };
}
