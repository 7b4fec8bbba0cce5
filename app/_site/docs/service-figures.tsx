import type { ReactNode } from 'react';
import type { FiguresWindow, OperationFigures, ServiceFigures } from '@/lib/operator/figures/service-figures';
import { Table } from '../table';
import { moment } from './moment';
import { PastDays, pastDaysMarkdown } from './past-days';

/** How the paid calls of the last days went, on the status page. */

export const figuresHeading = { id: 'figures', title: 'Paid calls', level: 2 };

const spans = { '24h': 'By call, last 24 hours', '7d': 'By call, last 7 days' } as const;
const spanNames = ['24h', '7d'] as const;

const about =
  'Median and p99 are the time from the accepted payment to the response. “On chain” is the part of it that the network takes. ' +
  'Shares and times need at least 20 calls, and p99 needs 100.';
const unknown = 'The database does not respond, so the figures are not known.';

/** The columns that count calls are left out where the operator hides how many there are. */
function columnsOf(hasCounts: boolean): readonly string[] {
  const times = ['Delivered', 'Median', 'p99', 'On chain'];
  return hasCounts ? ['Call', 'Calls', ...times, 'Refunds'] : ['Call', ...times];
}

interface Cell {
  readonly text: string;
  /** Of the length of a bar, from 0 to 1; null without a bar. */
  readonly part: number | null;
}

/** What a window shows, most bought first where calls are counted. */
interface Shown {
  readonly rows: readonly (readonly [id: string, cells: readonly Cell[]])[];
  /** Calls that were made too seldom for shares and times. */
  readonly few: readonly (readonly [id: string, words: string])[];
}

function shownOf({ operations }: FiguresWindow): Shown {
  const called = Object.entries(operations)
    .filter(
      ([, { calls = 0, open = 0, notCharged = 0, withheld }]) =>
        calls + open + notCharged > 0 || withheld === null,
    )
    .toSorted(([, { calls: one = 0 }], [, { calls: other = 0 }]) => other - one);
  const slowest = Math.max(0, ...called.map(([, { deliveryMs }]) => deliveryMs?.p99 ?? deliveryMs?.p50 ?? 0));
  return {
    rows: called.filter(hasFigures).map(([id, figures]) => [id, cellsOf(figures, slowest)]),
    few: called.filter((one) => !hasFigures(one)).map(([id, figures]) => [id, countWords(figures)]),
  };
}

const hasFigures = ([, { successShare, deliveryMs, settlementMs }]: readonly [string, OperationFigures]) =>
  successShare !== null || deliveryMs !== null || settlementMs !== null;

/** ` (7)`, ` (7, 1 refunded)` */
function countWords({ calls, refunds = 0 }: OperationFigures): string {
  if (calls === undefined) return '';
  return refunds === 0 ? ` (${calls})` : ` (${calls}, ${refunds} refunded)`;
}

const tooFew = 'Too few calls for figures';

const hasCounts = ({ operations }: FiguresWindow) =>
  Object.values(operations).some(({ calls }) => calls !== undefined);

function emptyWords(window: FiguresWindow): string {
  return hasCounts(window) ? 'No paid calls.' : 'No call with figures.';
}

function cellsOf(figures: OperationFigures, slowest: number): readonly Cell[] {
  const { calls, successShare, deliveryMs, settlementMs, refunds } = figures;
  return [
    ...(calls === undefined ? [] : [plain(String(calls))]),
    successShare === null ? plain(noFigure) : { text: share(successShare), part: successShare },
    timed(deliveryMs?.p50, slowest),
    timed(deliveryMs?.p99, slowest),
    timed(settlementMs?.p50, slowest),
    ...(refunds === undefined ? [] : [plain(String(refunds))]),
  ];
}

/** Left out where cells are stacked. */
const noFigure = '–';

const plain = (text: string): Cell => ({ text, part: null });

