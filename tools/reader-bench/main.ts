import { readFileSync, writeFileSync } from 'node:fs';
import { openOfflinePages, type ShownPage } from '@/tests/support/offline-pages';
import { readOptions } from './options';
import { type BenchPage, listPages } from './pages';
import { openReaders, type Reader } from './readers';
import { plainText, scoreText } from './score';
import { formatScores, listLosses, type PageScore } from './table';

/** Compares what readers return with the true content of saved pages: `npm run bench:reader`. */

async function readAndScore(reader: Reader, shown: ShownPage, page: BenchPage): Promise<PageScore> {
  const started = performance.now();
  const text = plainText(await reader(shown));
  const ms = performance.now() - started;
  return { id: page.id, pageType: page.pageType, isEmpty: text.trim() === '', ms, ...scoreText(text, page) };
}

type Scores = Map<string, PageScore[]>;

async function run(pages: readonly BenchPage[], readers: ReadonlyMap<string, Reader>): Promise<Scores> {
  const scores: Scores = new Map([...readers.keys()].map((name) => [name, []]));
  let current: BenchPage | undefined;
  // The page itself; its images, style sheets and frames are not there.
  const offline = openOfflinePages(
    (url) => (current && url === new URL(current.url).href ? current.html() : null),
    {
      runsScripts: false,
    },
  );
  try {
    for (const page of pages) {
      current = page;
      await offline.show(page.url, async (shown) => {
        for (const [name, reader] of readers) {
          scores.get(name)?.push(await readAndScore(reader, shown, page));
        }
      });
    }
  } finally {
    await offline.close();
  }
  return scores;
}

const options = readOptions(process.argv.slice(2));
const readers = await openReaders(options.readers);
const pages = listPages(options.folder).filter(
  (_, at) => options.half === undefined || at % 2 === options.half,
);
const scores = await run(pages, readers);
console.log(formatScores(scores));
if (options.out !== undefined) writeFileSync(options.out, `${JSON.stringify(Object.fromEntries(scores))}\n`);
if (options.before !== undefined) {
  const before: Readonly<Record<string, PageScore[]>> = JSON.parse(readFileSync(options.before, 'utf8'));
  const losses = listLosses(before.ours ?? [], scores.get('ours') ?? []);
  console.log([`${losses.length} pages that were right have lost:`, ...losses].join('\n'));
}
