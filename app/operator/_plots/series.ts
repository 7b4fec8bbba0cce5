import type { DayFigures, Figures } from '@/lib/operator/figures/daily';
import type { PlotSeries } from './plot';

/** How many names have a color of their own. The others are added up. */
const ownColors = 4;

/**
 * Values by day and name as the series of a plot: the largest four names, and all others together.
 * @param labelOf what people call a name
 */
export function seriesOf(
  days: readonly string[],
  valueAt: (day: string, name: string) => number,
  names: readonly string[],
  labelOf: (name: string) => string = (name) => name,
): PlotSeries[] {
  const all = names
    .map((name) => ({ name, values: days.map((day) => valueAt(day, name)) }))
    .map((series) => ({ ...series, total: sumOf(series.values) }))
    .filter(({ total }) => total !== 0)
    .sort((one, other) => other.total - one.total);
  const rest = all.slice(ownColors);
  // A single other one has the gray color to itself.
  const named = (rest.length === 1 ? all : all.slice(0, ownColors)).map(({ name, values }) => ({
    name: labelOf(name),
    values,
  }));
  if (rest.length < 2) return named;
  const values = days.map((_, at) => sumOf(rest.map((one) => one.values[at] ?? 0)));
  return [...named, { name: `${rest.length} others`, values }];
}

/** Amounts of USDC by day and name as the series of a plot, in USDC. */
export function usdcSeries(
  days: readonly DayFigures[],
  pick: (figures: Figures) => Readonly<Record<string, bigint>>,
  labelOf?: (name: string) => string,
): PlotSeries[] {
  const byDay = new Map(days.map(({ day, figures }) => [day, pick(figures)]));
  const names = new Set([...byDay.values()].flatMap((amounts) => Object.keys(amounts)));
  // A bar cannot be shorter than nothing: a day with more refunds than sales shows none.
  const valueAt = (day: string, name: string) => Math.max(0, Number(byDay.get(day)?.[name] ?? 0n) / 1e6);
  return seriesOf([...byDay.keys()], valueAt, [...names], labelOf);
}

function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}
