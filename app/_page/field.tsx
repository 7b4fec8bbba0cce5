import type { ComponentProps, ReactNode } from 'react';

/** An input with its label and, above it, a hint. The ID of the hint is that of the input followed by `-hint`. */
export function Field({
  id,
  label,
  hint,
  children,
}: {
  /** Of the input. */
  id: string;
  label: ReactNode;
  hint?: ReactNode;
  /** The input. */
  children: ReactNode;
}): ReactNode {
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {hint === undefined ? null : (
        <p className="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {children}
    </div>
  );
}

/** A radio button, or a checkbox, with its label. */
export function Option({
  children,
  ...input
}: Omit<ComponentProps<'input'>, 'id' | 'children'> & {
  id: string;
  /** The label. */
  children: ReactNode;
}): ReactNode {
  return (
    <div className="option">
      <input type="radio" {...input} />
      <label htmlFor={input.id}>{children}</label>
    </div>
  );
}
