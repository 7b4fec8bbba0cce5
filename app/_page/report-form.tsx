import type { ReactNode } from 'react';
import { reportDetailsLengthMax } from '@/lib/db/abuse-reports';

interface ReportFormProps {
  readonly question: string;
  /** The codes of the reasons, with their words. */
  readonly reasons: readonly (readonly [code: string, words: string])[];
  readonly words: { readonly details: string; readonly optional: string; readonly send: string };
  /** What was chosen and written before. */
  readonly reason: string;
  readonly details: string;
}

/** The form to report a form or a file. It works without a script. */
export function ReportForm({ question, reasons, words, reason, details }: ReportFormProps): ReactNode {
  return (
    <form method="post" noValidate acceptCharset="utf-8">
      <fieldset className="question">
        <legend className="label">{question}</legend>
        {reasons.map(([code, text]) => (
          <div className="option" key={code}>
            <input
              id={`reason-${code}`}
              type="radio"
              name="reason"
              value={code}
              defaultChecked={reason === code}
            />
            <label htmlFor={`reason-${code}`}>{text}</label>
          </div>
        ))}
      </fieldset>
      <div className="question">
        <label className="label" htmlFor="details">
          {words.details} <span className="optional">({words.optional})</span>
        </label>
        <textarea
          id="details"
          name="details"
          className="input"
          rows={4}
          dir="auto"
          maxLength={reportDetailsLengthMax}
          defaultValue={details}
        />
      </div>
      <button type="submit">{words.send}</button>
    </form>
  );
}
