import { z } from 'zod';
import { currency, fileFields, networkName, renewalCount, usdcAtomic } from './answer-fields';
import { freeOperation } from './free-operation';
import { noParams } from './operation';
import { nextCursor, pageQuery } from './page';
import * as uploads from './uploads';

export const accountLimits = {
  /** How many accounts a client address may open in the window below. */
  accountsPerAddress: 100,
  accountsPerAddressMinutes: 60,
  pageMax: 100,
} as const;

const timestamp = z.iso.datetime();
const usdc = z.string().describe('USDC, decimal.');
const atomic = usdcAtomic.regex(/^\d+$/, { error: 'must be a whole number in digits' });

export const accountId = z
  .string()
  .regex(/^acct_[0-9A-Za-z]{24}$/, { error: 'must be an account ID such as acct_6Gk2vTq9BxWn3sYc7LzRd4Hp' })
  .meta({ description: 'The account ID.', examples: ['acct_6Gk2vTq9BxWn3sYc7LzRd4Hp'] });

const token = z
  .string()
  .describe(
    'Send it as Authorization: Bearer <token>. Shown only once; anyone who has it can spend the balance.',
  );

const exampleAccount = 'acct_6Gk2vTq9BxWn3sYc7LzRd4Hp';
const exampleToken = 'tpt_4mZr8QxKc2VbN7sYd1LfTw9GhJ0pRu5Ae3oXkCiMqBv';

export const create = freeOperation({
  id: 'account.create',
  category: 'account',
  method: 'POST',
  path: '/v1/accounts',
  title: 'Open an account',
  summary:
    'Open an anonymous prepaid account, for agents whose wallet cannot sign each call. Add money with POST /v1/billing/deposits or on the page at depositUrl.',
  toolDescription:
    'Open an anonymous prepaid account that pays for tools. Give the person depositUrl, where they add money, and token, which they set as the bearer token of this MCP server. The token is shown only once; anyone who has it can spend the balance.',
  params: noParams,
  output: z.strictObject({
    accountId,
    token,
    depositUrl: z.url().describe('The page where a person adds money to the account.'),
  }),
  errors: ['invalid_input'],
  example: {
    params: {},
    output: {
      accountId: exampleAccount,
      token: exampleToken,
      depositUrl: `https://api.example.com/deposit/${exampleAccount}`,
    },
  },
});

export const get = freeOperation({
  id: 'account.get',
  category: 'account',
  method: 'GET',
  path: '/v1/account',
  access: 'account',
  title: 'Get the account balance',
  summary: 'Get the account of the bearer token: its balance and where to top it up.',
  params: noParams,
  output: z.strictObject({
    accountId,
    currency,
    balance: usdc.describe('What can be spent, in USDC, decimal.'),
    balanceUsdcAtomic: atomic,
    depositUrl: z.url().describe('The page where a person adds money to the account.'),
    createdAt: timestamp.describe('When the account was opened, in UTC.'),
  }),
  errors: [],
  example: {
    params: {},
    output: {
      accountId: exampleAccount,
      currency: 'USDC',
      balance: '4.995',
      balanceUsdcAtomic: '4995000',
      depositUrl: `https://api.example.com/deposit/${exampleAccount}`,
      createdAt: '2026-12-01T00:00:00.000Z',
    },
  },
});

const page = (cursor: RegExp, example: string) =>
  z.strictObject(pageQuery(cursor, example, { usual: 50, max: accountLimits.pageMax }));

const transaction = z.strictObject({
  id: z.string().meta({ description: 'The transaction ID.', examples: ['tx_2'] }),
  kind: z.enum(['deposit', 'charge', 'refund']).describe('What changed the balance.'),
  amount: usdc.describe(
    'USDC, decimal, always positive: deposits and refunds add to the balance, charges reduce it.',
  ),
  amountUsdcAtomic: atomic,
  currency,
  operation: z.string().describe('The operation that was paid for; billing.deposit for deposits.'),
  paidCallId: z.string().describe('GET /v1/paid-calls/{id} returns its status.'),
  network: networkName.nullable().describe('Network of a deposit; null for all other transactions.'),
  txHash: z.string().nullable().describe('The settlement transaction of a deposit.'),
  at: timestamp.describe('When it was booked, in UTC.'),
});

export const transactionsQuery = page(/^tx_\d{1,18}$/, 'tx_100');

