import type { Call } from './calls';
import { type Field, fieldsOf } from './fields';
import { schemaOf } from './schema';

/** Fields of a request that are sent in one place. */
export interface FieldGroup {
  readonly title: string;
  /** The start of their anchors. */
  readonly anchor: string;
  readonly fields: readonly Field[];
}

/** The fields of a request; places without fields are left out. */
export function requestFields(call: Call): readonly FieldGroup[] {
  const query = 'query' in call ? call.query : undefined;
  const body = 'takesBody' in call && call.takesBody ? call : undefined;
  const groups = [
    {
      title: 'Path parameters',
      anchor: 'path.',
      fields: fieldsOf(schemaOf(call.params, 'input'), call.example.params),
    },
    { title: 'Query parameters', anchor: 'query.', fields: query ? fieldsOf(schemaOf(query, 'input')) : [] },
    {
      title: 'Body',
      anchor: 'body.',
      fields: body ? fieldsOf(schemaOf(body.body, 'input'), body.example.body) : [],
    },
  ];
  return groups.filter(({ fields }) => fields.length > 0);
}

export function responseFields(call: Call): readonly Field[] {
  return fieldsOf(schemaOf(call.output, 'output'), call.example.output);
}
