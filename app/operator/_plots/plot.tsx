import type { ReactNode } from 'react';
import { Table } from '@/app/_site/table';

/** What a plot shows: a value per day and series. */
export interface PlotData {
  readonly id: string;
  readonly title: string;
  /** The days, oldest first, as `2026-11-22`. */
  readonly days: readonly string[];
  readonly series: readonly PlotSeries[];
  /** A value in words, with its unit. */
  readonly format: (value: number) => string;
  /** Whether values are counts, which have no fractions. */
  readonly isCount?: boolean;
}

export interface PlotSeries {
  readonly name: string;
  /** One per day. */
  readonly values: readonly number[];
}

const size = { width: 400, height: 200, left: 48, right: 4, top: 8, bottom: 24 } as const;
const plotWidth = size.width - size.left - size.right;
const plotHeight = size.height - size.top - size.bottom;

/** Stacked bars by day, drawn on the server, with the same numbers as a table. */
export function BarPlot({ data }: { data: PlotData }): ReactNode {
  const { id, title, days, series, isCount = false } = data;
  const totals = days.map((_, day) => series.reduce((sum, { values }) => sum + (values[day] ?? 0), 0));
  const total = totals.reduce((sum, value) => sum + value, 0);
  if (total === 0) return <EmptyPlot title={title} days={days.length} />;
  const ticks = axisTicks(Math.max(...totals), isCount);
  const highest = ticks.at(-1) ?? 1;
  const step = plotWidth / days.length;
  const heightOf = (value: number) => (value / highest) * plotHeight;
  return (
    <figure aria-labelledby={id}>
      <figcaption id={id}>{title}</figcaption>
      <svg viewBox={`0 0 ${size.width} ${size.height}`} role="img" aria-label={summaryOf(data, totals)}>
        <Axis ticks={ticks} heightOf={heightOf} />
        {days.map((day, at) => (
          <Bar
            key={day}
            parts={stack(series.map(({ values }) => values[at] ?? 0))}
            at={at}
            step={step}
            heightOf={heightOf}
          />
        ))}
        <DayLabels days={days} step={step} />
      </svg>
      <Legend series={series} />
      <Numbers data={data} totals={totals} />
    </figure>
  );
}

function EmptyPlot({ title, days }: { title: string; days: number }): ReactNode {
  return (
    <figure>
      <figcaption>{title}</figcaption>
      <p className="quiet">No data in the last {days} days.</p>
    </figure>
  );
}

function Axis({
  ticks,
  heightOf,
}: {
  ticks: readonly number[];
  heightOf: (value: number) => number;
}): ReactNode {
  return ticks.map((tick) => {
    const y = size.top + plotHeight - heightOf(tick);
    return (
      <g key={tick}>
        <line className="grid-line" x1={size.left} x2={size.width - size.right} y1={y} y2={y} />
        <text x={size.left - 8} y={y} textAnchor="end" dominantBaseline="middle">
          {tick.toLocaleString('en-US')}
        </text>
      </g>
    );
  });
}

function Bar({
  parts,
  at,
  step,
  heightOf,
}: {
  parts: readonly { readonly from: number; readonly value: number }[];
  at: number;
  step: number;
  heightOf: (value: number) => number;
}): ReactNode {
  const width = Math.max(1, step * 0.75);
  return parts.map(({ from, value }, series) => (
    <rect
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a bar are its series, in their order.
      key={series}
      className={`series-${series}`}
      x={size.left + at * step + (step - width) / 2}
      y={size.top + plotHeight - heightOf(from + value)}
      width={width}
      height={heightOf(value)}
      strokeWidth={0}
    />
  ));
}

const dayFormat = new Intl.DateTimeFormat('en-US', { month: 'short', day: 'numeric', timeZone: 'UTC' });

/** `Oct 31` */
const dayLabel = (day: string | undefined) => day && dayFormat.format(new Date(day));

/** The first, the middle and the last day: more would not fit on a phone. */
function DayLabels({ days, step }: { days: readonly string[]; step: number }): ReactNode {
  const last = days.length - 1;
  const shown = [...new Set([0, Math.floor(last / 2), last])];
  return shown.map((at) => (
    <text
      key={at}
      x={size.left + (at + 0.5) * step}
      y={size.height - 6}
      textAnchor={at === 0 && last > 4 ? 'start' : at === last && last > 4 ? 'end' : 'middle'}
    >
      {dayLabel(days[at])}
    </text>
  ));
}

function Legend({ series }: { series: readonly PlotSeries[] }): ReactNode {
  return (
    <ul className="legend" aria-label="Colors">
      {series.map(({ name }, at) => (
        <li key={name}>
          <svg viewBox="0 0 10 10" aria-hidden="true">
            <rect className={`series-${at}`} width="10" height="10" />
          </svg>
          {name}
        </li>
      ))}
    </ul>
  );
}

function summaryOf({ title, days, format }: PlotData, totals: readonly number[]): string {
  const sum = totals.reduce((total, value) => total + value, 0);
  const most = totals.indexOf(Math.max(...totals));
  return `${title}, ${days.length} days. ${format(sum)} in total, most on ${days[most]}: ${format(totals[most] ?? 0)}. The table has every number.`;
}

/** The days with anything in them, newest first. */
function Numbers({ data, totals }: { data: PlotData; totals: readonly number[] }): ReactNode {
  const { title, days, series, format } = data;
  const rows = days
    .map((day, at) => ({
      key: day,
      isShown: totals[at] !== 0,
      cells: [
        day,
        ...series.map(({ values }) => format(values[at] ?? 0)),
        ...(series.length > 1 ? [format(totals[at] ?? 0)] : []),
      ],
    }))
    .filter(({ isShown }) => isShown)
    .reverse();
  return (
    <details>
      <summary>Numbers</summary>
      <Table
        label={`${title}: numbers`}
        columns={[
          { title: 'Day (UTC)' },
          ...series.map(({ name }) => ({ title: name, className: 'number' })),
          ...(series.length > 1 ? [{ title: 'All', className: 'number' }] : []),
        ]}
        rows={rows}
      />
    </details>
  );
}

/** The positions of a plot's bars and grid lines. */

/**
 * Round numbers from 0 to at least the highest value: at most six.
 * @param isCount whether they are whole numbers
 */
function axisTicks(highest: number, isCount: boolean): number[] {
  const rough = isCount ? Math.max(1, highest / 4) : highest / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step =
    ((isCount && rough < 10 ? [1, 2, 5, 10] : [1, 2, 2.5, 5, 10]).find((factor) => factor * power >= rough) ??
      10) * power;
  const count = Math.ceil(highest / step - 1e-9);
  return Array.from({ length: count + 1 }, (_, at) => Number((at * step).toPrecision(12)));
}

/** The parts of a bar, one on top of the other. */
function stack(values: readonly number[]): { from: number; value: number }[] {
  let from = 0;
  return values.map((value) => {
    const part = { from, value };
    from += value;
    return part;
  });
}
