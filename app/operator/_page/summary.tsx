import type { ReactNode } from 'react';
import { SummaryBox } from '@/app/_page/summary-box';

/** Why a form of the console was not accepted. */
export function Summary({
  title,
  text,
  field,
}: {
  title: string;
  text: string;
  /** The id of the field to correct, if there is one. */
  field?: string;
}): ReactNode {
  return (
    <SummaryBox title={title}>
      <p>{field === undefined ? text : <a href={`#${field}`}>{text}</a>}</p>
    </SummaryBox>
  );
}
