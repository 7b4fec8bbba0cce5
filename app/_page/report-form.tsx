import type { ReactNode } from 'react';
import { reportDetailsLengthMax } from '@/lib/services/abuse-reports';
import { Option } from './field';
import type { ReportProblem } from './report-problem';
import { type Translation, translate } from './translation';

interface ReportFormProps {
  readonly question: string;
  /** The codes of the reasons, with their words. */
  readonly reasons: readonly (readonly [code: string, words: string])[];
  readonly words: {
    readonly details: string;
    readonly detailsLimit: string;
    readonly optional: string;
    readonly send: string;
    readonly error: string;
  };
  /** What is wrong with one of the fields, if the report was sent. */
  readonly problem: ReportProblem | null;
  /** What was chosen and written before. */
  readonly reason: string;
  readonly details: string;
}

/** The words of the form that are the same for forms and files. */
export function reportWords(translation: Translation): ReportFormProps['words'] {
  return {
    details: translate(translation, 'details'),
    detailsLimit: translate(translation, 'lengthMax', { n: reportDetailsLengthMax }),
    optional: translate(translation, 'optional'),
    send: translate(translation, 'sendReport'),
    error: translate(translation, 'error'),
  };
}

/** The form to report a form or a file. It works without a script. */
export function ReportForm({
  question,
  reasons,
  words,
  problem,
  reason,
  details,
}: ReportFormProps): ReactNode {
  const problemAt = (field: ReportProblem['field']) => (problem?.field === field ? problem : null);
  const [reasonProblem, detailsProblem] = [problemAt('reason'), problemAt('details')];
  return (
    <form method="post" noValidate acceptCharset="utf-8">
      <fieldset
        className={reasonProblem ? 'field wrong' : 'field'}
        aria-describedby={reasonProblem ? 'reason-error' : undefined}
      >
        <legend>{question}</legend>
        <ErrorText error={words.error} problem={reasonProblem} />
        {reasons.map(([code, text]) => (
          <Option
            key={code}
            id={`reason-${code}`}
            name="reason"
            value={code}
            defaultChecked={reason === code}
          >
            {text}
          </Option>
        ))}
      </fieldset>
      <div className={detailsProblem ? 'field wrong' : 'field'}>
        <label htmlFor="details">
          {words.details} <span className="optional">({words.optional})</span>
        </label>
        <div className="hint" id="details-hint">
          <p>{words.detailsLimit}</p>
        </div>
        <ErrorText error={words.error} problem={detailsProblem} />
        <textarea
          id="details"
          name="details"
          rows={4}
          dir="auto"
          aria-invalid={detailsProblem ? true : undefined}
          aria-describedby={detailsProblem ? 'details-hint details-error' : 'details-hint'}
          defaultValue={details}
        />
      </div>
      <button type="submit">{words.send}</button>
    </form>
  );
}

function ErrorText({ error, problem }: { error: string; problem: ReportProblem | null }): ReactNode {
  if (!problem) return null;
  return (
    <p className="error" id={`${problem.field}-error`}>
      <span className="hidden">{error} </span>
      {problem.message}
    </p>
  );
}
