import { expect, test } from '../support/without-browser';
import { listFiles, read } from './sources';

/** An optional feature: its own files, how other files would name it, and how many lines outside of its files still do. */
interface OptionalFeature {
  readonly own: RegExp;
  readonly words: RegExp;
  /** The same words in another meaning. */
  readonly others: RegExp;
  /** Lines that only put what one of its files exports into a list. */
  readonly entries: number;
  /** All other lines. */
  readonly allowed: number;
}

/** The list of features, which alone may name all of them. */
const registration = 'lib/app/features.ts';

const features: Readonly<Record<string, OptionalFeature>> = {
  'payment channels': {
    own: /(^|\/)(open-)?channels?[./-]/,
    words: /channel|voucher|batch.?settlement|BATCH_/i,
    others:
      /diagnostics_channel|channel\('http|documents for this channel|MessageChannel|LISTEN channel|pg_notify/,
    entries: 13,
    allowed: 70,
  },
  facilitators: {
    own: /(^|\/)([a-z]+-)?facilitators?[./-]/,
    words: /facilitator/i,
    others: /^$/,
    entries: 0,
    allowed: 28,
  },
  'function hosts': {
    own: /(^|\/)([a-z-]*under-framework|function-hosts?)[./-]/,
    words: /function hosts?|serverless|cameThroughListener|UnderFramework/i,
    others: /^$/,
    entries: 0,
    allowed: 10,
  },
};

const sources = listFiles(/^(app|lib|packages)\/.*\.(ts|tsx|mjs)$|^[a-z-]+\.(ts|mjs)$/).filter(
  // Services know nothing about payments.
  (path) => path !== registration && !path.startsWith('lib/services/'),
);

/** An import of what a feature declares, or that declaration as an entry of a list. */
const entry =
  /^(import \{ (\w+) \} from '\.\/[a-z-]+';|const optional = \[\w+\];|(\w+: |\.\.\.)\w+(\.\w+)?,)$/;

function findLinesOutside({ own, words, others }: OptionalFeature): { file: string; line: string }[] {
  return sources
    .filter((path) => !own.test(path))
    .flatMap((path) =>
      read(path)
        .split('\n')
        .flatMap((line, index) =>
          words.test(line) && !others.test(line) ? { file: `${path}:${index + 1}`, line: line.trim() } : [],
        ),
    );
}

for (const [name, feature] of Object.entries(features)) {
  test(`no more lines than are known name ${name} outside of their own files`, () => {
    const lines = findLinesOutside(feature);
    const [entries, others] = [true, false].map((isEntry) =>
      lines.filter(({ line }) => entry.test(line) === isEntry).map(({ file, line }) => `${file}: ${line}`),
    );
    test
      .info()
      .annotations.push({ type: name, description: `${others?.length} and ${entries?.length} entries` });
    expect(others?.length, others?.join('\n')).toBeLessThanOrEqual(feature.allowed);
    expect(entries?.length, entries?.join('\n')).toBeLessThanOrEqual(feature.entries);
  });
}
