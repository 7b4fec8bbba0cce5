import type { ReactNode, Ref } from 'react';
import { type Translation, translate } from './translation';

/** The error summary of the GOV.UK design system. It gets the focus after a post. */
export function Summary({
  translation,
  title,
  boxRef,
  children,
}: {
  translation: Translation;
  title: 'problemTitle' | 'noticeTitle';
  boxRef?: Ref<HTMLDivElement>;
  children: ReactNode;
}): ReactNode {
  return (
    <div
      className="summary"
      role="alert"
      aria-labelledby="summary-title"
      tabIndex={-1}
      ref={boxRef}
      // biome-ignore lint/a11y/noAutofocus: after a post without a script, the focus must be on the problem.
      autoFocus
    >
      <h2 id="summary-title" {...translation.attributes}>
        {translate(translation, title)}
      </h2>
      {children}
    </div>
  );
}