export const transactions = freeOperation({
  id: 'account.transactions',
  category: 'account',
  method: 'GET',
  path: '/v1/account/transactions',
  access: 'account',
  title: 'List account transactions',
  summary: 'List the deposits, charges and refunds of the account, newest first.',
  params: noParams,
  query: transactionsQuery,
  output: z.strictObject({
    transactions: z.array(transaction).readonly().describe('The transactions on this page, newest first.'),
    nextCursor,
  }),
  errors: ['invalid_input'],
  example: {
    params: {},
    output: {
      transactions: [
        {
          id: 'tx_2',
          kind: 'charge',
          amount: '0.005',
          amountUsdcAtomic: '5000',
          currency: 'USDC',
          operation: uploads.create.id,
          paidCallId: 'pc_4fQm9WzR2sKx7LdTn0VbYcHj',
          network: null,
          txHash: null,
          at: '2026-12-01T00:05:00.000Z',
        },
      ],
      nextCursor: null,
    },
  },
});

const accountUpload = z.strictObject({
  id: z.string().describe('The upload ID, for renewal and deletion.'),
  publicUrl: z.url().describe('The public link; it works once the bytes are uploaded.'),
  ...fileFields,
  createdAt: timestamp.describe('When the slot was reserved, in UTC.'),
  expiresAt: timestamp.describe('When the public link expires and the file is deleted.'),
  renewalCount,
  takenDownAt: timestamp.nullable().describe('When the operator took the file down; null normally.'),
});

export const uploadsQuery = page(/^up_[0-9A-Za-z]{1,61}$/, 'up_3nKq0Zt7mVb2XsYd81PfLcRw');

export const listUploads = freeOperation({
  id: 'account.uploads',
  category: 'account',
  method: 'GET',
  path: '/v1/account/uploads',
  access: 'account',
  title: 'List account uploads',
  summary: 'List the uploads of the account that are neither deleted nor expired, newest first.',
  params: noParams,
  query: uploadsQuery,
  output: z.strictObject({
    uploads: z.array(accountUpload).readonly().describe('The uploads on this page, newest first.'),
    nextCursor,
  }),
  errors: ['invalid_input'],
  example: {
    params: {},
    output: {
      uploads: [
        {
          id: 'up_3nKq0Zt7mVb2XsYd81PfLcRw',
          publicUrl: 'https://files.example.net/5hT0vJx2QnB8sWm4KzRd7Lpa/hello.txt',
          mime: 'text/plain',
          size: 5,
          sha256: '2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824',
          tags: [],
          createdAt: '2026-12-01T00:00:00.000Z',
          expiresAt: '2026-12-08T00:00:00.000Z',
          renewalCount: 0,
          takenDownAt: null,
        },
      ],
      nextCursor: null,
    },
  },
});

export const deleteUpload = freeOperation({
  id: 'account.deleteUpload',
  category: 'account',
  method: 'DELETE',
  path: '/v1/account/uploads/{id}',
  access: 'account',
  title: 'Delete an account upload',
  summary: 'Delete an upload of the account and its public link at once. A retry returns the same.',
  params: uploads.remove.params,
  output: uploads.remove.output,
  errors: ['invalid_input', 'not_owner', 'upload_not_found', 'upload_busy'],
  example: uploads.remove.example,
});

export const rotateToken = freeOperation({
  id: 'account.rotateToken',
  category: 'account',
  method: 'POST',
  path: '/v1/account/token',
  access: 'account',
  title: 'Replace the account token',
  summary:
    'Get a new token for the account. The old token stops working when the new one is first used, so a lost response does not lock you out.',
  toolDescription:
    'Get a new token for the account. Give it to the person, who sets it as the bearer token of this MCP server: the old token stops working when the new one is first used.',
  params: noParams,
  output: z.strictObject({ accountId, token }),
  errors: ['invalid_input'],
  example: { params: {}, output: { accountId: exampleAccount, token: exampleToken } },
});

export const revokeToken = freeOperation({
  id: 'account.revokeToken',
  category: 'account',
  method: 'DELETE',
  path: '/v1/account/token',
  access: 'account',
  title: 'Revoke the account tokens',
  summary:
    'Revoke every token of the account at once and permanently. The remaining balance can no longer be spent. To replace a token, send a POST to this path instead.',
  toolDescription:
    'Revoke every token of the account at once and permanently. The remaining balance can no longer be spent. Only if the person asks for it; account_rotate_token replaces a token.',
  params: noParams,
  output: z.strictObject({
    accountId,
    revokedAt: timestamp.describe('When the tokens stopped working, in UTC.'),
    balance: usdc.describe('USDC left in the account.'),
  }),
  errors: ['invalid_input'],
  example: {
    params: {},
    output: { accountId: exampleAccount, revokedAt: '2026-12-02T00:00:00.000Z', balance: '0' },
  },
});

export const free = [create, get, transactions, listUploads, deleteUpload, rotateToken, revokeToken];
