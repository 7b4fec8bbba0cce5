import type { ReportReason } from '@/lib/services/forms/report-form';
import type { FileReportReason } from '@/lib/services/uploads/report-file';

/** Why people report forms and files, in words for operators. */
export const reportReasonWords: Readonly<Record<string, string>> = {
  secrets: 'Asks for passwords or other secrets.',
  pretends: 'Pretends to be somebody else.',
  harm: 'Threatens or harms people, or breaks the law.',
  malware: 'Harms devices.',
  private: 'Shows private information.',
  copyright: 'Belongs to the reporter, who did not agree.',
  other: 'Another reason.',
} satisfies Record<ReportReason | FileReportReason, string>;
