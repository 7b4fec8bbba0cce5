import { freeOperations, operations } from '@/lib/catalog';
import type { Contents } from './openapi/document';
import type { SiteConfig } from './site-config';

export const everything: Contents = { operations, freeOperations };

/** Categories of prepaid accounts, which an agent without one does not need. */
const ofAccounts: readonly string[] = ['account', 'billing'];
/** Rails that need no account. */
const byTheCall: readonly string[] = ['x402', 'mpp'];

/** Monitors ask for the health of a service, and a 402 names the page about refunds. */
const notForAgents: readonly string[] = ['health', 'wallet.requestRefund'];

/** Pay-per-call operations and free tools: what an agent with a wallet and without an account needs. */
const withoutAccount: Contents = {
  operations: operations
    .filter(({ category }) => !ofAccounts.includes(category))
    .map((operation) => ({
      ...operation,
      // Removing rails leaves a value of the same type.
      paths: Object.fromEntries(
        Object.entries(operation.paths).filter(([rail]) => byTheCall.includes(rail)),
      ) as typeof operation.paths,
    })),
  freeOperations: freeOperations.filter(
    ({ category, id }) => !ofAccounts.includes(category) && !notForAgents.includes(id),
  ),
};

/** The operations that are available to agents here. */
export function forAgents({ isAvailable }: Pick<SiteConfig, 'isAvailable'>): Contents {
  return { ...withoutAccount, operations: withoutAccount.operations.filter(isAvailable) };
}

/** The part with the one operation that most callers need, which its category has too. */
export const uploadPart = 'upload';

type Choice = (operation: { readonly id: string; readonly category: string }) => boolean;
const ofCategory =
  (name: string): Choice =>
  ({ category }) =>
    category === name;

/**
 * The parts of the interface that have their own documents, such as `/files/openapi.json`. `upload` is the operation in
 * `files` that most callers need.
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
  [uploadPart]: ({ id }) => id === 'uploads.create',
  wallet: ofCategory('wallet'),
};

/** The contents of each part, by name. */
export const parts: Readonly<Record<string, Contents>> = Object.fromEntries(
  Object.entries(choices).map(([name, isIn]) => [
    name,
    { operations: operations.filter(isIn), freeOperations: freeOperations.filter(isIn) },
  ]),
);

/** The part that contains an operation: the part of its category. */
export function partOf(operation: { readonly id: string; readonly category: string }): string {
  const [name = 'discovery'] =
    Object.entries(choices).find(([part, isIn]) => part !== uploadPart && isIn(operation)) ?? [];
  return name;
}

/** The page about what all calls have in common: payment, retries, lists, errors. */
export const commonPath = '/docs/reference/common';

/** The page of a group of operations in the reference. */
function referenceGroup(operation: { readonly id: string; readonly category: string }): string {
  return `/docs/reference/${partOf(operation)}`;
}

/** The page of an operation in the reference. */
export function referencePath(operation: { readonly id: string; readonly category: string }): string {
  return `${referenceGroup(operation)}/${operation.id}`;
}
