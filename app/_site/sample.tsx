import type { ReactNode } from 'react';
import { highlight } from './highlight';

interface SampleProps {
  /** What it is, which names its copy button too. */
  readonly label: string;
  /** Stands above it, beside its copy button. */
  readonly title?: string;
  readonly text: string;
  /** For highlighting, such as `bash`. */
  readonly language?: string;
  /** Whether only the beginning of a long text is shown until its reader wants all of it. */
  readonly isFolded?: boolean;
  /** Whether it is only to be read, such as a shortened response, and so has no copy button. */
  readonly isOutput?: boolean;
}

/** How many lines of a folded sample are shown (`.folded` in site.css). */
const shownLines = 12;

/** A code sample. It scrolls on its own, with the keyboard too. */
export function Sample({
  label,
  title,
  text,
  language,
  isFolded = false,
  isOutput = false,
}: SampleProps): ReactNode {
  const lines = text.trimEnd().split('\n').length;
  // Hiding a line or two saves no room.
  const folds = isFolded && lines > shownLines + 2;
  const copied = isOutput ? {} : { 'data-copy': true };
  return (
    <section className={folds ? 'sample folded' : 'sample'} aria-label={label}>
      {title === undefined ? null : <p className="sample-title">{title}</p>}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard. */}
      <pre {...copied} tabIndex={0}>
        {/* biome-ignore lint/security/noDangerouslySetInnerHtml: the highlighter escapes the text. */}
        <code dangerouslySetInnerHTML={{ __html: highlight(text, language) }} />
      </pre>
      {folds ? (
        <label className="unfold">
          <input type="checkbox" className="hidden" autoComplete="off" /> Show all {lines} lines
        </label>
      ) : null}
    </section>
  );
}
