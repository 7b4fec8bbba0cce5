import type { ReactNode } from 'react';
import { Field, Option } from '@/app/_page/field';
import type { Operation } from '@/lib/catalog/operation';
import { prose } from '../field-list';
import { fieldsOf } from '../fields';
import { alternativesOf, type Schema, schemaOf } from '../schema';
import { tryIds as ids } from './state';

/** How the text of a control becomes a value: as it is, as a number, or as JSON. */
export type FieldKind = 'text' | 'number' | 'json';

/** The body of a call as fields, made from its schema, and as JSON. The script keeps both alike. */
export function BodyFields({ call }: { call: Operation }): ReactNode {
  const schema = schemaOf(call.body, 'input');
  const example = call.example.body as Readonly<Record<string, unknown>>;
  const fields = fieldsOf(schema, example);
  const isFilled = ({ name }: { name: string }) => name in example;
  const shown = fields.filter((field) => field.isRequired || isFilled(field));
  const others = fields.filter((field) => !shown.includes(field));
  const control = ({ name, isRequired, description }: (typeof fields)[number]) => (
    <BodyField
      key={name}
      name={name}
      schema={schema.properties?.[name] ?? {}}
      isRequired={isRequired}
      description={description}
      value={example[name]}
    />
  );
  const text = JSON.stringify(example, null, 2);
  return (
    <>
      <div id={ids.fields}>
        {shown.map(control)}
        {others.length === 0 ? null : (
          <details className="field">
            <summary>
              {others.length === 1 ? '1 more field' : `${others.length} more fields`}, optional
            </summary>
            {others.map(control)}
          </details>
        )}
      </div>
      <div id={ids.bodyField} hidden>
        <Field id={ids.body} label="Body (JSON)">
          <textarea
            id={ids.body}
            className="code"
            rows={Math.min(16, text.split('\n').length + 1)}
            defaultValue={text}
            autoComplete="off"
            spellCheck={false}
          />
        </Field>
      </div>
      <Option id={ids.asJson} type="checkbox" autoComplete="off">
        Edit as JSON
      </Option>
    </>
  );
}

interface BodyFieldProps {
  readonly name: string;
  readonly schema: Schema;
  readonly isRequired: boolean;
  readonly description: string;
  /** The value of the example. */
  readonly value: unknown;
}

function BodyField({ name, schema, isRequired, description, value }: BodyFieldProps): ReactNode {
  const id = `try-field-${name}`;
  const kind = kindOf(schema);
  const choices = choicesOf(schema);
  const text = textOf(value, kind);
  const common = {
    id,
    defaultValue: text,
    'data-field': name,
    'data-kind': kind,
    'aria-describedby': `${id}-hint`,
    required: isRequired,
    autoComplete: 'off',
  };
  return (
    <Field
      id={id}
      label={
        <>
          <code>{name}</code>
          {isRequired ? '' : ' (optional)'}
        </>
      }
      hint={prose(description)}
    >
      {choices.length > 0 ? (
        <select {...common}>
          {isRequired ? null : <option value="">Not sent</option>}
          {choices.map((choice) => (
            <option key={choice} value={choice}>
              {choice}
            </option>
          ))}
        </select>
      ) : isLong(schema, kind) ? (
        <textarea
          {...common}
          className={kind === 'json' ? 'code' : undefined}
          rows={Math.min(12, text.split('\n').length + 1)}
          spellCheck={false}
        />
      ) : (
        <input {...common} inputMode={kind === 'number' ? 'decimal' : undefined} spellCheck={false} />
      )}
    </Field>
  );
}

function textOf(value: unknown, kind: FieldKind): string {
  if (value === undefined) return '';
  return typeof value === 'string' && kind !== 'json' ? value : JSON.stringify(value, null, 2);
}

/** Whether a value may need several lines, which an input does not keep. */
function isLong({ maxLength = 0 }: Schema, kind: FieldKind): boolean {
  return kind === 'json' || (kind === 'text' && maxLength > 500);
}

/** The type of a field, where it has only one. */
function onlyType(schema: Schema): string {
  const types = new Set(
    alternativesOf(schema).map(({ type, enum: values = [] }) => String(type ?? typeof values[0])),
  );
  types.delete('null');
  return types.size === 1 ? ([...types][0] ?? '') : '';
}

function kindOf(schema: Schema): FieldKind {
  const type = onlyType(schema);
  if (type === 'string') return 'text';
  return type === 'number' || type === 'integer' ? 'number' : 'json';
}

/** The values from which a person chooses; none where any value is possible. */
function choicesOf(schema: Schema): readonly string[] {
  if (onlyType(schema) === 'boolean') return ['true', 'false'];
  if (onlyType(schema) !== 'string') return [];
  return alternativesOf(schema).flatMap(({ enum: values = [], const: only }) =>
    [...values, ...(only === undefined ? [] : [only])].map(String),
  );
}
