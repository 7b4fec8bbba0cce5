import type { CallStore, Claim } from '@/lib/calls/call-store';
import type { RefundStore } from '@/lib/operator/refunds/refund-store';
import type { AccountBook } from '@/lib/payments/account/account-settler';
import type { ChannelBook, CollectionBook, RefundBook } from '@/lib/payments/channels/channel';
import type { Payment } from '@/lib/payments/payment';
import { productionTimings } from '@/lib/platform/timings';
import { memoryChannels } from '@/packages/paywall/memory/channel-memory';
import type { ChannelRow } from '@/packages/paywall/memory/channel-memory-rows';
import { memoryCalls } from '@/packages/paywall/memory/memory-calls';
import { MemoryDatabase } from '@/packages/paywall/memory/memory-database';
import { moveOfCall } from '@/packages/paywall/memory/memory-transitions';
import { VirtualTime } from '../virtual-clock';
import { memoryAccounts } from './memory-accounts';
import { memoryChannelRefunds } from './memory-channel-refunds';
import { memoryCollection } from './memory-collection';
import { MemoryProcess } from './memory-process';
import { memoryRefunds } from './memory-refunds';

/** One process with its store of paid calls. */
export interface CallProcess {
  readonly id: 'one' | 'other';
  readonly calls: CallStore;
  readonly accounts: AccountBook;
  readonly refunds: RefundStore;
  readonly channels: ChannelBook;
  readonly collection: CollectionBook;
  readonly channelRefunds: RefundBook;
}

/** What a store has of a call besides what `find` returns. */
export interface StoredTrace {
  readonly attemptAt: Date;
  readonly answerExpiresAt: Date | null;
  readonly creditedAccount: string | null;
  /** `from>to note`, in order. */
  readonly moves: readonly string[];
  /** `kind debit>credit amount`, in order. */
  readonly postings: readonly string[];
}

/** What a store has of a call's refunds, in the order of their rounds, besides what `refundsOf` returns. */
export interface RefundTrace {
  readonly transferIndex: number | null;
  readonly checkAt: Date;
  /** `from>to hash note`, in order. */
  readonly moves: readonly string[];
}

/** A store in memory or in PostgreSQL, with two living processes that use it. */
export interface CallWorld {
  readonly one: CallProcess;
  readonly other: CallProcess;
  /** The heartbeat of a process has stopped for longer than a living one is silent; or it is back. */
  setAlive(process: CallProcess, isAlive: boolean): Promise<void>;
  openAccount(id: string, balanceAtomic: bigint): Promise<void>;
  revokeAccount(id: string): Promise<void>;
  /** The process that a call is held by. */
  nameOf(processId: string | null): string | null;
  trace(paidCallId: string): Promise<StoredTrace>;
  traceRefunds(paidCallId: string): Promise<readonly RefundTrace[]>;
  /** The payment of a call can no longer be taken away by a reorganization. */
  finalize(paidCallId: string): Promise<void>;
  /** Changes columns of a channel. */
  changeChannel(id: string, changes: Partial<ChannelRow>): Promise<void>;
  /** A reorganization removes the deposit of a call that a channel has paid for. */
  fallBack(paidCallId: string): Promise<void>;
  /** The rows of a channel, its events and vouchers, and what the events of its network have posted. */
  traceChannel(id: string, network: string): Promise<readonly object[]>;
  /** How many transfers without a call are on the worklist for a payer. */
  transfersOf(payer: string): Promise<number>;
}

/** The time at which everything happens. */
export const worldTime = new Date(Date.UTC(2026, 0, 1, 12));
const minuteMs = 60_000;
export const later = (minutes: number) => new Date(worldTime.getTime() + minutes * minuteMs);

/** A payment of a payer of its own. */
export function newPayment(name: string, changes: Partial<Payment> = {}): Payment {
  return {
    network: 'base',
    asset: 'USDC',
    payer: `payer of ${name}`,
    authorization: `authorization of ${name}`,
    amountAtomic: 5_000n,
    payTo: 'us',
    validBefore: later(5),
    signed: { family: 'solana', transaction: 'signed', signer: 'key' },
    ...changes,
  };
}

export function newClaim(name: string, payment: Payment, changes: Partial<Claim> = {}): Claim {
  return {
    id: `pc_${name}`,
    operation: 'uploads.create',
    rail: 'x402',
    payment,
    sinceHeight: 7n,
    requestHash: Buffer.from('request'),
    requestDigest: Buffer.from('digest'),
    idempotencyKey: `key of ${name}`,
    claimToken: `token of ${name}`,
    input: { name },
    isPrepared: false,
    isFlushedLater: false,
    ...changes,
  };
}

