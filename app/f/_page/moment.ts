import type { Translation } from '@/app/_page/translation';

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
  return { iso: date.toISOString(), words: momentFormat(locale, 'UTC').format(date) };
}

/**
 * How a day and time are written, on the server and in the browser.
 * @param timeZone the reader's own unless given
 */
export function momentFormat(locale: string | undefined, timeZone?: string): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat(locale, {
    ...{ year: 'numeric', month: 'long', day: 'numeric', hour: 'numeric', minute: '2-digit' },
    timeZone,
    timeZoneName: 'short',
  });
}
