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
    entries: 27,
    allowed: 28,
  },
  facilitators: {
    own: /(^|\/)([a-z]+-)?facilitators?[./-]/,
    words: /facilitator/i,
    others: /@x402\/svm|FacilitatorSvmSigner/,
    entries: 4,
    allowed: 15,
  },
  'function hosts': {
    own: /(^|\/)(instrumentation|[a-z-]*under-framework|function-hosts?)[./-]/,
    words: /function hosts?\b|serverless|cameThroughListener|UnderFramework/i,
    others: /^$/,
    entries: 0,
    allowed: 0,
  },
};

const sources = listFiles(/^(app|lib|packages)\/.*\.(ts|tsx|mjs)$|^[a-z-]+\.(ts|mjs)$/).filter(
  // Services know nothing about payments.
  (path) => path !== registration && !path.startsWith('lib/services/'),
);

/** An import of what a feature declares. */
const importing = /^import \{ ([\w, ]+) \} from '([\w@./-]+)';$/;

/** A declaration as an entry of a list or a record. */
const entering =
  /^(?:const optional = \[(\w+)\];|(?:\w+: |\.\.\.)?(\w+)(?:\.\w+|\(app\))?,|readonly \w+ = (\w+)\(this\.ofDatabase\);)$/;

/** Lines of a file that name a feature: those that put what it declares into a list, and all others. */
function linesOutside({ own, words, others }: OptionalFeature, path: string) {
  const declared = new Set<string>();
  const lines = read(path)
    .split('\n')
    .map((line) => line.trim())
    .map((line, index) => {
      const [, names = '', from = ''] = importing.exec(line) ?? [];
      const isOwn = own.test(`${from}.ts`);
      if (isOwn) for (const name of names.split(', ')) declared.add(name);
      const entered = entering.exec(line)?.slice(1).find(Boolean);
      const isEntry = isOwn || (entered !== undefined && declared.has(entered));
      return {
        text: `${path}:${index + 1}: ${line}`,
        isNaming: words.test(line) && !others.test(line),
        isEntry,
      };
    });
  return lines.filter(({ isNaming }) => isNaming);
}

for (const [name, feature] of Object.entries(features)) {
  test(`no more lines than are known name ${name} outside of their own files`, () => {
    const lines = sources
      .filter((path) => !feature.own.test(path))
      .flatMap((path) => linesOutside(feature, path));
    const [entries = [], others = []] = [true, false].map((isEntry) =>
      lines.filter((line) => line.isEntry === isEntry).map(({ text }) => text),
    );
    const description = `${others.length}, and ${entries.length} entries of lists`;
    test.info().annotations.push({ type: name, description });
    expect(others.length, others.join('\n')).toBeLessThanOrEqual(feature.allowed);
    expect(entries.length, entries.join('\n')).toBeLessThanOrEqual(feature.entries);
  });
}
