import { freeOperations, operations } from '.';
import type { FreeOperation } from './free-operation';
import { nearest } from './nearest';
import type { Operation } from './operation';

/** An operation with one of its paths and the method that calls it. */
export interface AddressedOperation {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation | FreeOperation;
}

const addressed: readonly (AddressedOperation & { readonly pattern: RegExp })[] = [
  ...operations.flatMap((operation) =>
    Object.values(operation.paths).map((path) => ({ method: operation.method, path, operation })),
  ),
  ...freeOperations.map((operation) => ({ method: operation.method, path: operation.path, operation })),
].map((one) => ({ ...one, pattern: new RegExp(`^${one.path.replaceAll(/\{\w+\}/g, '[^/]+')}$`) }));

/** By every path without parameters. */
const atFixedPaths = new Map(
  addressed.map(({ path }) => [path, addressed.filter(({ pattern }) => pattern.test(path))]),
);

/** The operations that can be called at a path, one per method; empty where there is none. */
export function operationsAt(path: string): readonly AddressedOperation[] {
  return atFixedPaths.get(path) ?? addressed.filter(({ pattern }) => pattern.test(path));
}

/** The addresses whose path is nearest to a path, if any resembles it. */
export function nearestAddresses(path: string): readonly AddressedOperation[] {
  const text = path
    .toLowerCase()
    .replace(/\/+$/, '')
    .replaceAll(/\/[a-z]{2,4}_[^/]+/g, '/{id}');
  return nearest(text, addressed, (one) => one.path, 0.25);
}
