import { expect } from '@playwright/test';
import { decodePaymentRequiredHeader } from '@x402/core/http';
import { type ErrorCode, errors } from '@/lib/errors/codes';
import type { ErrorBody } from '@/lib/errors/error-body';
import { balanceOf } from './balances';
import type { Wallet } from './buyer';
import { callsOf } from './database';
import { networkNames, stack, type TestNetwork } from './stack';

/** What every new payer of the tests starts with. */
export const startAtomic = 10_000_000n;

/** Expects a refusal with this code, with a complete error body. */
export async function expectError(
  answer: Response,
  code: ErrorCode,
  apiUrl = stack().apiUrl,
): Promise<ErrorBody['error']> {
  const text = await answer.text();
  expect(answer.headers.get('content-type'), text).toBe('application/json');
  const { error, ...beside } = JSON.parse(text) as ErrorBody;
  expect(beside).toEqual({});
  const { reason, issues, example, paidCallId, account, ...rest } = error;
  expect(rest).toEqual({
    code,
    message: expect.any(String),
    payment: errors[code].payment,
    retry: errors[code].retry,
    requestId: answer.headers.get('request-id'),
    docs: `${apiUrl}/docs/errors#${code}`,
  });
  expect(answer.status).toBe(errors[code].status);
  expect([undefined, 'string']).toContain(reason === undefined ? undefined : typeof reason);
  expect(account !== undefined).toBe(code === 'insufficient_balance');
  expect(['undefined', 'object']).toContain(typeof example);
  expect(paidCallId ?? null).toBe(answer.headers.get('paid-call-id'));
  expect((issues ?? []).length).toBeLessThanOrEqual(3);
  for (const issue of issues ?? [])
    expect(issue).toEqual({ path: expect.any(String), rule: expect.any(String) });
  expect(answer.headers.get('cache-control')).toContain('no-store');
  return error;
}

/** Expects a 402 that offers every network, the same in header and body, for this reason. */
export async function expectChallenge(answer: Response, reason: string | RegExp): Promise<void> {
  const text = await answer.text();
  expect(answer.status, text).toBe(402);
  const body = JSON.parse(text);
  expect(decodePaymentRequiredHeader(answer.headers.get('payment-required') ?? '')).toEqual(body);
  expect(body.x402Version).toBe(2);
  expect(body.error).toMatch(reason instanceof RegExp ? reason : new RegExp(`^${reason}$`));
  expect(body.accepts).toHaveLength(networkNames.length);
  for (const name of ['payment-response', 'x-payment-response', 'paid-call-id'])
    expect(answer.headers.get(name)).toBeNull();
}

/** Expects that a wallet was not charged and that nothing was written about it. */
export async function expectUntouched(
  wallet: Wallet,
  on: TestNetwork['name'],
  atomic = startAtomic,
): Promise<void> {
  expect(await balanceOf(wallet, on)).toBe(atomic);
  expect(await callsOf(wallet.address)).toBe(0);
}
