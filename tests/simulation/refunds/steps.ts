import type { Refund } from '@/lib/ledger/refund-records';
import { paidStates } from '@/lib/ledger/states';
import { checkRefund } from '@/lib/operator/refunds/follow';
import { RefundError } from '@/lib/operator/refunds/refund-error';
import type { RefundsApp } from '@/lib/operator/refunds/refundable';
import {
  cancelRefund,
  refundByTransfer,
  refundIntoAccount,
  requestRefund,
} from '@/lib/operator/refunds/request-refund';
import { recordSent, takeSigned, walletTransfer } from '@/lib/operator/refunds/wallet-refund';
import { onAccount } from '@/lib/payments/payment';
import { isPaymentFinal } from '@/packages/paywall/memory/memory-refund-triggers';
import type { PaidCallRow } from '@/packages/paywall/memory/memory-rows';
import type { Dice } from '../dice';
import type { World } from '../world';
import type { Treasury } from './treasury';

/** How long a wallet may take to send what was signed. */
const lateMs = 90_000;
/** After so long nothing can be in a block that was signed before. */
const unsentAfterMs = 180_000;
/** Too little for a transfer that was signed. */
const littleGas = 45_000;

/** The prepaid account that some refunds enter. */
export const refundAccount = 'account of the operators';

const methods = ['wallet', 'transfer', 'account'] as const;

/** One call that an operator refunds. */
export interface Task {
  /** Who refunds it. */
  readonly name: string;
  readonly call: PaidCallRow;
  method: (typeof methods)[number];
  readonly dice: Dice;
  /** The transfer that was made before it is recorded. */
  transfer: string | null;
  /** Whether the payer cannot receive a transfer, as one whose account is frozen. Its refund goes into a prepaid account then. */
  isUnreachable: boolean;
  /** How often its operator changes its mind, and wants to refund it in another way. */
  changes: number;
  /** When its transfer was first found to be another refund. */
  takenAt?: number;
}

/** Where a step is made: the refunds of one of the processes. */
interface Stage {
  readonly app: RefundsApp;
  readonly world: World;
  readonly treasury: Treasury;
}

/** What was paid from an account goes back to it. */
export function methodsFor({ network }: PaidCallRow): readonly (typeof methods)[number][] {
  return network === onAccount ? ['account'] : [...methods, 'wallet'];
}

/** Makes a step. @returns what the operator is told, which may be why it was refused */
export async function tryStep({ coverage }: World, step: () => Promise<string>): Promise<string> {
  try {
    return await step();
  } catch (error) {
    if (!(error instanceof RefundError)) return `is told: ${String(error).split('\n')[0]}`;
    coverage.count('refund', `refused: ${error.code}`);
    return `is told: ${error.code}`;
  }
}

/** The next thing that an operator does about a refund. */
export async function nextStep(stage: Stage, task: Task, newest: Refund | null): Promise<string> {
  const { app, world } = stage;
  const { dice } = task;
  if (newest === null) return begin(stage, task);
  if (newest.state === 'cancelled') {
    // Whoever has sent money already does not send it again in another way.
    if (task.transfer === null)
      task.method = task.isUnreachable ? 'account' : dice.pick(methodsFor(task.call));
    return begin(stage, task);
  }
  if (newest.state === 'failed' || task.isUnreachable) return cancel(stage, task, newest);
  if (task.changes > 0 && dice.chance(0.6)) return changeMind(stage, task, newest);
  if (world.isFaulty && dice.chance(0.15)) return cancel(stage, task, newest);
  if (dice.chance(0.1)) return `checks: ${(await checkRefund(app, newest)).state}`;
  if (newest.method === 'transfer') return recordTransfer(stage, task);
  const { transactionHash } = newest;
  const wallet = stage.treasury.walletOn(newest.network);
  const isUnderWay = transactionHash !== null && wallet.mayHave(transactionHash);
  return isUnderWay && dice.chance(0.9) ? 'waits' : sign(stage, task, newest);
}

const byOperator = ({ name }: Task) => ({ name, address: null });

async function begin(stage: Stage, task: Task): Promise<string> {
  const request = requestFor(stage, task);
  switch (task.method) {
    case 'transfer':
      return recordTransfer(stage, task);
    case 'account': {
      const { network, payer } = task.call;
      const accountId = network === onAccount ? payer : refundAccount;
      const { state } = await refundIntoAccount(stage.app, byOperator(task), { ...request, accountId });
      return `posts it: ${state}`;
    }
    case 'wallet':
      return `requests it: ${(await requestRefund(stage.app, byOperator(task), request)).state}`;
  }
}

