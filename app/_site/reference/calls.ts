import { categories } from '@/lib/catalog/categories';
import type { ErrorCode } from '@/lib/catalog/errors/codes';
import type { FreeOperation } from '@/lib/catalog/free-operation';
import type { Operation, RailName } from '@/lib/catalog/operation';
import { ownErrors } from '@/lib/catalog/paid-errors';
import { everything, partOf } from '@/lib/discovery/contents';
import { accessErrors } from '@/lib/discovery/openapi/operations';
import { offersOf } from '@/lib/discovery/openapi/payment-info';
import { paidRoutes } from '@/lib/discovery/paid-routes';
import { isPaid } from '@/lib/discovery/remote-tools';
import type { Site } from '@/lib/discovery/site-config';

/** What the reference says about operations, taken from the catalog and the settings. */

export type Call = Operation | FreeOperation;

export const allCalls: readonly Call[] = [...everything.operations, ...everything.freeOperations];

export interface CallGroup {
  /** The name of the part. */
  readonly name: string;
  readonly title: string;
  readonly path: string;
  readonly calls: readonly Call[];
}

/** Every call, by group, in the order of the catalog. */
export const groups: readonly CallGroup[] = [...new Set(allCalls.map(partOf))].map((name) => {
  const calls = allCalls.filter((call) => partOf(call) === name);
  const category = calls[0]?.category ?? 'service';
  return { name, title: categories[category].title, path: `/docs/reference/${name}`, calls };
});

/** A way to pay for a call, or the only way to make a free one. */
export interface Route {
  readonly rail: RailName | null;
  readonly path: string;
  /** The names of the networks that pay for it. */
  readonly networks: readonly string[];
}

/** The routes of a call. A rail that no offered network can pay is left out. */
export function routesOf(call: Call, site: Site): readonly Route[] {
  if (!isPaid(call)) return [{ rail: null, path: call.path, networks: [] }];
  return paidRoutes([call], site).map(({ rail, path }) => ({
    rail,
    path,
    networks: rail === 'account' ? [] : offersOf(rail, site).map(({ network }) => network.label),
  }));
}

/** The errors that belong to this call. Those that any call can have are on the page about all calls. */
export function errorsOf(call: Call): readonly ErrorCode[] {
  if (!isPaid(call)) return [...call.errors, ...(call.access ? accessErrors[call.access] : [])];
  const rails = Object.keys(call.paths) as RailName[];
  return [...new Set(rails.flatMap((rail) => ownErrors(call, rail)))];
}
