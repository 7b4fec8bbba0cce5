import { freeOperations, operations } from '.';
import type { FreeOperation } from './free-operation';
import { nearest } from './nearest';
import type { Operation, RailName } from './operation';
import { type OtherName, otherPaths } from './other-paths';

/** How a paid operation is called on one of its rails. */
export interface PaidEndpoint {
  readonly kind: 'paid';
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
  readonly rail: RailName;
}

/** How a free operation is called. */
export interface FreeEndpoint {
  readonly kind: 'free';
  readonly method: string;
  readonly path: string;
  readonly operation: FreeOperation;
}

/** How something is called that is not an operation. */
interface OtherEndpoint {
  readonly kind: 'other';
  readonly method: string;
  readonly path: string;
  readonly name: OtherName;
  readonly countsAs: (typeof otherPaths)[OtherName]['countsAs'];
}

/** A path of the API with a method. Segments in braces are parameters. */
export type Endpoint = PaidEndpoint | FreeEndpoint | OtherEndpoint;

/** The rails of an operation, as far as its type says. */
type RailOf<Op extends Operation> = {
  [Rail in RailName]: Op['paths'][Rail] extends string ? Rail : never;
}[RailName];

/** An operation on a rail that it has. */
export function paidEndpoint<Op extends Operation>(operation: Op, rail: RailOf<Op>): PaidEndpoint {
  const found = findPaidEndpoint(operation, rail);
  if (!found) throw new Error(`${operation.id} has no path for ${rail}`);
  return found;
}

/** An operation on a rail; null where it does not have that rail. */
export function findPaidEndpoint(operation: Operation, rail: RailName): PaidEndpoint | null {
  const path = operation.paths[rail];
  return path === undefined ? null : { kind: 'paid', method: operation.method, path, operation, rail };
}

export function freeEndpoint(operation: FreeOperation): FreeEndpoint {
  return { kind: 'free', method: operation.method, path: operation.path, operation };
}

const rails: readonly RailName[] = ['x402', 'mpp', 'account'];

const ofOperations: readonly (PaidEndpoint | FreeEndpoint)[] = [
  ...operations.flatMap((operation) => rails.flatMap((rail) => findPaidEndpoint(operation, rail) ?? [])),
  ...freeOperations.map(freeEndpoint),
];

const others: readonly OtherEndpoint[] = Object.entries(otherPaths).map(([name, entry]) => ({
  kind: 'other',
  ...entry,
  // The keys of the table.
  name: name as OtherName,
}));

const all: readonly Endpoint[] = [...ofOperations, ...others];

/** A path of the API with everything that can be called there. */
export interface ApiPath {
  readonly template: string;
  readonly endpoints: readonly Endpoint[];
  readonly pattern: RegExp;
}

const apiPaths = new Map<string, ApiPath>(
  all.map(({ path }) => [
    path,
    {
      template: path,
      endpoints: all.filter((one) => one.path === path),
      pattern: new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`),
    },
  ]),
);

const withParameters = [...apiPaths.values()].filter(({ template }) => template.includes('{'));

/**
 * The path of the API that a request is for; null where there is none. This is the only place that matches paths: the
 * listener and the route files ask it.
 * @param path as it was sent, without the query
 */
export function findPath(path: string): ApiPath | null {
  return apiPaths.get(path) ?? withParameters.find(({ pattern }) => pattern.test(path)) ?? null;
}

/** The parameters in a path that matches, decoded. */
export function paramsIn({ pattern }: ApiPath, path: string): Record<string, string> {
  const groups = Object.entries(pattern.exec(path)?.groups ?? {});
  return Object.fromEntries(groups.map(([name, value]) => [name, decodeURIComponent(value)]));
}

/** What a request with this method is for. HEAD is for what can be read without paying. */
export function endpointFor({ endpoints }: ApiPath, method: string): Endpoint | null {
  const routedMethod = method === 'HEAD' ? 'GET' : method;
  const found = endpoints.find((one) => one.method === routedMethod) ?? null;
  return method === 'HEAD' && found?.kind === 'paid' ? null : found;
}

/** The endpoints of operations whose path is nearest to a path, if any resembles it. */
export function nearestEndpoints(path: string): readonly (PaidEndpoint | FreeEndpoint)[] {
  const text = path
    .toLowerCase()
    .replace(/(?<!\/)\/+$/, '')
    .replaceAll(/\/[a-z]{2,4}_[^/]+/g, '/{id}');
  return nearest(text, ofOperations, (one) => one.path, 0.25);
}
