import type { ReactNode } from 'react';
import type { Moment } from '@/app/_page/moment';
import { fillSlots } from '@/app/_page/sentence';
import { type Translation, translate } from '@/app/_page/translation';
import type { Word } from '@/lib/services/forms/words';

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
