import { z } from 'zod';
import type { ClientCall } from './client';

/** The options of the command-line client, made from the fields of its calls. */

/** An option that sets a field. */
export interface FieldOption {
  readonly flag: string;
  readonly field: string;
  readonly type: 'text' | 'number' | 'switch';
  readonly isList: boolean;
  readonly description: string;
  /** What it accepts, where the field has only some values or a range, and its default: `1 to 25. Default: 10.` */
  readonly accepts: string;
}

const property = z.looseObject({
  type: z.string().optional(),
  default: z.unknown().optional(),
  enum: z.array(z.unknown()).optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  description: z.string().default(''),
  items: z.looseObject({ type: z.string().optional(), enum: z.array(z.unknown()).optional() }).optional(),
});
const properties = z.looseObject({ properties: z.record(z.string(), property).default({}) });

/** One option for each field of a call that is a text, a number, a switch or a list of texts. Others are set with `--body`. */
export function fieldOptionsOf({ input, fields }: ClientCall): FieldOption[] {
  const schema = properties.parse(z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' }));
  return Object.entries(schema.properties).flatMap(([field, { type, items, description, ...rest }]) => {
    const isList = type === 'array' && items?.type === 'string';
    const kind = isList ? 'text' : kinds[type ?? ''];
    // A switch that is on can only be turned off with --body.
    if (!kind || fields.includes(field) || rest.default === true) return [];
    const accepts = acceptsOf({ ...rest, enum: rest.enum ?? items?.enum });
    return [{ flag: kebabOf(field), field, type: kind, isList, description, accepts }];
  });
}

function acceptsOf(field: Partial<z.output<typeof property>>): string {
  const { enum: values, minimum, maximum } = field;
  const isDefaultShown = typeof field.default === 'number' || typeof field.default === 'string';
  return [
    values && `One of: ${values.join(', ')}.`,
    minimum !== undefined && maximum !== undefined && `${minimum} to ${maximum}.`,
    isDefaultShown && `Default: ${field.default}.`,
  ]
    .filter(Boolean)
    .join(' ');
}

const kinds: Readonly<Record<string, FieldOption['type']>> = {
  string: 'text',
  number: 'number',
  integer: 'number',
  boolean: 'switch',
};

const kebabOf = (field: string): string => field.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
