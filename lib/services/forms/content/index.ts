import { type FormText, fieldsOf, rowsOf } from './fields';
import { checkFields, checkRow } from './judge';
import { lexiconOf, meanings } from './lexicon';
import { consistsOf, isMatch, type Span } from './match';
import { normalize } from './normalize';
import { findAll, meaningOf } from './trie';
import type { Kind } from './words/word-list';

/** A longer sentence says more than a warning. */
const warningMax = 200;

const warningStarts = meanings.indexOf('warningStarts');

/**
 * A text without its warnings. A sentence is a warning if it starts as one (`never enter`) and continues with names of
 * secrets and where not to put them (`in this form`), and nothing else: `Never share your password, but enter it here`
 * is not one. Disguised words do not count as names of secrets.
 */
function withoutWarnings(text: string): string {
  return text.replace(/[^.!?。！？\n]+[.!?。！？\n]*/g, (sentence) =>
    isWarning(sentence) ? '\n' : sentence,
  );
}

function isWarning(sentence: string): boolean {
  if (sentence.length > warningMax) return false;
  const text = normalize([sentence], 'literal');
  const { phrases, warningWords } = lexiconOf('literal');
  const matches: Span[] = [];
  const starts: Span[] = [];
  findAll(phrases, text, 0, text.length, (entry, start, end) => {
    if (!isMatch(phrases, text, entry, start, end)) return;
    matches.push({ start, end });
    const isStart = start === 0 && meaningOf(phrases.marks[entry] ?? 0) === warningStarts;
    if (isStart) starts.push({ start, end });
  });
  return starts.some(({ end }) => consistsOf(text, { start: end, end: text.length }, warningWords, matches));
}

export type { FormText } from './fields';

export interface ForbiddenContent {
  /** `title`, `questions.2.label`, `questions.0.options.3` */
  readonly path: string;
  readonly kind: Kind;
}

/**
 * Finds where a form asks for a secret, in any language and through disguises. Reports each path once per kind; a phrase
 * that runs across fields is reported where it starts. Takes time proportional to the length of the form. README.md in
 * this folder explains the steps.
 */
export function findForbiddenContent(form: FormText): readonly ForbiddenContent[] {
  const description = form.description && withoutWarnings(form.description);
  const fields = fieldsOf({ ...form, description });
  const findings = [...checkFields(fields), ...rowsOf(fields).flatMap(checkRow)];
  const distinct = new Map(
    findings.map(({ field: { path }, kind }) => [`${path} ${kind}`, { path, kind }] as const),
  );
  return [...distinct.values()];
}
