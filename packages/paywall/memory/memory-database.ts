import type { SettlementState } from '@/lib/ledger/states';
import { isSolanaName } from '@/lib/payments/network-offers';
import type { Clock } from '@/lib/platform/clock';
import { voucherKey } from './channel-memory';
import type {
  ChannelEventRow,
  ChannelRow,
  ChannelWatchRow,
  PublishedVoucherRow,
} from './channel-memory-rows';
import { freeVoucher, postChannelEvent, refuseIllegalChannel } from './channel-memory-triggers';
import { recordRefundMove, refuseIllegalRefund } from './memory-refund-triggers';
import type * as rows from './memory-rows';
import { checkViolation, DatabaseError, foreignKeyViolation, Table } from './memory-table';
import {
  followReplacement,
  recordFee,
  recordMove,
  refuseIllegalMove,
  refuseIllegalSettlement,
} from './memory-triggers';

type OnSettlementMove = (from: SettlementState | null, to: SettlementState) => void;

/**
 * The tables, with the keys and triggers that they have in PostgreSQL.
 * @param onWrite receives a function for each write that undoes it
 * @param atEnd runs something at the end of the statement
 * @param onSettlementMove is told of each move of a settlement transaction, of which no table has a record
 */
function createTables(
  onWrite: (undo: () => void) => void,
  atEnd: (run: () => void) => void,
  onSettlementMove: OnSettlementMove,
) {
  const keyOf = (...values: readonly unknown[]) => values.join('\n');
  const byId = ({ id }: { readonly id: string | number }) => String(id);
  const tables = {
    paidCall: new Table<rows.PaidCallRow>('paid_call', onWrite, {
      keys: [
        byId,
        ({ network, asset, payer, authorization }) => keyOf(network, asset, payer, authorization),
        ({ payer, idempotencyKeyHash: hash }) => (hash ? keyOf(payer, hash.toString('hex')) : null),
        ({ network, asset, authorization }) =>
          isSolanaName(network) ? keyOf(network, asset, authorization) : null,
      ],
      adjust: freeVoucher,
      before: (before, after) => refuseIllegalMove(tables, before, after),
      after: (before, after) => recordMove(tables, before, after),
    }),
    paidCallMove: new Table<rows.PaidCallMoveRow>('paid_call_move', onWrite, { keys: [byId] }),
    posting: new Table<rows.PostingRow>('posting', onWrite, {
      keys: [
        byId,
        ({ paidCallId, kind, round }) => (paidCallId === null ? null : keyOf(paidCallId, kind, round)),
        ({ settlementId, kind, round }) => (settlementId === null ? null : keyOf(settlementId, kind, round)),
      ],
    }),
    settlementTransaction: new Table<rows.SettlementTransactionRow>('settlement_transaction', onWrite, {
      keys: [byId, ({ network, hash }) => keyOf(network, hash)],
      before: refuseIllegalSettlement,
      after: (before, after) => {
        recordFee(tables, before, after);
        if (before?.state !== after.state) onSettlementMove(before?.state ?? null, after.state);
        atEnd(() => followReplacement(tables, before, after));
      },
    }),
    settlementSigner: new Table<rows.SettlementSignerRow>('settlement_signer', onWrite, {
      keys: [({ network, signer }) => keyOf(network, signer)],
    }),
    gasInVain: new Table<rows.GasInVainRow>('gas_in_vain', onWrite, {
      keys: [({ settlementId, paidCallId }) => keyOf(settlementId, paidCallId)],
      before: (_, { paidCallId }) => {
        if (!tables.paidCall.get(paidCallId))
          throw new DatabaseError(foreignKeyViolation, `gas_in_vain needs the paid call ${paidCallId}`);
      },
    }),
    instance: new Table<rows.InstanceRow>('instance', onWrite, { keys: [byId] }),
    channel: new Table<ChannelRow>('channel', onWrite, { keys: [byId], before: refuseIllegalChannel }),
    channelEvent: new Table<ChannelEventRow>('channel_event', onWrite, {
      keys: [byId, ({ network, transactionHash, logIndex }) => keyOf(network, transactionHash, logIndex)],
      after: (_, event) => postChannelEvent(tables, event),
    }),
    publishedVoucher: new Table<PublishedVoucherRow>('published_voucher', onWrite, {
      keys: [({ channelId, totalAtomic }) => voucherKey(channelId, totalAtomic)],
    }),
    channelWatch: new Table<ChannelWatchRow>('channel_watch', onWrite, { keys: [({ network }) => network] }),
    refund: new Table<rows.RefundRow>('refund', onWrite, {
      keys: [
        byId,
        ({ paidCallId, round }) => keyOf(paidCallId, round),
        ({ paidCallId, state }) => (state === 'failed' || state === 'cancelled' ? null : paidCallId),
        ({ network, transactionHash: hash, transferIndex: index, state }) =>
          (state === 'sent' || state === 'confirmed') && hash !== null && index !== null
            ? keyOf(network, hash, index)
            : null,
      ],
      before: (before, after) => refuseIllegalRefund(tables, before, after),
      after: (before, after) => recordRefundMove(tables, before, after),
    }),
    refundMove: new Table<rows.RefundMoveRow>('refund_move', onWrite, { keys: [byId] }),
    account: new Table<rows.AccountRow>('account', onWrite, { keys: [byId] }),
    accountBalance: new Table<rows.AccountBalanceRow>('account_balance', onWrite, {
      keys: [({ accountId }) => accountId],
      before: (_, { accountId, balanceAtomic }) => {
        if (balanceAtomic < 0n)
          throw new DatabaseError(checkViolation, `the balance of account ${accountId} would be negative`);
      },
    }),
    transferWithoutCall: new Table<rows.TransferWithoutCallRow>('transfer_without_call', onWrite, {
      keys: [byId, ({ network, asset, payer, authorization }) => keyOf(network, asset, payer, authorization)],
    }),
  };
  return tables;
}

