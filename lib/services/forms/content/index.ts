import { type FormText, fieldsOf, rowsOf } from './fields';
import { checkFields, checkRow } from './judge';
import { withoutWarnings } from './warnings';
import type { Kind } from './words/word-list';

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
