import type { Translation } from './translation';

/** A moment, for programs and in words. Servers and browsers may word it differently, so the server does it for both. */
export interface Moment {
  readonly iso: string;
  readonly words: string;
}

/** A day in the language of the page's own text. */
export function dayOf(date: Date, { locale }: Translation): Moment {
  const words = new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeZone: 'UTC' }).format(date);
  return { iso: date.toISOString().slice(0, 10), words };
}

/** A day and time in the language of the page's own text, in UTC until the browser shows it in the reader's time zone. */
export function momentOf(date: Date, { locale }: Translation): Moment {
  return { iso: date.toISOString(), words: momentWords(date, locale, 'UTC') };
}

/**
 * A day and time in words, on the server and in the browser. The time and its zone stay on one line.
 * @param timeZone the reader's own unless given
 */
export function momentWords(date: Date, locale: string | undefined, timeZone?: string): string {
  const format = new Intl.DateTimeFormat(locale, {
    ...{ year: 'numeric', month: 'long', day: 'numeric', hour: 'numeric', minute: '2-digit' },
    timeZone,
    timeZoneName: 'short',
  });
  const parts = format.formatToParts(date);
  const ofTime = parts.flatMap(({ type }, index) => (typesOfTime.has(type) ? [index] : []));
  const [first = 0, last = 0] = [ofTime.at(0), ofTime.at(-1)];
  return parts
    .map(({ value }, index) => (index > first && index < last ? value.replaceAll(/\s/g, '\u00a0') : value))
    .join('');
}

const typesOfTime: ReadonlySet<string> = new Set(['hour', 'minute', 'dayPeriod', 'timeZoneName']);
