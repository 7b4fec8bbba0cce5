/** The part of an OpenAPI document that the reference shows. */

export interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly format?: string;
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly additionalProperties?: Schema | boolean;
}

export interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: Schema;
}

interface Content {
  readonly schema: Schema;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, unknown>>;
}

export interface Answer {
  readonly description: string;
  readonly content?: Readonly<Record<string, Content>>;
}

export interface Described {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly parameters: readonly unknown[];
  readonly security: readonly object[];
  readonly requestBody?: { readonly required?: boolean; readonly content: Readonly<Record<string, Content>> };
  readonly responses: Readonly<Record<string, unknown>>;
}

export interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
  readonly components: object;
}

/** Follows a reference within the document. */
export function resolve<T>(document: OpenApi, value: unknown): T {
  const reference = (value as { $ref?: string } | undefined)?.$ref;
  // References in our own documents always lead to a value of the expected type.
  if (!reference) return value as T;
  const steps = reference.slice('#/'.length).split('/');
  return steps.reduce<unknown>((at, step) => (at as Record<string, unknown>)[step], document) as T;
}

/** An operation with all its paths. */
export interface Entry {
  /** The ID of the operation in the catalog. */
  readonly id: string;
  readonly routes: readonly { readonly method: string; readonly path: string; readonly item: Described }[];
}

const rails = /\.(x402|mpp|account)$/;

/** The operations of a document. The paths of different rails are one entry. */
export function entriesOf({ paths }: OpenApi): Entry[] {
  const entries = new Map<string, Entry['routes'][number][]>();
  for (const [path, methods] of Object.entries(paths)) {
    for (const [method, item] of Object.entries(methods)) {
      const id = item.operationId.replace(rails, '');
      const routes = entries.get(id) ?? [];
      routes.push({ method: method.toUpperCase(), path, item });
      entries.set(id, routes);
    }
  }
  return [...entries].map(([id, routes]) => ({ id, routes }));
}
