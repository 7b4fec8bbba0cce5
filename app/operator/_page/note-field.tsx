import type { ReactNode } from 'react';
import { describing, Field } from '@/app/_page/field';

/** The longest note, in characters, unless a form says otherwise. */
const charactersMax = 500;

/** What was entered as the note of a form; empty if nothing was. */
export function noteOf(fields: URLSearchParams, maxLength = charactersMax): string {
  return (fields.get('note') ?? '').trim().slice(0, maxLength);
}

/** A note by the operator about what is done. */
export function NoteField({
  value,
  hint,
  error,
  id = 'note',
  label = 'Note',
  maxLength = charactersMax,
}: {
  value?: string | undefined;
  hint: string;
  /** Why it was not accepted. */
  error?: string | undefined;
  id?: string;
  label?: ReactNode;
  maxLength?: number;
}): ReactNode {
  return (
    <Field id={id} label={label} hint={hint} error={error}>
      <textarea
        id={id}
        name="note"
        rows={2}
        maxLength={maxLength}
        defaultValue={value}
        {...describing(id, { hint, error })}
      />
    </Field>
  );
}
