import { type ReactNode, useEffect, useState } from 'react';
import { translate } from '@/app/_page/translation';
import { writtenLength } from '@/lib/services/forms/answers/check';
import { type LengthCountProps, LengthLimit, lengthCountId } from '../_page/length-count';

/** Screen readers hear the count when typing pauses for this long. */
const pauseMs = 1_000;

/** How many characters are left in a text area, counted as the server counts them. It never stops anybody from typing. */
export function LengthCount(props: LengthCountProps): ReactNode {
  const { name, maxLength, translation } = props;
  const [length, setLength] = useState<number | null>(null);
  const [spoken, setSpoken] = useState('');

  useEffect(() => {
    const area = document.getElementById(name);
    if (!(area instanceof HTMLTextAreaElement)) return;
    const count = () => setLength(writtenLength(area.value));
    count();
    area.addEventListener('input', count);
    return () => area.removeEventListener('input', count);
  }, [name]);

  const left = maxLength - (length ?? 0);
  const isOver = left < 0;
  const sentence = translate(translation, isOver ? 'overBy' : 'remaining', { n: Math.abs(left) });
  useEffect(() => {
    if (length === null) return;
    const timer = setTimeout(() => setSpoken(sentence), pauseMs);
    return () => clearTimeout(timer);
  }, [length, sentence]);

  if (!length) return <LengthLimit {...props} />;
  return (
    <>
      <p
        className={isOver ? 'hint count over' : 'hint count'}
        id={lengthCountId(name)}
        {...translation.attributes}
      >
        {sentence}
      </p>
      <p className="hidden" aria-live="polite" {...translation.attributes}>
        {spoken}
      </p>
    </>
  );
}