function requestFor({ world }: Stage, { call: { id } }: Task) {
  const isDelivered = world.database.tables.paidCall.get(id)?.state === 'delivered';
  return { paidCallId: id, reason: isDelivered ? 'duplicate' : 'not_delivered', note: null } as const;
}

/** Makes a transfer from a wallet of its own choice, once, and records it as the refund. */
async function recordTransfer(stage: Stage, task: Task): Promise<string> {
  const { tables } = stage.world.database;
  const call = tables.paidCall.get(task.call.id);
  // It looks the payment up before it sends money.
  if (!call || !paidStates.includes(call.state) || !isPaymentFinal(tables, call))
    return 'waits for the payment';
  const wallet = stage.treasury.walletOn(call.network);
  if (task.transfer !== null && wallet.hasFailed(task.transfer)) {
    Object.assign(task, { isUnreachable: true, method: 'account', transfer: null });
    return 'sees that its transfer has failed';
  }
  if (task.transfer === null || !wallet.mayHave(task.transfer)) {
    task.transfer = wallet.transfer(call.payer, call.amountAtomic);
    return `transfers by ${task.transfer}`;
  }
  const request = { ...requestFor(stage, task), transactionHash: task.transfer };
  try {
    const { state } = await refundByTransfer(stage.app, byOperator(task), request);
    return `records its transfer: ${state}`;
  } catch (error) {
    if (error instanceof RefundError && error.code === 'transfer_used') findAnother(stage, task, call);
    throw error;
  }
}

/**
 * The transfer of a call was taken for another refund of the same payer, whose wallet may still send what it has signed: that
 * transfer is left for this call then. Once nothing that was signed can be sent, the operator makes another one.
 */
function findAnother({ world, treasury }: Stage, task: Task, { network, payer, amountAtomic }: PaidCallRow) {
  const { refund } = world.database.tables;
  const named = new Set(refund.all().map(({ transactionHash }) => transactionHash));
  const left = treasury
    .walletOn(network)
    .outgoing()
    .find(({ hash, to, value }) => value === amountAtomic && isSame(to, payer) && !named.has(hash));
  const now = world.clock.now();
  task.takenAt ??= now;
  if (left) task.transfer = left.hash;
  else if (now - task.takenAt > unsentAfterMs) task.transfer = null;
}

/** Addresses of EVM networks are written in two ways. */
export function isSame(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

/** The wallet signs, and sends what it has signed, unless the operator declines; it may not say so. */
async function sign(stage: Stage, task: Task, { id }: Refund): Promise<string> {
  const { app, world, treasury } = stage;
  const { dice } = task;
  const toSign = await walletTransfer(app, byOperator(task), id);
  if (dice.chance(0.1)) return 'declines to sign';
  const signed = treasury.sign(toSign);
  if (signed.family === 'solana') {
    const handIn = async () => {
      const taken = await takeSigned(app, byOperator(task), id, signed).catch((error: unknown) => {
        task.isUnreachable ||= error instanceof RefundError && error.code === 'would_fail';
        throw error;
      });
      return taken.family === 'solana' ? `hands in ${taken.transactionHash}` : 'hands in another thing';
    };
    if (dice.chance(0.7)) return handIn();
    // The page of the wallet stays open, and its process may have ended when it hands in what was signed.
    world.clock.after(dice.between(1, lateMs), () => void tryStep(world, handIn));
    return 'signs it, and hands it in later';
  }
  const taken = await takeSigned(app, byOperator(task), id, signed);
  if (taken.family === 'solana') return 'hands in another thing';
  const gas = dice.chance(0.15) ? littleGas : undefined;
  if (dice.chance(0.5)) {
    world.clock.after(dice.between(1, lateMs), () => treasury.sendAccepted(taken, gas));
    return 'leaves it to the wallet to send it';
  }
  const hash = treasury.sendAccepted(taken, gas);
  if (dice.chance(0.3)) return `sends ${hash}, and does not say so`;
  return `sends ${hash}: ${(await recordSent(app, byOperator(task), id, hash)).state}`;
}

/** Ends a refund that a wallet may still send, as it seems, to refund the call in another way. */
async function changeMind(stage: Stage, task: Task, newest: Refund): Promise<string> {
  const done = await cancel(stage, task, newest);
  task.changes -= 1;
  return done;
}

async function cancel({ app }: Stage, task: Task, { id, state }: Refund): Promise<string> {
  const cancelled = await cancelRefund(app, byOperator(task), id, null);
  return `cancels what was ${state}: ${cancelled.state}`;
}
