import type { ReactNode } from 'react';
import { type Translation, translate } from '@/app/_page/translation';

export interface LengthCountProps {
  /** The name and ID of the text area. */
  readonly name: string;
  readonly maxLength: number;
  readonly translation: Translation;
}

/** The ID of the count below a text area, for aria-describedby. */
export const lengthCountId = (name: string) => `${name}-count`;

/** How long an answer may be, below its text area. The browser replaces it with a live count. */
export function LengthLimit({ name, maxLength, translation }: LengthCountProps): ReactNode {
  return (
    <p className="hint count" id={lengthCountId(name)} {...translation.attributes}>
      {translate(translation, 'lengthMax', { n: maxLength })}
    </p>
  );
}
