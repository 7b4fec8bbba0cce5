import { getAddress, isAddress } from 'viem';
import { z } from 'zod';
import { PaidCallState } from '@/lib/platform/database/generated/enums';

/** A day (its first moment in UTC), or a moment with its zone. */
export const moment = z
  .union(
    [z.iso.date(), z.iso.datetime({ offset: true })],
    'must be a date such as 2026-11-22, or a time with its zone',
  )
  .transform((text) => new Date(text));

const idPattern = /^pc_[0-9A-Za-z]{24,28}$/;
const transactionPattern = /^(0x[0-9a-fA-F]{64}|[1-9A-HJ-NP-Za-km-z]{64,88})$/;

const transaction = z
  .string()
  .regex(transactionPattern, 'must be the hash of a transaction')
  .transform((hash) => (hash.startsWith('0x') ? hash.toLowerCase() : hash));

/** EVM addresses are stored with their checksum, but people also copy them without it. */
export const payerAddress = z
  .string()
  .regex(
    /^(0x[0-9a-fA-F]{40}|[1-9A-HJ-NP-Za-km-z]{32,44}|acct_[0-9A-Za-z]{24})$/,
    'must be a wallet or an account',
  )
  .transform((address) => (isAddress(address, { strict: false }) ? getAddress(address) : address));

const name = z.string().regex(/^[a-z][a-z0-9.-]{0,63}$/, 'must be a name in lower case');

const filterShape = {
  id: z.string().regex(idPattern, 'must be the id of a paid call').optional(),
  /** The wallet, or the account, that paid. */
  payer: payerAddress.optional(),
  transaction: transaction.optional(),
  operation: name.optional(),
  state: z.enum(PaidCallState, `must be one of ${Object.values(PaidCallState).join(', ')}`).optional(),
  network: name.optional(),
  rail: name.optional(),
  /** Calls since this moment. */
  from: moment.optional(),
  /** Calls before this moment. */
  to: moment.optional(),
};

/** Filters of paid calls as they come from a query string or from options. All of them must hold. */
export const callFilters = z.strictObject(filterShape);
export type CallFilters = z.output<typeof callFilters>;

/** Filters with a page of the result. */
export const callQuery = z.strictObject({
  ...filterShape,
  /** `nextCursor` of the previous page. */
  cursor: z
    .string()
    .regex(/^\d{1,15}\.pc_[0-9A-Za-z]{24,28}$/)
    .optional(),
  limit: z.coerce.number().int().min(1).max(200).default(50),
});
export type CallQuery = z.output<typeof callQuery>;

/**
 * What a search for one word means: a paid call, a transaction or a payer.
 * @returns null when it is none of them
 */
export function readSearch(word: string): Pick<CallFilters, 'id' | 'payer' | 'transaction'> | null {
  const text = word.trim();
  if (idPattern.test(text)) return { id: text };
  const hash = transaction.safeParse(text);
  if (hash.success) return { transaction: hash.data };
  const address = payerAddress.safeParse(text);
  return address.success ? { payer: address.data } : null;
}