/** A world in memory. */
export async function memoryCallWorld(): Promise<CallWorld> {
  const time = new VirtualTime({ startMs: worldTime.getTime() });
  const database = new MemoryDatabase(time.createClock());
  const { tables } = database;
  const open = async (id: 'one' | 'other'): Promise<CallProcess> => {
    const options = { id, settles: ['base'], timings: productionTimings };
    const process = new MemoryProcess(database, time.createClock(), options);
    await process.beat();
    return {
      id,
      calls: memoryCalls(process),
      accounts: memoryAccounts(process),
      refunds: memoryRefunds(process),
      channels: memoryChannels(process),
      collection: memoryCollection(process),
      channelRefunds: memoryChannelRefunds(process),
    };
  };
  return {
    one: await open('one'),
    other: await open('other'),
    setAlive: async ({ id }, isAlive) => {
      database.execute(({ instance }) => {
        const row = instance.get(id);
        if (row) instance.update(row, { aliveUntil: isAlive ? later(60) : new Date(0) });
      });
    },
    openAccount: async (id, balanceAtomic) => {
      database.execute(({ account, accountBalance }) => {
        account.insert({ id, revokedAt: null });
        accountBalance.insert({ accountId: id, balanceAtomic });
      });
    },
    revokeAccount: async (id) => {
      database.execute(({ account }) => {
        const row = account.get(id);
        if (row) account.update(row, { revokedAt: worldTime });
      });
    },
    nameOf: (id) => id,
    trace: async (paidCallId) => {
      const row = tables.paidCall.get(paidCallId);
      if (!row) throw new Error(`no paid call ${paidCallId}`);
      const { attemptAt, answerExpiresAt, creditedAccount } = row;
      return {
        attemptAt,
        answerExpiresAt,
        creditedAccount,
        moves: tables.paidCallMove
          .where((move) => move.paidCallId === paidCallId)
          .map(({ fromState, toState, note }) => `${fromState}>${toState} ${note}`),
        postings: tables.posting
          .where((posting) => posting.paidCallId === paidCallId)
          .map(
            ({ kind, debitAccount, creditAccount, amountAtomic }) =>
              `${kind} ${debitAccount}>${creditAccount} ${amountAtomic}`,
          ),
      };
    },
    traceRefunds: async (paidCallId) =>
      tables.refund
        .where((row) => row.paidCallId === paidCallId)
        .map(({ id, transferIndex, checkAt }) => ({
          transferIndex,
          checkAt,
          moves: tables.refundMove
            .where(({ refundId }) => refundId === id)
            .map(
              ({ fromState, toState, transactionHash, note }) =>
                `${fromState}>${toState} ${transactionHash} ${note}`,
            ),
        })),
    finalize: async (paidCallId) => {
      database.execute(({ paidCall, settlementTransaction }) => {
        const row = settlementTransaction.get(paidCall.get(paidCallId)?.settlementId ?? '');
        if (row) settlementTransaction.update(row, { finalAt: worldTime });
      });
    },
    changeChannel: async (id, changes) => {
      database.execute(({ channel }) => {
        const row = channel.get(id);
        if (row) channel.update(row, changes);
      });
    },
    fallBack: async (paidCallId) => {
      database.execute(({ paidCall }) => {
        const row = paidCall.get(paidCallId);
        const given = { at: worldTime, moveNote: null, attemptAt: worldTime };
        if (row) paidCall.update(row, moveOfCall('undone', row, given) ?? {});
      });
    },
    traceChannel: async (id, network) => [
      ...tables.channel.where((row) => row.id === id),
      ...tables.channelEvent
        .where((row) => row.network === network)
        .map(({ id: _, ...event }) => ({ ...event, channelId: event.channelId })),
      ...tables.publishedVoucher.where(({ channelId }) => channelId === id),
      ...tables.posting
        .where(({ debitAccount }) => debitAccount.startsWith(`chain:${network}:`))
        .map(({ kind, debitAccount, creditAccount, amountAtomic }) => ({
          ...{ kind, debitAccount, creditAccount, amountAtomic },
        })),
    ],
    transfersOf: async (payer) => tables.transferWithoutCall.where((row) => row.payer === payer).length,
  };
}
