import type { Operation, RailName } from '@/lib/catalog/operation';
import { offersOf } from './openapi/payment-info';
import type { Site } from './site-config';

/** A path of an operation on one rail. */
export interface PaidRoute {
  readonly operation: Operation;
  readonly rail: RailName;
  readonly method: string;
  readonly path: string;
}

/** Every path of the operations, except on rails that no offered network can pay. */
export function paidRoutes(operations: readonly Operation[], site: Site): PaidRoute[] {
  return operations.flatMap((operation) =>
    (Object.entries(operation.paths) as [RailName, string][])
      .filter(([rail]) => rail === 'account' || offersOf(rail, site).length > 0)
      .map(([rail, path]) => ({ operation, rail, method: operation.method, path })),
  );
}

/** `/v1/uploads/{id}` as `/v1/uploads/:id`. */
export function withColons(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1');
}