function timed(ms: number | null | undefined, slowest: number): Cell {
  if (ms === null || ms === undefined) return plain(noFigure);
  return { text: seconds(ms), part: slowest === 0 ? 0 : Math.min(1, ms / slowest) };
}

/** Rounded down, so that 100% means every call. */
function share(part: number): string {
  return `${Math.floor(part * 1_000) / 10}%`;
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(ms < 9_950 ? 1 : 0)} s`;
}

function coverage(window: FiguresWindow): string {
  const since = `${moment.format(new Date(window.since))} UTC`;
  return window.isComplete ? `Since ${since}.` : `Only the newest calls, since ${since}.`;
}

/** @param figures null when they could not be read */
export function FiguresSection({ figures }: { figures: ServiceFigures | null }): ReactNode {
  return (
    <>
      <h2 id={figuresHeading.id}>{figuresHeading.title}</h2>
      {figures ? (
        <>
          <PastDays days={figures.days} />
          {spanNames.map((name) => (
            <Span key={name} title={spans[name]} window={figures.windows[name]} />
          ))}
          <p>
            {about} Also available as <a href="/status.json">/status.json</a>.
          </p>
        </>
      ) : (
        <p>{unknown}</p>
      )}
    </>
  );
}

function Span({ title, window }: { title: string; window: FiguresWindow }): ReactNode {
  const columns = columnsOf(hasCounts(window));
  const { rows: shown, few } = shownOf(window);
  const rows = shown.map(([key, cells]) => ({
    key,
    cells: [
      <code key="call">{key}</code>,
      ...cells.map(({ text, part }, index) => (
        <span key={columns[index + 1]} className={text === noFigure ? 'no-figure' : undefined}>
          {text} {part === null ? null : <Bar part={part} />}
        </span>
      )),
    ],
  }));
  return (
    <>
      <h3>{title}</h3>
      <p>{rows.length + few.length === 0 ? emptyWords(window) : coverage(window)}</p>
      {rows.length === 0 ? null : (
        <Table
          label={title}
          columns={columns.map((one, at) => ({ title: one, className: at === 0 ? undefined : 'number' }))}
          rows={rows}
        />
      )}
      {few.length === 0 ? null : (
        <p>
          {tooFew}:{' '}
          {few.map(([id, words], at) => (
            <span key={id}>
              {at === 0 ? '' : ', '}
              <code>{id}</code>
              {words}
            </span>
          ))}
          .
        </p>
      )}
    </>
  );
}

/** Shows at a glance what the number beside it says. */
function Bar({ part }: { part: number }): ReactNode {
  return (
    <svg className="bar" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
      <rect width={Math.round(part * 1_000) / 10} height="8" />
    </svg>
  );
}

export function figuresMarkdown(figures: ServiceFigures | null): string {
  const heading = `## ${figuresHeading.title}`;
  if (!figures) return `${heading}\n\n${unknown}`;
  const tables = spanNames.map((name) => {
    const window = figures.windows[name];
    const columns = columnsOf(hasCounts(window));
    const { rows, few } = shownOf(window);
    const lines = rows.map(
      ([id, cells]) => `| ${[`\`${id}\``, ...cells.map(({ text }) => text)].join(' | ')} |`,
    );
    const head = [`| ${columns.join(' | ')} |`, `|${columns.map(() => '---').join('|')}|`];
    return [
      `### ${spans[name]}`,
      rows.length + few.length === 0 ? emptyWords(window) : coverage(window),
      ...(rows.length === 0 ? [] : [[...head, ...lines].join('\n')]),
      ...(few.length === 0
        ? []
        : [`${tooFew}: ${few.map(([id, words]) => `\`${id}\`${words}`).join(', ')}.`]),
    ].join('\n\n');
  });
  const programs = 'Also available as /status.json.';
  return [heading, pastDaysMarkdown(figures.days), ...tables, `${about} ${programs}`].join('\n\n');
}
