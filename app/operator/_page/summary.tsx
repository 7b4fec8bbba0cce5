import type { ReactNode } from 'react';
import { ProblemList, SummaryBox } from '@/app/_page/summary-box';

/** Something that is wrong with a form. */
export interface Problem {
  readonly text: string;
  /** The ID of the input to correct, if there is one. */
  readonly field?: string | undefined;
}

/** The messages of problems by the input that they are about. */
export function errorsOf(problems: readonly Problem[]): Readonly<Record<string, string | undefined>> {
  return Object.fromEntries(problems.map(({ field = '', text }) => [field, text]));
}

/** Why a form of the console was not accepted; nothing if it was. Messages that are about an input lead to it. */
export function Summary({ title, problems }: { title: string; problems: readonly Problem[] }): ReactNode {
  if (problems.length === 0) return null;
  return (
    <SummaryBox title={title}>
      <ProblemList problems={problems} />
    </SummaryBox>
  );
}
