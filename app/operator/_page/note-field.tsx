import type { ReactNode } from 'react';
import { describing, Field } from '@/app/_page/field';

/** A note by the operator about what is done. */
export function NoteField({
  value,
  hint,
  error,
  id = 'note',
  label = 'Note',
  maxLength = 500,
}: {
  value?: string | undefined;
  hint: string;
  /** Why it was not accepted. */
  error?: string | undefined;
  id?: string;
  label?: string;
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
