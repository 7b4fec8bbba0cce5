import type { ReactNode, Ref } from 'react';
import { type Speech, say } from './speech';

/** What stands in the way (the error summary of the GOV.UK design system): where the reader lands after a post. */
export function Summary({
  speech,
  title,
  boxRef,
  children,
}: {
  speech: Speech;
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
      // biome-ignore lint/a11y/noAutofocus: after a post without a script the reader must land on what went wrong.
      autoFocus
    >
      <h2 id="summary-title" {...speech.mark}>
        {say(speech, title)}
      </h2>
      {children}
    </div>
  );
}
