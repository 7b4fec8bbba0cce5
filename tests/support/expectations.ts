import { expect } from '@playwright/test';
import { decodePaymentRequiredHeader } from '@x402/core/http';
import { type ErrorCode, errors } from '@/lib/catalog/errors/codes';
import type { ErrorBody } from '@/lib/catalog/errors/error-body';
import { balanceOf } from './balances';
import { expectCalls, type Seller, theService } from './seller';
import { stack, type TestNetwork } from './stack';

/** The balance of every new payer. */
export const startAtomic = 10_000_000n;

/** Expects an error with this code and a complete error body. */
export async function expectError(
  answer: Response,
  code: ErrorCode,
  apiUrl = stack().apiUrl,
): Promise<ErrorBody['error']> {
  const text = await answer.text();
  expect(answer.headers.get('content-type'), text).toBe('application/json');
  const { error, ...beside } = JSON.parse(text) as ErrorBody;
  const { reason, issues = [], example, paidCallId, account, ...rest } = error;
  // One comparison for everything: the runner records a stack for each, which takes longer than the comparison.
  expect({
    status: answer.status,
    isStored: !answer.headers.get('cache-control')?.includes('no-store'),
    beside,
    rest,
    reason: reason === undefined ? 'string' : typeof reason,
    example: example === undefined ? 'object' : typeof example,
    hasAccount: account !== undefined,
    paidCallId: paidCallId ?? null,
    issues,
  }).toEqual({
    status: errors[code].status,
    isStored: false,
    beside: {},
    rest: {
      code,
      message: expect.any(String),
      payment: errors[code].payment,
      retry: errors[code].retry,
      requestId: answer.headers.get('request-id'),
      docs: `${apiUrl}/docs/errors#${code}`,
    },
    reason: 'string',
    example: 'object',
    hasAccount: code === 'insufficient_balance',
    paidCallId: answer.headers.get('paid-call-id'),
    issues: issues.slice(0, 3).map(() => ({ path: expect.any(String), rule: expect.any(String) })),
  });
  return error;
}

/** The `exact` entries of a challenge, one for each network. Payment channels may be offered as well. */
export function exactOnly<Entry extends { readonly scheme: string }>(accepts: readonly Entry[]): Entry[] {
  return accepts.filter(({ scheme }) => scheme === 'exact');
}

/** What the body of a 402 says about a refused payment, beside what is in its header too. */
interface RefusalFacts {
  readonly message: string;
  readonly docs: string;
  readonly price: string;
  readonly payer?: string;
  readonly network?: string;
}

/**
 * Expects a 402 with this reason that offers every network, the same in header and body, and in the body the facts about the
 * refusal.
 * @param what says of one of several requests which it was
 * @param at who refuses: by default the service
 */
export async function expectChallenge(
  answer: Response,
  reason: string | RegExp,
  what?: string,
  at: Pick<Seller, 'apiUrl' | 'networks'> = theService,
): Promise<RefusalFacts> {
  const text = await answer.text();
  expect(answer.status, what ?? text).toBe(402);
  const { message, docs, price, payer, network, ...body } = JSON.parse(text);
  expect(
    {
      inHeader: decodePaymentRequiredHeader(answer.headers.get('payment-required') ?? ''),
      version: body.x402Version,
      reason: body.error,
      networks: exactOnly(body.accepts).length,
      money: [body.payment, typeof body.retry],
      facts: { message, docs, price },
      hasShortHeader: (answer.headers.get('payment-required') ?? '').length < 8 * 1024,
      onlyWithPayment: ['payment-response', 'x-payment-response', 'paid-call-id'].filter((name) =>
        answer.headers.has(name),
      ),
    },
    what,
  ).toEqual({
    inHeader: body,
    version: 2,
    reason: expect.stringMatching(reason instanceof RegExp ? reason : new RegExp(`^${reason}$`)),
    networks: at.networks.length,
    money: ['none', 'string'],
    facts:
      body.error === 'Payment required'
        ? {}
        : {
            message: expect.stringMatching(/^[A-Z].*\. Nothing was charged\.$/),
            docs: `${at.apiUrl}/docs/errors#${body.error}`,
            price: expect.stringMatching(/^\d+(\.\d+)?$/),
          },
    hasShortHeader: true,
    onlyWithPayment: [],
  });
  return { message, docs, price, payer, network };
}

/** Expects that a wallet was not charged and has no rows. */
export async function expectUntouched(
  wallet: { readonly address: string },
  on: TestNetwork['name'],
  atomic = startAtomic,
  at: Seller = theService,
): Promise<void> {
  expect(await balanceOf(wallet, on)).toBe(atomic);
  await expectCalls(at, wallet.address, 0);
}
