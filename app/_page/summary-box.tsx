import type { ReactNode, Ref } from 'react';

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
