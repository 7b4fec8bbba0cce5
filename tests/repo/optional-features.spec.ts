import { expect, test } from '../support/without-browser';
import { listFiles, read } from './sources';

/** An optional feature: its own files, how other files would name it, and how many lines outside of its files still do. */
interface OptionalFeature {
  readonly own: RegExp;
  readonly words: RegExp;
  /** The same words in another meaning. */
  readonly unrelated: RegExp;
  /** Lines that only put what one of its files exports into a list. */
  readonly entries: number;
  /** All other lines, by file: how many there are, and why they are not among its own. */
  readonly others: Readonly<Record<string, readonly [lines: number, why: string]>>;
}

/** The list of features, which alone may name all of them. */
const registration = 'lib/app/features.ts';

const features: Readonly<Record<string, OptionalFeature>> = {
  'payment channels': {
    own: /(^|\/)(open-)?channels?[./-]/,
    words: /channel|voucher|batch.?settlement|BATCH_/i,
    unrelated:
      /diagnostics_channel|channel\('http|documents for this channel|MessageChannel|LISTEN channel|pg_notify/,
    entries: 30,
    others: {
      'app/_site/site-config.ts': [1, 'The list of pages of the documentation.'],
      'app/_site/docs/navigation.ts': [1, 'The order of pages of the documentation.'],
      'app/operator/_page/document.tsx': [1, 'The order of pages of the console.'],
      'lib/catalog/other-paths.ts': [1, 'The catalog alone names paths.'],
      'lib/platform/misspelt-settings.ts': [
        1,
        'How names of settings begin, those about money in one expression.',
      ],
      'lib/operator/export/postings.ts': [1, 'The kinds of a column of the export, for bookkeepers.'],
      'lib/operator/refunds/refund-error.ts': [
        1,
        'One sentence says when a payment is final, whatever paid.',
      ],
      'lib/discovery/openapi/payment-answers.ts': [
        2,
        'The schemes of the public schema of a 402, and their order.',
      ],
      'lib/calls/buy.ts': [3, 'Calls of one channel take turns, which only the claim can make them do.'],
      'lib/calls/replay.ts': [
        3,
        'Another call on the same channel total is a client out of sync, not a conflict.',
      ],
      'lib/ledger/paid-call-rows.ts': [3, 'A column of paid calls, written and read with the others.'],
      'lib/ledger/claim.ts': [4, 'The same column in the statement that claims.'],
      'lib/ledger/postgres-call-store.ts': [1, 'Which payments the store must not tell others.'],
      'lib/payments/payment.ts': [3, 'The same column in the type of a payment.'],
    },
  },
  facilitators: {
    own: /(^|\/)([a-z]+-)?facilitators?[./-]/,
    words: /facilitator/i,
    unrelated: /@x402\/svm|FacilitatorSvmSigner/,
    entries: 6,
    others: {
      'app/_site/legal/facts.ts': [1, 'The privacy page says who else sees payments.'],
      'lib/platform/channel-settings.ts': [
        3,
        'Two optional features exclude each other, so one has to know.',
      ],
      'lib/platform/misspelt-settings.ts': [1, 'How names of settings begin, in one expression.'],
      'lib/operator/doctor/check-networks.ts': [
        2,
        'The advice for a network where nothing settles names both ways.',
      ],
      'lib/operator/doctor/listings.ts': [1, 'One catalog lists only what its operator settles.'],
      'lib/payments/evm/evm-settler.ts': [1, 'The same advice.'],
    },
  },
  traces: {
    own: /(^|\/)([a-z-]*tracing|request-tracer)[./-]/,
    words: /opentelemetry|OTLP|OTEL_|traceparent|tracestate|tracing/i,
    unrelated: /caching and tracing/,
    entries: 6,
    others: {
      'app/_site/site-config.ts': [1, 'The list of pages of the documentation.'],
      'lib/http/files/files-origin.ts': [
        1,
        'The headers that other origins may send, whatever is done with them.',
      ],
      'lib/http/preflight-headers.ts': [2, 'The same for the API.'],
      'lib/platform/metrics/request-observer.ts': [1, 'The headers that the remote MCP server hands on.'],
    },
  },
  'the access log': {
    own: /(^|\/)access-log[./-]/,
    words: /access.?log/i,
    unrelated: /^$/,
    entries: 2,
    others: {},
  },
  'function hosts': {
    own: /(^|\/)(instrumentation|[a-z-]*under-framework|function-hosts?)[./-]/,
    words: /function hosts?\b|serverless|cameThroughListener|UnderFramework/i,
    unrelated: /^$/,
    entries: 0,
    others: {},
  },
};

const sources = listFiles(/^(app|lib|packages)\/.*\.(ts|tsx|mjs)$|^[a-z-]+\.(ts|mjs)$/).filter(
  // Services know nothing about payments. The tables in memory copy those of the database, whose schema does not count either.
  // The check of sellers is no part of the service.
  (path) =>
    path !== registration && !/^(lib\/services|packages\/(paywall\/memory|seller-check))\//.test(path),
);

/** An import of what a feature declares. */
const importing = /^import \{ ([\w, ]+) \} from '([\w@./-]+)';$/;

/** A declaration as an entry of a list or a record. */
const entering =
  /^(?:const optional = \[(\w+)\];|(?:\w+: |\.\.\.)?(\w+)(?:\.\w+|\(app\))?,|readonly \w+ = (\w+)\(this\.of(?:Database|Process)\);)$/;

/** Lines of a file that name a feature: those that put what it declares into a list, and all others. */
function linesOutside({ own, words, unrelated }: OptionalFeature, path: string) {
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
        isNaming: words.test(line) && !unrelated.test(line),
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
    const counts = new Map<string, number>();
    for (const { text } of lines.filter((line) => !line.isEntry)) {
      const path = text.slice(0, text.indexOf(':'));
      counts.set(path, (counts.get(path) ?? 0) + 1);
    }
    const known = Object.entries(feature.others).map(([path, [count]]) => [path, count]);
    expect(Object.fromEntries(counts), others.join('\n')).toEqual(Object.fromEntries(known));
    expect(entries.length, entries.join('\n')).toBeLessThanOrEqual(feature.entries);
  });
}
