import type { FinalityRecord, SettlementJournal } from '@/lib/payments/journal';
import type { Charge } from '@/lib/payments/outcome';
import { productionTimings } from '@/lib/platform/timings';
import { chargeOf } from '@/packages/paywall/memory/memory-charges';
import { MemoryDatabase } from '@/packages/paywall/memory/memory-database';
import { memoryFinality } from '@/packages/paywall/memory/memory-finality';
import { memoryJournal } from '@/packages/paywall/memory/memory-journal';
import type * as rows from '@/packages/paywall/memory/memory-rows';
import type { Table } from '@/packages/paywall/memory/memory-table';
import { VirtualTime } from '../virtual-clock';
import { MemoryProcess } from './memory-process';

/** The rows of each table that the journal writes. */
export interface JournalRows {
  readonly paidCall: rows.PaidCallRow;
  readonly paidCallMove: rows.PaidCallMoveRow;
  readonly posting: rows.PostingRow;
  readonly settlementTransaction: rows.SettlementTransactionRow;
  readonly settlementSigner: rows.SettlementSignerRow;
  readonly gasInVain: rows.GasInVainRow;
}

export type TableName = keyof JournalRows;

/** One process with its journal. */
export interface Writer {
  readonly id: string;
  readonly journal: SettlementJournal;
  readonly finality: FinalityRecord;
}

/** A database, in memory or in PostgreSQL, with two processes that write to it. It has no rows at first. */
export interface JournalWorld {
  readonly one: Writer;
  readonly other: Writer;
  /** The time of both processes, which stands still: 2026-01-01, noon. */
  readonly now: Date;
  insert<Name extends TableName>(table: Name, row: JournalRows[Name]): Promise<void>;
  /** Changes columns of the row with this id, as a statement of its own. */
  update<Name extends 'paidCall' | 'settlementTransaction'>(
    table: Name,
    id: string,
    changes: Partial<JournalRows[Name]>,
  ): Promise<void>;
  all<Name extends TableName>(table: Name): Promise<readonly JournalRows[Name][]>;
  /** The heartbeat of a process stops for longer than a living one is silent. */
  silence(writer: Writer): Promise<void>;
  chargeOf(paidCallId: string): Promise<Charge>;
}

/** The time of the processes in a world. */
export const worldTime = new Date(Date.UTC(2026, 0, 1, 12));

const tableOf = <Name extends TableName>(
  tables: { readonly [Each in TableName]: Table<JournalRows[Each]> },
  name: Name,
) => tables[name];

/** A world in memory, and its time. @param latencyMs how long the next message takes; none takes time by default */
export async function memoryWorld(
  latencyMs?: () => number,
): Promise<JournalWorld & { readonly time: VirtualTime }> {
  const time = new VirtualTime({ startMs: worldTime.getTime() });
  const database = new MemoryDatabase(time.createClock());
  const open = async (id: string) => {
    const options = {
      id,
      settles: ['base'],
      timings: productionTimings,
      ...(latencyMs ? { latencyMs } : {}),
    };
    const process = new MemoryProcess(database, time.createClock(), options);
    await time.finish(process.beat(), 10_000);
    return { id, journal: memoryJournal(process), finality: memoryFinality(process) };
  };
  const [one, other] = [await open('one'), await open('other')];
  const { tables } = database;
  return {
    time,
    one,
    other,
    now: worldTime,
    insert: async (name, row) => {
      database.execute(() => tableOf(tables, name).insert(row));
    },
    update: async (name, id, changes) => {
      database.execute(() => {
        const table = tableOf(tables, name);
        const row = table.get(id);
        if (!row) throw new Error(`no row ${id}`);
        table.update(row, changes);
      });
    },
    all: async (name) => tableOf(tables, name).all(),
    silence: async ({ id }) => {
      database.execute(({ instance }) => {
        const row = instance.get(id);
        if (row) instance.update(row, { aliveUntil: new Date(0) });
      });
    },
    chargeOf: async (id) => {
      const row = tables.paidCall.get(id);
      if (!row) throw new Error(`no paid call ${id}`);
      return chargeOf(row);
    },
  };
}
