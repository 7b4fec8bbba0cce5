import { expect } from '@playwright/test';
import type { PrivateKeyAccount } from 'viem/accounts';
import { mine } from './own-chain';
import { sign, type X402Request } from './requests';
import type { Rig } from './rig';
import { submitAsStranger } from './strangers';

/** A payment that is missing from the ledger, for tests of how the operator's program books it. */
export interface LostPayment {
  readonly wallet: PrivateKeyAccount;
  readonly request: X402Request;
  readonly transactionHash: string;
}

/** Makes a payment whose authorization is submitted without its request, and waits until it is final. */
export async function payWithoutCall(rig: Rig): Promise<LostPayment> {
  const wallet = await rig.newEvmPayer();
  const request = await sign(rig, wallet);
  const transactionHash = await submitAsStranger(rig, request);
  await mine(rig, 6);
  return { wallet, request, transactionHash };
}

export const onBase = ({ transactionHash }: Pick<LostPayment, 'transactionHash'>) => ({
  network: 'base',
  transactionHash,
});

export const byProgram = (
  rig: Rig,
  { transactionHash }: Pick<LostPayment, 'transactionHash'>,
  ...args: string[]
) => rig.tuppence('book', transactionHash, '--network', 'base', ...args);

/** Books a payment with the operator's program. @returns the id of the call that stands for it */
export async function booked(rig: Rig, payment: LostPayment): Promise<string> {
  const { exitCode, output } = await byProgram(
    rig,
    payment,
    '--note',
    'found by the audit',
    '--yes',
    '--json',
  );
  expect(exitCode).toBe(0);
  return JSON.parse(output).paidCallId;
}

export function postingsOf(rig: Rig, id: string): Promise<{ posting: string }[]> {
  return rig.query(
    `SELECT concat_ws(' ', kind, debit_account, credit_account, amount_atomic) AS posting FROM posting
     WHERE paid_call_id = $1 ORDER BY id`,
    [id],
  );
}

export function actionsAbout(rig: Rig, id: string): Promise<{ action: string; note: string | null }[]> {
  return rig.query('SELECT action, note FROM operator_action WHERE target_id = $1 ORDER BY id', [id]);
}

/** The worklist as the program prints it, without entries that other tests left. */
export async function worklistAbout(rig: Rig, mark: string): Promise<string[]> {
  const { output } = await rig.tuppence('worklist', '--json');
  return output.split('\n').filter((line) => line.includes(mark));
}
