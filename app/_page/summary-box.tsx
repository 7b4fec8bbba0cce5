import type { ReactNode, Ref } from 'react';

/** Something that is wrong with a form. */
export interface Problem {
  readonly text: ReactNode;
  /** The ID of the input to correct, if there is one. */
  readonly field?: string | undefined;
}

/** What is wrong, in a summary. Messages that are about an input lead to it. */
export function ProblemList({ problems }: { problems: readonly Problem[] }): ReactNode {
  return (
    <ul>
      {problems.map(({ text, field }) => (
        <li key={field ?? 'form'}>{field === undefined ? text : <a href={`#${field}`}>{text}</a>}</li>
      ))}
    </ul>
  );
}

/** The summary of what a script found wrong. It fills in title and text, shows the summary and gives it the focus. */
export function ScriptSummary({
  ids,
  title,
  heading: Heading = 'h2',
}: {
  ids: Readonly<Record<'problem' | 'problemTitle' | 'problemText', string>>;
  title: string;
  heading?: 'h2' | 'h3';
}): ReactNode {
  return (
    <div
      id={ids.problem}
      className="notice wrong"
      role="alert"
      aria-labelledby={ids.problemTitle}
      tabIndex={-1}
      hidden
    >
      <Heading id={ids.problemTitle}>{title}</Heading>
      <p id={ids.problemText} />
    </div>
  );
}

/** The error summary of the GOV.UK design system: why a form was not accepted. It gets the focus after a post. */
export function SummaryBox({
  title,
  titleAttributes,
  boxRef,
  children,
}: {
  title: string;
  /** For a title in another language than the page. */
  titleAttributes?: { readonly lang?: string; readonly dir?: 'ltr' | 'rtl' };
  boxRef?: Ref<HTMLDivElement>;
  children: ReactNode;
}): ReactNode {
  return (
    <div
      className="notice wrong"
      role="alert"
      aria-labelledby="summary-title"
      tabIndex={-1}
      ref={boxRef}
      // biome-ignore lint/a11y/noAutofocus: after a post without a script, the focus must be on the problem.
      autoFocus
    >
      <h2 id="summary-title" {...titleAttributes}>
        {title}
      </h2>
      {children}
    </div>
  );
}
