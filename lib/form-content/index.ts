import { type FormText, fieldsOf, rowsOf } from './fields';
import { judgeFields, judgeRow } from './judge';
import { withoutWarnings } from './warning';
import type { Kind } from './words/language';

export type { FormText } from './fields';

export interface ForbiddenContent {
  /** `title`, `questions.2.label`, `questions.0.options.3` */
  readonly path: string;
  readonly kind: Kind;
}

/**
 * Where a form asks for what no form may ask for, in any of the languages of `words` and through disguises; the rules
 * are in docs/decisions/form-content.md. Names each path once with each kind; a phrase that runs over several fields is
 * named where it begins. Takes time in proportion to the form's length.
 */
export function findForbiddenContent(form: FormText): readonly ForbiddenContent[] {
  const read = { ...form, description: form.description && withoutWarnings(form.description) };
  const fields = fieldsOf(read);
  const findings = [
    ...judgeFields(fields),
    ...rowsOf(fields).flatMap((row) => row.flatMap((_, at) => judgeRow(row, at))),
  ];
  const named = findings.map(({ field: { path }, kind }) => [`${path} ${kind}`, { path, kind }] as const);
  return [...new Map(named).values()];
}
