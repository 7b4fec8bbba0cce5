import { expect } from '@playwright/test';
import type { App } from '@/lib/app';
import { refundRequest } from '@/lib/operator/refunds/examine-refund';
import { test } from '../fixtures';
import { openOperator, type SoldCall, statusOf } from './refunds';
import { ask, type SignedRequest } from './requests';
import { type Rig, startRig } from './rig';
import { until } from './waiting';

/** A rig with its own base and Solana chains, whose blocks the tests make. Payments are final after five blocks. */
export function startRefundRig(settings: Record<string, string> = {}): Promise<Rig> {
  return startRig({
    networks: ['base', 'solana-mainnet'],
    hasOwnBase: true,
    hasOwnSolana: true,
    settings: { FINALITY_BLOCKS: 'base=5', ...settings },
  });
}

/** Shared by the tests of a file. */
interface Shared {
  readonly rig: Rig;
  /** The app of an operator's process. */
  readonly app: App;
}

/** Gives all tests of a file the same server and two chains, and runs them in order. @param take is called before the first */
export function shareRefundRig(take: (shared: Shared) => void | Promise<void>): void {
  let shared: Shared;
  test.describe.configure({ mode: 'default' });
  test.beforeAll(async () => {
    const rig = await startRefundRig();
    shared = { rig, app: openOperator(rig) };
    await take(shared);
  });
  test.afterAll(async () => {
    await shared.app.close();
    await shared.rig.close();
  });
  test.beforeEach(() => shared.rig.ready());
}

/** A refund request for a call, as the console parses it. */
export function asked(call: Pick<SoldCall, 'id'>, more: { reason?: string; note?: string } = {}) {
  return refundRequest.parse({ paidCallId: call.id, ...more });
}

/** The reason for refunding a delivered call. */
export const onRequest = { reason: 'requested_by_caller' } as const;

/** The code of the error that the work fails with, or `done`. */
export async function problemOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => 'done',
    (error: { code?: string; message: string }) => error.code ?? error.message,
  );
}

/** Expects that the call is refunded, its caller sees that, a retry is not charged, and the books agree with the chains. */
export async function expectRefunded(
  rig: Rig,
  call: Pick<SoldCall, 'id'> & { readonly request: SignedRequest },
  transaction: string | null,
  accountId: string | null,
) {
  await until('a refunded call', async () => (await statusOf(rig, call)).state === 'refunded');
  const status = await statusOf(rig, call);
  expect(status).toMatchObject({
    payment: 'refunded',
    retry: 'stop',
    refund: {
      state: 'confirmed',
      amount: status.price,
      currency: 'USDC',
      network: accountId === null ? status.network : 'account',
      transaction,
      accountId,
    },
  });
  const retried = await ask(call.request);
  expect(retried.status).toBe(410);
  expect(retried.body.error).toMatchObject({
    code: 'call_refunded',
    payment: 'refunded',
    retry: 'stop',
    paidCallId: call.id,
  });
  const confirmed = await rig.query("SELECT FROM refund WHERE paid_call_id = $1 AND state = 'confirmed'", [
    call.id,
  ]);
  expect(confirmed).toHaveLength(1);
  expect(await rig.audit()).toEqual([]);
}

/** Refunds a call with the operator's program. */
export function refundByProgram(rig: Rig, call: Pick<SoldCall, 'id'>, ...args: string[]) {
  return rig.tuppence('refund', call.id, ...args);
}
