import { forms, freeOperations, operations } from '@/lib/catalog';
import type { FreeOperation } from '@/lib/catalog/free-operation';
import { idempotencyKey } from '@/lib/catalog/idempotency-key';
import type { Operation } from '@/lib/catalog/operation';
import { describeTool, isOpenWorld, toolNameOf } from '@/lib/catalog/tool-words';
import { jsonSchema } from './openapi/json-schema';

/** Where an argument of a tool goes in the request that the tool stands for. */
export type ArgumentLocation = 'path' | 'query' | 'body' | 'token' | 'idempotency_key';

/** A tool of the remote MCP server: an operation of the catalog, under a name that every assistant accepts. */
export interface RemoteTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** JSON Schema of the arguments. */
  readonly inputSchema: InputSchema;
  readonly operation: Operation | FreeOperation;
  /** Every argument with its place. */
  readonly places: ReadonlyMap<string, ArgumentLocation>;
}

/** The parts of a JSON Schema that tools use: an object with these fields and no others. */
export interface InputSchema {
  readonly type: 'object';
  readonly properties: Readonly<Record<string, object>>;
  readonly required: readonly string[];
  readonly additionalProperties: false;
}

/** The argument in which a paid tool takes the caller's idempotency key. */
export const keyArgument = 'idempotencyKey';

/** The argument for the read token of a form, which its holder sends in `Authorization`. */
const readTokenArgument = 'readToken';

export function isPaid(operation: Operation | FreeOperation): operation is Operation {
  return 'price' in operation;
}

interface ObjectSchema {
  readonly properties: Readonly<Record<string, object>>;
  readonly required: readonly string[];
}

const noFields: ObjectSchema = { properties: {}, required: [] };

let byName: ReadonlyMap<string, RemoteTool> | undefined;

/** Made when first needed: JSON Schemas of the whole catalog take longer than a process should wait for at its start. */
function toolsByName(): ReadonlyMap<string, RemoteTool> {
  byName ??= new Map([...operations, ...freeOperations].map(toTool).map((tool) => [tool.name, tool]));
  return byName;
}

/** Assistants cannot sign for a wallet, and MCP has no place for its signature. */
const isForAssistants = ({ operation }: RemoteTool) =>
  isPaid(operation) || (operation.access !== 'wallet' && !operation.isHttpOnly);

/** Every operation of the catalog in the form of a tool, in the catalog's order. */
export function operationTools(): readonly RemoteTool[] {
  return [...toolsByName().values()];
}

/** The tools of the remote MCP server: every operation except those that wallets sign in to, and those only for HTTP. */
export function remoteTools(): readonly RemoteTool[] {
  return operationTools().filter(isForAssistants);
}

/** The tool of a name; undefined if there is none. */
export function findRemoteTool(name: string): RemoteTool | undefined {
  const tool = toolsByName().get(name);
  return tool && isForAssistants(tool) ? tool : undefined;
}

function toTool(operation: Operation | FreeOperation): RemoteTool {
  const parts: [ArgumentLocation, ObjectSchema][] = [
    ['path', objectSchema(operation.params)],
    ['query', 'query' in operation && operation.query ? objectSchema(operation.query) : noFields],
    ['body', 'body' in operation && operation.takesBody ? objectSchema(operation.body) : noFields],
    ['token', tokenSchema(operation)],
    ['idempotency_key', isPaid(operation) ? keySchema(operation) : noFields],
  ];
  return {
    name: toolNameOf(operation),
    title: operation.title,
    description: `${describeTool(operation)} ${costOf(operation)}`,
    inputSchema: {
      type: 'object',
      properties: Object.assign({}, ...parts.map(([, { properties }]) => properties)),
      required: parts.flatMap(([, { required }]) => required),
      additionalProperties: false,
    },
    operation,
    places: new Map(
      parts.flatMap(([place, { properties }]) => Object.keys(properties).map((field) => [field, place])),
    ),
  };
}

function objectSchema(schema: Operation['body']): ObjectSchema {
  const { properties = {}, required = [] } = jsonSchema(schema, 'input') as Partial<ObjectSchema>;
  // Zod may list a field as required that accepts undefined, such as one that is converted from other types.
  const isOptional = (field: string) => schema.shape[field]?.safeParse(undefined).success === true;
  return { properties, required: required.filter((field) => !isOptional(field)) };
}

function tokenSchema(operation: Operation | FreeOperation): ObjectSchema {
  if (isPaid(operation) || operation.access !== 'readToken') return noFields;
  const schema = jsonSchema(forms.create.output.shape.readToken, 'input');
  return { properties: { [readTokenArgument]: schema }, required: [readTokenArgument] };
}

function keySchema({ paths }: Operation): ObjectSchema {
  const { description, pattern, ...rest } = jsonSchema(idempotencyKey, 'input');
  const need = paths.account ? ' Required when an account pays.' : '';
  return {
    properties: {
      [keyArgument]: {
        ...rest,
        description: `One key for each thing you buy, the same key on every retry.${need}`,
      },
    },
    required: [],
  };
}

/** What a call costs and how it is paid. */
function costOf(operation: Operation | FreeOperation): string {
  if (!isPaid(operation)) {
    return operation.access === 'account' ? 'Free. Needs the bearer token of an account.' : 'Free.';
  }
  const { variablePrice, price } = operation;
  const cost = variablePrice
    ? `Costs the amount in ${variablePrice.field}, ${variablePrice.min} to ${variablePrice.max} USDC.`
    : `Costs ${price} USDC per call.`;
  return cost;
}

/**
 * The protocol's hints. Assistants may call read-only or idempotent tools without asking a person first, so no paid
 * tool is marked as either.
 */
export function annotationsOf({ operation }: RemoteTool) {
  const isFree = !isPaid(operation);
  const isReading = isFree && (operation.method === 'GET' || 'body' in operation);
  const isDeleting = operation.method === 'DELETE';
  return {
    readOnlyHint: isReading,
    destructiveHint: isDeleting,
    idempotentHint: isReading || (isFree && isDeleting),
    openWorldHint: isOpenWorld(operation),
  };
}
