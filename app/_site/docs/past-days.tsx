import type { ReactNode } from 'react';
import type { DayOutcome } from '@/lib/operator/figures/service-figures';

/** How each of the last days went, on the status page. */

/** A day with a smaller share is named. */
const usualShare = 0.99;

const dayName = new Intl.DateTimeFormat('en-US', { month: 'long', day: 'numeric', timeZone: 'UTC' });

const about =
  'The part of each day’s charged calls (UTC, by when they ended) that was delivered. Refunds count as not delivered. A day with fewer than 20 calls has no figure. Outages are not recorded: they only leave fewer calls.';

const titleOf = (days: readonly DayOutcome[]) => `Last ${days.length} days`;

/** `November 12: 94.3%` */
function words({ day, successShare }: DayOutcome): string {
  const name = dayName.format(new Date(day));
  return `${name}: ${successShare === null ? 'no figure' : `${Math.floor(successShare * 1_000) / 10}%`}`;
}

function toneOf({ successShare }: DayOutcome): 'none' | 'good' | 'wrong' {
  if (successShare === null) return 'none';
  return successShare < usualShare ? 'wrong' : 'good';
}

function summary(days: readonly DayOutcome[]): string {
  const known = days.filter(({ successShare }) => successShare !== null).length;
  if (known === 0) return 'No day has had enough calls yet.';
  const low = days.filter((day) => toneOf(day) === 'wrong');
  const covered = `${known} of ${days.length} days have a figure.`;
  return low.length === 0
    ? `${covered} On each of them at least 99% were delivered.`
    : `${covered} Less than 99% were delivered on ${low.map(words).join(', ')}.`;
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
    <svg
      className="past-days"
      viewBox={`0 0 ${days.length * 10} 32`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      {days.map((day, at) => (
        <rect key={day.day} className={toneOf(day)} x={at * 10 + 1} width="8" height="32">
          <title>{words(day)}</title>
        </rect>
      ))}
    </svg>
  );
}

export function pastDaysMarkdown(days: readonly DayOutcome[]): string {
  return `### ${titleOf(days)}\n\n${about} ${summary(days)}`;
}
