import { z } from 'zod';

/** A type that values of a JSON Schema have, in the terms that typed languages share. */
export type Shape =
  | { readonly kind: 'string' | 'integer' | 'number' | 'boolean' | 'null' | 'any' }
  | { readonly kind: 'literal'; readonly values: readonly (string | number | boolean)[] }
  | { readonly kind: 'list'; readonly items: Shape }
  | { readonly kind: 'map'; readonly values: Shape }
  | { readonly kind: 'union'; readonly members: readonly Shape[] }
  /** An open object may have fields that are not listed. */
  | { readonly kind: 'object'; readonly fields: readonly Field[]; readonly isOpen: boolean };

export interface Field {
  readonly name: string;
  readonly shape: Shape;
  readonly isRequired: boolean;
  readonly description: string;
}

const scalar = z.union([z.string(), z.number(), z.boolean()]);

const typeName = z.enum(['string', 'integer', 'number', 'boolean', 'null', 'array', 'object']);

/** The keywords that affect a type. Others narrow its values, which only the service checks. */
const keywords = z.looseObject({
  type: z.union([typeName, z.array(typeName)]).optional(),
  const: scalar.optional(),
  enum: z.array(scalar).optional(),
  items: z.unknown().optional(),
  anyOf: z.array(z.unknown()).optional(),
  oneOf: z.array(z.unknown()).optional(),
  allOf: z.array(z.unknown()).optional(),
  properties: z.record(z.string(), z.unknown()).optional(),
  required: z.array(z.string()).default([]),
  additionalProperties: z.unknown().optional(),
  description: z.string().default(''),
  $ref: z.string().optional(),
});

/**
 * The shape of a JSON Schema.
 * @throws Error for a keyword that no schema of the catalog uses
 */
export function shapeOf(schema: unknown): Shape {
  if (typeof schema !== 'object' || schema === null) return { kind: 'any' };
  const read = keywords.parse(schema);
  if (read.$ref !== undefined || read.allOf !== undefined)
    throw new Error('A schema with $ref or allOf has no shape yet.');
  const alternatives = read.anyOf ?? read.oneOf;
  if (alternatives) return { kind: 'union', members: alternatives.map(shapeOf) };
  if (read.const !== undefined) return { kind: 'literal', values: [read.const] };
  if (read.enum) return { kind: 'literal', values: read.enum };
  if (Array.isArray(read.type))
    return { kind: 'union', members: read.type.map((type) => shapeOf({ ...schema, type })) };
  switch (read.type) {
    case undefined:
      return { kind: 'any' };
    case 'array':
      return { kind: 'list', items: shapeOf(read.items) };
    case 'object':
      return objectShape(read);
    default:
      return { kind: read.type };
  }
}

function objectShape({ properties, required, additionalProperties }: z.output<typeof keywords>): Shape {
  const names = Object.keys(properties ?? {});
  if (properties === undefined || names.length === 0) {
    const isClosed = additionalProperties === false;
    return isClosed
      ? { kind: 'object', fields: [], isOpen: false }
      : { kind: 'map', values: shapeOf(additionalProperties) };
  }
  const fields = Object.entries(properties).map(([name, property]) => ({
    name,
    shape: shapeOf(property),
    isRequired: required.includes(name),
    description: keywords.parse(property).description,
  }));
  const isOpen = additionalProperties !== undefined && additionalProperties !== false;
  return { kind: 'object', fields, isOpen };
}
