import { expect } from '@playwright/test';
import type { SettleResponse } from '@x402/core/types';
import type { Behaviour } from '../../support/facilitator';
import { network } from '../../support/stack';

/** A wrong response of a facilitator to a settlement request. */
interface Lie {
  readonly what: string;
  readonly behavior: (on: 'base' | 'solana-mainnet') => Behaviour;
}

const inventedHash = {
  base: `0x${'ab'.repeat(32)}`,
  'solana-mainnet':
    '5VERYwrongSignature1111111111111111111111111111111111111111111111111111111111111111111111',
} as const;

const failed = (errorReason: string, transaction = ''): { status: number; body: object } => ({
  status: 200,
  body: { success: false, errorReason, transaction, network: 'eip155:8453' },
});

/** Expects that a settlement succeeds. @returns the facilitator's answer */
export async function expectSettled(settled: Promise<SettleResponse>): Promise<SettleResponse> {
  const answer = await settled;
  expect(answer).toMatchObject({ success: true });
  return answer;
}

/** Facilitators that settle, but say something else or nothing. */
export const settlesAnd: readonly Lie[] = [
  {
    what: 'loses its answer',
    behavior: () => async (settle) => {
      await expectSettled(settle());
      return 'close';
    },
  },
  {
    what: 'never answers',
    behavior: () => async (settle) => {
      await expectSettled(settle());
      return 'hang';
    },
  },
  {
    what: 'answers 500',
    behavior: () => async (settle) => {
      await expectSettled(settle());
      return { status: 500, body: { error: 'internal' } };
    },
  },
  {
    what: 'says that the transaction failed',
    behavior: () => async (settle) => {
      await expectSettled(settle());
      return failed('invalid_exact_evm_transaction_failed');
    },
  },
  {
    what: 'says that the payment is invalid',
    behavior: () => async (settle) => {
      await expectSettled(settle());
      return failed('invalid_payload');
    },
  },
  {
    what: 'says with status 400 that the wallet is empty',
    behavior: () => async (settle) => {
      await expectSettled(settle());
      return { ...failed('invalid_exact_evm_insufficient_balance'), status: 400 };
    },
  },
  {
    what: 'says that it is pending',
    behavior: () => async (settle) => {
      const { transaction } = await expectSettled(settle());
      return failed('settlement_pending', transaction);
    },
  },
  {
    what: 'names another transaction',
    behavior: (on) => async (settle) => ({
      status: 200,
      body: { ...(await expectSettled(settle())), transaction: inventedHash[on] },
    }),
  },
];

/** Facilitators that send nothing, but say something else or nothing. */
export const sendsNothingAnd: readonly Lie[] = [
  { what: 'cuts the connection', behavior: () => async () => 'close' },
  { what: 'answers 500', behavior: () => async () => ({ status: 500, body: { error: 'internal' } }) },
  { what: 'says that the payment is invalid', behavior: () => async () => failed('invalid_payload') },
  {
    what: 'says that it is pending',
    behavior: (on) => async () => failed('settlement_pending', inventedHash[on]),
  },
  {
    what: 'says that it has settled',
    behavior: (on) => async () => ({
      status: 200,
      body: { success: true, transaction: inventedHash[on], network: network(on).caip2 },
    }),
  },
];
