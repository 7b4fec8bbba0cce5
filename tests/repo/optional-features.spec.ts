import { expect, test } from '../support/without-browser';
import { listFiles, read } from './sources';

/** An optional feature: its own files, how other files would name it, and how many lines outside of its files still do. */
interface OptionalFeature {
  readonly own: RegExp;
  readonly words: RegExp;
  /** The same words in another meaning. */
  readonly others: RegExp;
  readonly allowed: number;
}

/** The list of features, which alone may name all of them. */
const registration = 'lib/app/features.ts';

const features: Readonly<Record<string, OptionalFeature>> = {
  'payment channels': {
    own: /(^|\/)(open-)?channels?[./-]/,
    words: /channel|voucher|batch.?settlement|BATCH_/i,
    others: /diagnostics_channel|MessageChannel|LISTEN channel|pg_notify/,
    allowed: 176,
  },
  facilitators: {
    own: /(^|\/)([a-z]+-)?facilitators?[./-]/,
    words: /facilitator/i,
    others: /^$/,
    allowed: 28,
  },
  'function hosts': {
    own: /(^|\/)([a-z-]*under-framework|function-hosts?)[./-]/,
    words: /function hosts?|serverless|cameThroughListener|UnderFramework/i,
    others: /^$/,
    allowed: 10,
  },
};

const sources = listFiles(/^(app|lib|packages)\/.*\.(ts|tsx|mjs)$|^[a-z-]+\.(ts|mjs)$/).filter(
  // Services know nothing about payments.
  (path) => path !== registration && !path.startsWith('lib/services/'),
);

function findLinesOutside({ own, words, others }: OptionalFeature): string[] {
  return sources
    .filter((path) => !own.test(path))
    .flatMap((path) =>
      read(path)
        .split('\n')
        .flatMap((line, index) =>
          words.test(line) && !others.test(line) ? `${path}:${index + 1}: ${line.trim()}` : [],
        ),
    );
}

for (const [name, feature] of Object.entries(features)) {
  test(`no more than ${feature.allowed} lines outside of the files of ${name} name them`, () => {
    const lines = findLinesOutside(feature);
    test.info().annotations.push({ type: name, description: String(lines.length) });
    expect(lines.length, lines.join('\n')).toBeLessThanOrEqual(feature.allowed);
  });
}
