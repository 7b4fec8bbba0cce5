import type { ComponentProps, ReactNode } from 'react';

interface FieldProps {
  /** Of the input. */
  readonly id: string;
  readonly label: ReactNode;
  readonly hint?: ReactNode;
  /** Why what was entered is not accepted. */
  readonly error?: string | undefined;
  /** The input. */
  readonly children: ReactNode;
}

/** An input with its label and, above it, a hint and an error. `describing` connects the input with them. */
export function Field({ id, label, hint, error, children }: FieldProps): ReactNode {
  return (
    <div className={error === undefined ? 'field' : 'field wrong'}>
      <label htmlFor={id}>{label}</label>
      <Hint id={id} hint={hint} />
      <FieldError id={id} error={error} />
      {children}
    </div>
  );
}

/** Several inputs with one label, such as radio buttons. */
export function FieldGroup({ id, label, hint, error, children }: FieldProps): ReactNode {
  return (
    <fieldset
      className={error === undefined ? 'field' : 'field wrong'}
      aria-describedby={describing(id, { hint, error })['aria-describedby']}
    >
      <legend>{label}</legend>
      <Hint id={id} hint={hint} />
      <FieldError id={id} error={error} />
      {children}
    </fieldset>
  );
}

function Hint({ id, hint }: Pick<FieldProps, 'id' | 'hint'>): ReactNode {
  if (hint === undefined) return null;
  return (
    <p className="hint" id={`${id}-hint`}>
      {hint}
    </p>
  );
}

function FieldError({ id, error }: Pick<FieldProps, 'id' | 'error'>): ReactNode {
  if (error === undefined) return null;
  return (
    <p className="error" id={`${id}-error`}>
      <span className="hidden">Error: </span>
      {error}
    </p>
  );
}

/** The attributes of an input that name its hint and its error. */
export function describing(
  id: string,
  { hint, error }: Pick<FieldProps, 'hint' | 'error'>,
): { readonly 'aria-describedby'?: string; readonly 'aria-invalid'?: true } {
  const names = [hint === undefined ? null : `${id}-hint`, error === undefined ? null : `${id}-error`];
  const described = names.filter((name) => name !== null).join(' ');
  return {
    ...(described === '' ? {} : { 'aria-describedby': described }),
    ...(error === undefined ? {} : { 'aria-invalid': true }),
  };
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
