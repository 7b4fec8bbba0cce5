import type { ReactNode } from 'react';

/** Why a form was not accepted. It gets the focus after a post. */
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
    <div
      className="summary"
      role="alert"
      aria-labelledby="summary-title"
      tabIndex={-1}
      // biome-ignore lint/a11y/noAutofocus: after a post without a script, the focus must be on the problem.
      autoFocus
    >
      <h2 id="summary-title">{title}</h2>
      <p>{field === undefined ? text : <a href={`#${field}`}>{text}</a>}</p>
    </div>
  );
}
