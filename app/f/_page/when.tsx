import type { ReactNode } from 'react';
import { fillSlots } from '@/app/_page/sentence';
import { type Translation, translate } from '@/app/_page/translation';
import type { Word } from '@/lib/services/forms/words';

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

/** A day and time in the language of the page's own text, in UTC, because the reader's time zone is not known. */
export function momentOf(date: Date, { locale }: Translation): Moment {
  const words = new Intl.DateTimeFormat(locale, {
    ...{ year: 'numeric', month: 'long', day: 'numeric', hour: 'numeric', minute: '2-digit' },
    timeZone: 'UTC',
    timeZoneName: 'short',
  }).format(date);
  return { iso: date.toISOString(), words };
}

/** A sentence with a date in it. */
export function When({
  word,
  moment,
  translation,
}: {
  word: Word;
  moment: Moment;
  translation: Translation;
}): ReactNode {
  return fillSlots(translate(translation, word), {
    date: <time dateTime={moment.iso}>{moment.words}</time>,
  });
}
