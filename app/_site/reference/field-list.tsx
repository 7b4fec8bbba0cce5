import type { ReactNode } from 'react';
import { capital } from '../words';
import type { Field } from './fields';

interface FieldListProps {
  readonly fields: readonly Field[];
  /** The start of the anchors: `request.` */
  readonly anchor: string;
  /** Responses do not say what is required: fields that may be missing are marked instead. */
  readonly isResponse?: boolean;
  /** Whether these are fields within a field. */
  readonly isInner?: boolean;
}

/** Fields with their meaning. Fields within them are shown, and what is within those is collapsed, which needs no script. */
export function FieldList({
  fields,
  anchor,
  isResponse = false,
  isInner = false,
}: FieldListProps): ReactNode {
  return (
    <dl className="parameters">
      {fields.map((field) => (
        <div key={field.path} id={anchor + field.path} className="parameter">
          <dt>
            <code>{field.name}</code>{' '}
            <span className="type">{[field.type, needOf(field, isResponse)].filter(Boolean).join(', ')}</span>
          </dt>
          <dd>
            {field.description ? <p>{prose(field.description)}</p> : null}
            <Details field={field} />
            {field.fields.length > 0 ? (
              <details open={!isInner}>
                <summary>
                  {field.fields.length === 1 ? '1 field' : `${field.fields.length} fields`} of{' '}
                  <code>{field.name}</code>
                </summary>
                <FieldList fields={field.fields} anchor={anchor} isResponse={isResponse} isInner />
              </details>
            ) : null}
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** How many fields of a whole request or response are shown. Further ones are collapsed, except required ones of a request. */
const shownMax = 6;

/** The fields of a whole request or response: in a request, required ones come first. */
export function TopFields({ fields, anchor, isResponse = false }: FieldListProps): ReactNode {
  const required = isResponse ? [] : fields.filter(({ isRequired }) => isRequired);
  const ordered = [...required, ...fields.filter((field) => !required.includes(field))];
  // Collapsing one field saves no room.
  const shown = ordered.length <= shownMax + 1 ? ordered.length : Math.max(required.length, shownMax);
  const folded = ordered.slice(shown);
  return (
    <>
      <FieldList fields={ordered.slice(0, shown)} anchor={anchor} isResponse={isResponse} />
      {folded.length > 0 ? (
        <details className="more">
          <summary>
            {folded.length} more {isResponse ? '' : 'optional '}fields
          </summary>
          <FieldList fields={folded} anchor={anchor} isResponse={isResponse} />
        </details>
      ) : null}
    </>
  );
}

function needOf({ isRequired }: Field, isResponse: boolean): string | null {
  if (isResponse) return isRequired ? null : 'may be missing';
  return isRequired ? 'required' : 'optional';
}

/** Format, bounds, default, values and example, in a line. */
function Details({ field: { format, rules, values, example } }: { field: Field }): ReactNode {
  const words = [...(format === null ? [] : [format]), ...rules].join('; ');
  if (words === '' && values.length === 0 && example === null) return null;
  return (
    <p className="rules">
      {words === '' ? null : <span>{capital(words)}.</span>}
      {values.length === 0 ? null : (
        <span>
          {values.length === 1 ? 'Always' : 'One of'}{' '}
          {values.map((value, at) => [at === 0 ? '' : ', ', <code key={value}>{value}</code>])}.
        </span>
      )}
      {example === null ? null : (
        <span>
          Example: <code>{example}</code>
        </span>
      )}
    </p>
  );
}

/** Code between backticks, as in Markdown. */
export function prose(text: string): ReactNode {
  const parts = text.split(/`([^`]+)`/);
  // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a constant text.
  return parts.map((part, at) => (at % 2 === 1 ? <code key={at}>{part}</code> : part));
}
