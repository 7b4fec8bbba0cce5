import type { ReactNode } from 'react';
import type { Translation } from '@/app/_page/translation';

export interface LengthCountProps {
  /** The name and ID of the text area. */
  readonly name: string;
  readonly maxLength: number;
  readonly translation: Translation;
}

/** The ID of the count below a text area, for aria-describedby. */
export const lengthCountId = (name: string) => `${name}-count`;

/** Room for the characters that are left, which the browser counts. */
export function NoCount({ name }: LengthCountProps): ReactNode {
  return <p className="hint count" id={lengthCountId(name)} />;
}
