import type { ReactNode } from 'react';
import { allOf } from '@/app/_page/series';
import type { DayOutcome } from '@/lib/operator/figures/service-figures';

/** How each of the last days went, on the status page. */

/** A day with a smaller share is named. */
const usualShare = 0.99;
/** With a smaller one than this, much failed. */
const lowShare = 0.95;

const dayName = new Intl.DateTimeFormat('en-US', { month: 'long', day: 'numeric', timeZone: 'UTC' });

const about =
  'The share of each day’s charged calls that was delivered, by the UTC day on which they ended. Refunded calls count as not delivered. Days with fewer than 20 calls have no figure. Outages are not recorded; they only show as fewer calls.';

const titleOf = (days: readonly DayOutcome[]) => `Last ${days.length} days`;

const nameOf = ({ day }: DayOutcome) => dayName.format(new Date(day));

/** `November 12 (94.3%)` */
function words(day: DayOutcome): string {
  const { successShare } = day;
  return `${nameOf(day)} (${successShare === null ? 'no figure' : `${Math.floor(successShare * 1_000) / 10}%`})`;
}

function summary(days: readonly DayOutcome[]): string {
  const known = days.filter(({ successShare }) => successShare !== null).length;
  if (known === 0) return 'No day has had enough calls yet.';
  const low = days.filter(({ successShare }) => successShare !== null && successShare < usualShare);
  const covered = `${known} of ${days.length} days have a figure.`;
  return low.length === 0
    ? `${covered} On each of them at least 99% were delivered.`
    : `${covered} Fewer than 99% were delivered on ${allOf.format(low.map(words))}.`;
}

export function PastDays({ days }: { days: readonly DayOutcome[] }): ReactNode {
  const isKnown = days.some(({ successShare }) => successShare !== null);
  return (
    <>
      <h3>{titleOf(days)}</h3>
      <p>{about}</p>
      {isKnown ? <Bars days={days} /> : null}
      <p>{summary(days)}</p>
    </>
  );
}

/** The summary below it says the same in words. */
function Bars({ days }: { days: readonly DayOutcome[] }): ReactNode {
  return (
    <div className="past-days" aria-hidden="true">
      <svg viewBox={`0 0 ${days.length * 10} ${barHeight}`} preserveAspectRatio="none" aria-hidden="true">
        {days.map((day, at) => (
          <Bar key={day.day} day={day} x={at * 10 + 1} />
        ))}
      </svg>
      <p className="note">
        {[...days.slice(0, 1), ...days.slice(-1)].map((day) => (
          <span key={day.day}>{nameOf(day)}</span>
        ))}
      </p>
    </div>
  );
}

const barHeight = 40;

/** What was not delivered stands on top, in a color of its own, and high enough to be seen. */
function Bar({ day, x }: { day: DayOutcome; x: number }): ReactNode {
  const { successShare } = day;
  const lost = successShare === null || successShare >= usualShare ? 0 : Math.max(1 - successShare, 0.15);
  return (
    <g>
      <title>{words(day)}</title>
      <rect className={successShare === null ? undefined : 'good'} x={x} width="8" height={barHeight} />
      {successShare === null || lost === 0 ? null : (
        <rect
          className={successShare < lowShare ? 'wrong' : 'warn'}
          x={x}
          width="8"
          height={lost * barHeight}
        />
      )}
    </g>
  );
}

export function pastDaysMarkdown(days: readonly DayOutcome[]): string {
  return `### ${titleOf(days)}\n\n${about} ${summary(days)}`;
}
