import { z } from 'zod';

const timestamp = z.iso.datetime();
const atomic = z.string().regex(/^\d+$/);

const account = z.strictObject({
  accountId: z.string().min(1),
  token: z.string().min(1),
  depositUrl: z.url(),
  openedAt: timestamp,
});

/** A payment that a wallet has signed. */
const signedPayment = z.strictObject({
  header: z.string().min(1),
  validBefore: timestamp,
});

/** A call whose response has not reached its caller yet. */
const openCall = z.strictObject({
  operation: z.string(),
  accountId: z.string().describe('The account that pays, or the address of the wallet.'),
  idempotencyKey: z.string().min(1),
  price: atomic.describe('Atomic USDC.'),
  sentAt: timestamp,
  payment: signedPayment.optional(),
});

/**
 * The adapter's state for one service. The last account is the one in use. Earlier ones are kept, because they may hold
 * money.
 */
export const stateSchema = z.strictObject({
  version: z.literal(1),
  accounts: z.array(account),
  openCalls: z.record(z.string(), openCall).describe('By the digest of the request.'),
  spent: z.strictObject({ day: z.iso.date(), amount: atomic }).nullable(),
});

export type State = z.infer<typeof stateSchema>;
export type Account = z.infer<typeof account>;
export type OpenCall = z.infer<typeof openCall>;
export type SignedPayment = z.infer<typeof signedPayment>;

export const emptyState: State = { version: 1, accounts: [], openCalls: {}, spent: null };

export const currentAccount = (state: State): Account | undefined => state.accounts.at(-1);
