import { freeOperations, operations } from '@/lib/catalog';
import type { Contents } from './openapi/document';
import type { Place } from './place';

/** Everything there is. */
export const everything: Contents = { operations, freeOperations };

/** What belongs to prepaid accounts: no part of what an agent without one needs. */
const ofAccounts: readonly string[] = ['account', 'billing'];
/** Rails that need no account. */
const byTheCall: readonly string[] = ['x402', 'mpp'];

/** Pay-per-call operations and free tools: what an agent needs that has a wallet and no account. */
const withoutAccount: Contents = {
  operations: operations
    .filter(({ category }) => !ofAccounts.includes(category))
    .map((operation) => ({
      ...operation,
      // The rails that are left are those of the type.
      paths: Object.fromEntries(
        Object.entries(operation.paths).filter(([rail]) => byTheCall.includes(rail)),
      ) as typeof operation.paths,
    })),
  freeOperations: freeOperations.filter(({ category }) => !ofAccounts.includes(category)),
};

/** What an agent can buy or use here. */
export function forAgents({ isOnSale }: Pick<Place, 'isOnSale'>): Contents {
  return { ...withoutAccount, operations: withoutAccount.operations.filter(isOnSale) };
}

type Choice = (operation: { readonly id: string; readonly category: string }) => boolean;
const ofCategory =
  (name: string): Choice =>
  ({ category }) =>
    category === name;

/**
 * The parts of the interface that have documents of their own, `/files/openapi.json` and so on. One for each area of the service,
 * and forms, which would otherwise be in none. `upload` is the part of `files` that most callers come for.
 */
const choices: Readonly<Record<string, Choice>> = {
  account: ofCategory('account'),
  airports: ofCategory('airports'),
  billing: ofCategory('billing'),
  discovery: ofCategory('service'),
  files: ofCategory('files'),
  flights: ofCategory('flights'),
  forms: ofCategory('forms'),
  proxy: ofCategory('proxy'),
  render: ofCategory('render'),
  upload: ({ id }) => id === 'uploads.create',
};

/** The documents of parts, by name. */
export const parts: Readonly<Record<string, Contents>> = Object.fromEntries(
  Object.entries(choices).map(([name, isIn]) => [
    name,
    { operations: operations.filter(isIn), freeOperations: freeOperations.filter(isIn) },
  ]),
);

/** The part that an operation is found in: that of its category. */
export function partOf(operation: { readonly id: string; readonly category: string }): string {
  const [name = 'discovery'] =
    Object.entries(choices).find(([part, isIn]) => part !== 'upload' && isIn(operation)) ?? [];
  return name;
}
