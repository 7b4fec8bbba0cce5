import type { ReactNode } from 'react';
import { reportDetailsLengthMax } from '@/lib/services/abuse-reports';
import { fillSlots, QuotedLabel } from './sentence';
import { type Translation, translate } from './translation';

/** A rule of the form to report something that was broken. */
export type ReportFault = 'chooseOne' | 'tooLong';

/** What is wrong with a report. */
export interface ReportProblem {
  readonly field: 'reason' | 'details';
  /** The ID of the input to go to; the first one of several radio buttons. */
  readonly inputId: string;
  readonly message: ReactNode;
}

/** The first rule that a report breaks; null if it breaks none. */
export function findReportFault(isReason: boolean, details: string): ReportFault | null {
  if (!isReason) return 'chooseOne';
  return writtenDetails(details).length > reportDetailsLengthMax ? 'tooLong' : null;
}

/** Form posts have their own line breaks (HTML, form submission), which count as one character. */
export function writtenDetails(details: string): string {
  return details.replaceAll(/\r\n?/g, '\n').trim();
}

/** What is wrong with a report, as a sentence that quotes the field. */
export function reportProblem(
  fault: ReportFault,
  question: string,
  reasons: readonly string[],
  translation: Translation,
): ReportProblem {
  const isReason = fault === 'chooseOne';
  const label = isReason ? question : translate(translation, 'details');
  return {
    field: isReason ? 'reason' : 'details',
    inputId: isReason ? `reason-${reasons[0]}` : 'details',
    message: fillSlots(translate(translation, fault, { n: reportDetailsLengthMax }), {
      label: <QuotedLabel label={label} />,
    }),
  };
}
