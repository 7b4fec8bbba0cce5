import { freeOperations, operations } from '.';
import { adapterTools } from './adapter-tools';
import { findPath } from './endpoints';
import type { FreeOperation } from './free-operation';
import { nearest } from './nearest';
import { type Operation, operationIdOn, type RailName } from './operation';
import { toolNameOf } from './tool-words';

/** The names under which documents and clients know a call. */

type AnyOperation = Operation | FreeOperation;

/** `uploadsCreate`, `uploads_create` and `uploads.create` are one name. */
const plain = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]/g, '');

function namesOf(operation: AnyOperation): string[] {
  const tools = adapterTools.filter((tool) => tool.operation === operation.id).map(({ name }) => name);
  const names = [operation.id, toolNameOf(operation), ...tools];
  if (!('paths' in operation)) return names;
  const rails = Object.keys(operation.paths) as RailName[];
  return [...names, operation.priceName, ...rails.map((rail) => operationIdOn(operation, rail))];
}

/** Paid calls come first: a name that a paid and a free call share is that of the paid one. */
const byName: ReadonlyMap<string, AnyOperation> = new Map(
  [...freeOperations, ...operations].flatMap((one) =>
    namesOf(one)
      .reverse()
      .map((name) => [plain(name), one] as const),
  ),
);

/**
 * The call with a name: its ID, its operationId in OpenAPI, its name in the price list, in a typed client or as a tool, or its
 * method and path. Undefined if there is none.
 */
export function findCall(name: string): AnyOperation | undefined {
  const [, method, path = ''] = /^\s*([A-Za-z]+)\s+(\/\S*)\s*$/.exec(name) ?? [];
  if (method === undefined) return byName.get(plain(name));
  const found = findPath(path);
  const called = found?.endpoints.find((one) => one.method === method.toUpperCase());
  return called && 'operation' in called ? called.operation : undefined;
}

/** The IDs of the paid calls whose names are nearest to a name, at most three. */
export function nearestCalls(name: string): string[] {
  const meant = plain(name.slice(name.lastIndexOf('/v1/') + 1));
  const paid = [...byName].filter(([, operation]) => 'price' in operation);
  const containing = meant.length < 3 ? [] : paid.filter(([known]) => known.includes(meant));
  const similar = nearest(meant, paid, ([known]) => known, 0.6);
  return [...new Set([...containing, ...similar].map(([, { id }]) => id))].slice(0, 3);
}
