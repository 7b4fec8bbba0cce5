import type { Score } from './score';

/** A page that a reader read. */
export interface PageScore extends Score {
  readonly id: string;
  readonly pageType: string;
  readonly isEmpty: boolean;
  readonly ms: number;
}

const heads = ['reader', 'page type', 'pages', 'F1', 'precision', 'recall', 'with', 'without', 'empty', 'ms'];

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

function rowOf(reader: string, pageType: string, pages: readonly PageScore[]): string[] {
  const average = (key: keyof Score) => mean(pages.map((page) => page[key])).toFixed(3);
  return [
    reader,
    pageType,
    String(pages.length),
    ...(['f1', 'precision', 'recall', 'with', 'without'] as const).map(average),
    String(pages.filter(({ isEmpty }) => isEmpty).length),
    mean(pages.map(({ ms }) => ms)).toFixed(0),
  ];
}

/** Averages over pages, all and by page type, for each reader. */
export function formatScores(scores: ReadonlyMap<string, readonly PageScore[]>): string {
  const rows = [...scores].flatMap(([reader, pages]) => [
    rowOf(reader, 'all', pages),
    ...[...new Set(pages.map(({ pageType }) => pageType))].sort().map((type) =>
      rowOf(
        reader,
        type,
        pages.filter(({ pageType }) => pageType === type),
      ),
    ),
  ]);
  const lines = [heads, ...rows];
  const widths = heads.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  return lines
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** A page counts as read right from this F1 on. */
const rightMin = 0.9;
/** Smaller differences are not worth a look. */
const lossMin = 0.01;

/** The pages that were read right before and have lost since, the largest loss first. */
export function listLosses(before: readonly PageScore[], after: readonly PageScore[]): string[] {
  const earlier = new Map(before.map((page) => [page.id, page]));
  return after
    .map((page) => ({ page, was: earlier.get(page.id)?.f1 ?? 0 }))
    .filter(({ page, was }) => was >= rightMin && was - page.f1 >= lossMin)
    .sort((a, b) => b.was - b.page.f1 - (a.was - a.page.f1))
    .map(({ page, was }) => `${page.id} (${page.pageType}): ${was.toFixed(3)} -> ${page.f1.toFixed(3)}`);
}
