import { z } from 'zod';
import { type TransferRequest, transferRequest } from '../transfers/find';
import { UsageError } from './command';

/** A payment to book: of a transaction, or by its ID on the worklist. */
export type Wanted = TransferRequest | { readonly id: string };

/** A finding of the audit about a payment that the ledger does not have. Its other fields are not needed. */
const found = z.object({ payment: transferRequest.loose() }).transform(
  ({ payment: { network, transactionHash, authorization } }): Wanted => ({
    network,
    transactionHash,
    authorization,
  }),
);

/** A transfer on the worklist that belongs to no call. */
const listed = z
  .object({ kind: z.literal('transfer_without_call'), id: z.string().startsWith('tw_') })
  .transform(({ id }): Wanted => ({ id }));

const line = z.union([found, listed]);

/**
 * The payments in a list with a JSON object on each line, as `audit --json` and `worklist --json` print it.
 * @returns also how many lines are about something else
 * @throws UsageError when a line is no JSON object
 */
export function paymentsIn(text: string): { readonly wanted: readonly Wanted[]; readonly others: number } {
  const wanted: Wanted[] = [];
  let others = 0;
  for (const [index, content] of text.split('\n').entries()) {
    // Before the list, `npm run` prints what it runs.
    if (content.trim() === '' || content.startsWith('> ')) continue;
    const value = objectIn(content);
    if (value === null)
      throw new UsageError(`--file: line ${index + 1} is not a JSON object, as audit --json prints them.`);
    const read = line.safeParse(value);
    if (read.success) wanted.push(read.data);
    else others += 1;
  }
  return { wanted, others };
}

function objectIn(text: string): object | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' ? value : null;
  } catch {
    return null;
  }
}
