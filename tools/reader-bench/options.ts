import { parseArgs } from 'node:util';

export interface BenchOptions {
  /** The folder with `html` and `ground-truth`. */
  readonly folder: string;
  /** Where the scores of every page are written. */
  readonly out: string | undefined;
  /** Scores that an earlier run wrote, to list the pages that got worse. */
  readonly before: string | undefined;
  /** The readers that run; undefined for all. */
  readonly readers: readonly string[] | undefined;
  /** Runs the pages whose place in the list leaves this remainder when divided by two; undefined for all. */
  readonly half: 0 | 1 | undefined;
}

const usage =
  'Usage: npm run bench:reader -- FOLDER [--out scores.json] [--before scores.json] [--readers ours,readability,defuddle] [--half 0|1]';

/** Reads the command line; throws an Error that explains the usage. */
export function readOptions(args: readonly string[]): BenchOptions {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      out: { type: 'string' },
      before: { type: 'string' },
      readers: { type: 'string' },
      half: { type: 'string' },
    },
  });
  const [folder] = positionals;
  if (folder === undefined || positionals.length > 1 || !/^[01]?$/.test(values.half ?? ''))
    throw new Error(usage);
  const half = values.half === '0' ? 0 : values.half === '1' ? 1 : undefined;
  return { folder, out: values.out, before: values.before, readers: values.readers?.split(','), half };
}