export type Tables = ReturnType<typeof createTables>;

/** What the rows are that get an id. */
type IdPrefix = 'pc' | 'rf' | 'st' | 'tw';

/**
 * A database in memory that several processes may share. A statement is done at one moment, all of it or nothing, so
 * it is a database without the interleavings within a statement that PostgreSQL has.
 */
export class MemoryDatabase {
  /** The clock of the database, which decides whether an instance is alive. */
  readonly clock: Clock;
  readonly tables: Tables;
  /** Undoes the writes of the statement that is being executed. */
  #undo: (() => void)[] = [];
  /** What triggers do at its end. */
  #atEnd: (() => void)[] = [];
  /** Undoes the statements that are not on disk yet. */
  #unflushed: (() => void)[][] = [];
  #crashes = 0;
  #ids = 0;
  readonly #newId: ((prefix: IdPrefix) => string) | null;

  constructor(
    clock: Clock,
    onSettlementMove: OnSettlementMove = () => undefined,
    newId?: (prefix: IdPrefix) => string,
  ) {
    this.clock = clock;
    this.#newId = newId ?? null;
    this.tables = createTables(
      (undo) => this.#undo.push(undo),
      (run) => this.#atEnd.push(run),
      onSettlementMove,
    );
  }

  /** How often the database has crashed. A connection ends with a crash. */
  get crashes(): number {
    return this.#crashes;
  }

  /** An id for a new row: by default a number, so that ids are in order, as those of production are by time. */
  newId(prefix: IdPrefix): string {
    if (this.#newId) return this.#newId(prefix);
    this.#ids += 1;
    return `${prefix}_${String(this.#ids).padStart(8, '0')}`;
  }

  /**
   * Executes a statement. When it throws, it has done nothing.
   * @param isFlushedLater whether a crash may lose it until another statement has written something
   */
  execute<T>(statement: (tables: Tables) => T, isFlushedLater = false): T {
    this.#undo = [];
    this.#atEnd = [];
    try {
      const result = statement(this.tables);
      for (const run of this.#atEnd) run();
      if (this.#undo.length > 0) {
        if (isFlushedLater) this.#unflushed.push(this.#undo);
        else this.#unflushed = [];
      }
      return result;
    } catch (error) {
      revert(this.#undo);
      throw error;
    } finally {
      this.#undo = [];
    }
  }

  /**
   * Crashes and starts again. Every connection is cut.
   * @param lost how many of the statements that are not on disk yet are lost, newest first; all of them by default
   */
  crash(lost = this.#unflushed.length): void {
    this.#crashes += 1;
    for (let index = 0; index < lost; index += 1) revert(this.#unflushed.pop() ?? []);
    this.#unflushed = [];
  }
}

/** Later writes are undone first. */
function revert(undo: readonly (() => void)[]): void {
  for (const step of [...undo].reverse()) step();
}
