import type { FreeOperation } from '@/lib/catalog/free-operation';
import type { Operation } from '@/lib/catalog/operation';
import { jsonSchema } from '../openapi/json-schema';
import { type ArgumentLocation, isPaid, keyArgument, operationTools, type RemoteTool } from '../remote-tools';
import type { SiteConfig } from '../site-config';
import { type Shape, shapeOf } from './shape';

/** A method of a typed client: an operation with one object of arguments. */
export interface ClientMethod {
  readonly operation: Operation | FreeOperation;
  /** In Python's spelling: `uploads_create`. */
  readonly name: string;
  readonly summary: string;
  readonly input: Shape;
  readonly output: Shape;
  /** Where each argument goes. The idempotency key is not one of them. */
  readonly places: ReadonlyMap<string, ArgumentLocation>;
  readonly takesBody: boolean;
}

/** The methods for all operations that are available here, in the catalog's order. */
export function clientMethods({ isAvailable }: Pick<SiteConfig, 'isAvailable'>): ClientMethod[] {
  return operationTools()
    .filter(({ operation }) => !isPaid(operation) || isAvailable(operation))
    .map(toMethod);
}

function toMethod({ name, operation, inputSchema, places }: RemoteTool): ClientMethod {
  const { [keyArgument]: _, ...properties } = inputSchema.properties;
  return {
    operation,
    name,
    summary: `${operation.summary} ${costOf(operation)}`,
    input: shapeOf({ ...inputSchema, properties }),
    output: shapeOf(jsonSchema(operation.output, 'output')),
    places: new Map([...places].filter(([field]) => field !== keyArgument)),
    takesBody: 'takesBody' in operation && operation.takesBody,
  };
}

function costOf(operation: Operation | FreeOperation): string {
  if (!isPaid(operation)) return 'Free.';
  const { variablePrice: range, price } = operation;
  return range ? `Costs ${range.min} to ${range.max} USDC.` : `Costs ${price} USDC.`;
}

/** The method for the operation of an ID; undefined if there is none. */
export function methodOf(id: string): ClientMethod | undefined {
  const tool = operationTools().find(({ operation }) => operation.id === id);
  return tool && toMethod(tool);
}

/** The example of an operation as the argument of its method. */
export function exampleOf({ operation, places }: ClientMethod): Readonly<Record<string, unknown>> {
  const { params, body = {} } = operation.example as { params: object; body?: object };
  const token = [...places].filter(([, place]) => place === 'token').map(([name]) => [name, `your ${name}`]);
  return { ...params, ...Object.fromEntries(token), ...body };
}

/** `uploads_create` as `uploadsCreate`. */
export const camelCase = (name: string): string =>
  name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** `uploads_create` as `UploadsCreate`. */
export function pascalCase(name: string): string {
  const camel = camelCase(name);
  return camel.charAt(0).toUpperCase() + camel.slice(1);
}
