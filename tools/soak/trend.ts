import { type FigureName, figureNames, figures, type Sample } from './figures';

/** How a figure developed after the first quarter, in which caches fill and code is compiled. */
export interface Trend {
  readonly name: FigureName;
  /** The medians of the second and the last quarter. */
  readonly early: number;
  readonly late: number;
  readonly highest: number;
  readonly growsAtMost: number;
  readonly isFlat: boolean;
}

export function trendsOf(samples: readonly Sample[]): Trend[] {
  const quarter = Math.floor(samples.length / 4);
  return figureNames.map((name) => {
    const values = samples.map((one) => one[name]);
    const early = median(values.slice(quarter, 2 * quarter));
    const late = median(values.slice(-quarter));
    const { share, amount } = figures[name].growsAtMost;
    const growsAtMost = Math.max(amount, early * share);
    const highest = Math.max(...values);
    return { name, early, late, highest, growsAtMost, isFlat: late - early <= growsAtMost };
  });
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
