import { Prisma } from '@/lib/platform/database/generated/client';
import { refundEvents } from './refund-states';
import type { Changes, Event, Events } from './state-machine';
import { callEvents, settlementEvents } from './states';

/**
 * State machines of rows. Each is one table of events, which says in which states an event can happen, where it leads and what
 * it sets. The SQL of every statement that moves a row is composed from that table, so no statement can move a row in another
 * way. The database refuses illegal moves a second time, by triggers.
 */

type GivenIn<Sets extends Changes> = {
  [Column in keyof Sets]: Sets[Column] extends 'given' ? Column : never;
}[keyof Sets];

/** A value of a statement: a parameter, or SQL such as a column of another row. */
type Value = Prisma.Sql | string | number | Date | Uint8Array | bigint | null;

/** What a statement gives for an event: the time of the move, and every column that the table leaves to it. */
type Given<Sets extends Changes> = { readonly at: Prisma.Sql | Date } & {
  readonly [Column in GivenIn<Sets>]: Value;
};

/** One of several events for each row: SQL that says which, true for one of them at most, and the events it stands for. */
type Choice<All extends Events<string>, Always extends Changes> = readonly [
  when: string,
  events: { readonly [Name in keyof All]?: Given<All[Name]['sets'] & Always> },
];

/** A composed move. */
interface Move {
  /** The list behind `SET`. A statement may add columns that say nothing about the state. */
  readonly set: Prisma.Sql;
  /** The condition that the row can move. */
  readonly isLegal: Prisma.Sql;
}

/** Composes the SQL of moves from one table of events. */
class Transitions<const All extends Events<string>, const Always extends Changes> {
  readonly #table: string;
  readonly #type: string;
  readonly #events: All;
  readonly #always: Always;

  /**
   * @param table the table of the rows, or the alias that statements give it
   * @param type the type of its column `state`
   * @param always what every event sets
   */
  constructor(table: string, type: string, events: All, always: Always) {
    this.#table = table;
    this.#type = type;
    this.#events = events;
    this.#always = always;
  }

  /** The same moves in statements that give the table another name. */
  as(alias: string): Transitions<All, Always> {
    return new Transitions(alias, this.#type, this.#events, this.#always);
  }

  /** One event. */
  move<Name extends keyof All & string>(name: Name, given: Given<All[Name]['sets'] & Always>): Move {
    // The only entry.
    return this.moveEach([['true', { [name]: given } as Choice<All, Always>[1]]]);
  }

  /** Whichever of several events the state of the row allows. */
  moveByState(events: Choice<All, Always>[1]): Move {
    return this.moveEach([['true', events]]);
  }

  /** For each row the event that its choice names. */
  moveEach(choices: readonly Choice<All, Always>[]): Move {
    const columns = new Set(
      choices.flatMap(([, events]) => Object.keys(events).flatMap((name) => this.#columnsOf(name))),
    );
    const assigned = [...columns].map(
      (column) => Prisma.sql`${Prisma.raw(column)} = ${this.#valueOf(column, choices)}`,
    );
    const legal = choices.map(([when, events]) => {
      const isLegal = this.isLegal(...Object.keys(events));
      return when === 'true' ? isLegal : Prisma.sql`(${Prisma.raw(when)} AND ${isLegal})`;
    });
    return {
      set: Prisma.join(assigned, ', '),
      isLegal: legal.length === 1 ? either(legal) : Prisma.sql`(${either(legal)})`,
    };
  }

  /**
   * The list behind `SET` for whichever event the state of the row allows; if it allows none, the row stays as it is. For an
   * insertion that has to return the row which it conflicts with.
   */
  setIfLegal(events: Choice<All, Always>[1]): Prisma.Sql {
    const entries = Object.entries(events);
    const columns = new Set(entries.flatMap(([name]) => this.#columnsOf(name)));
    const assigned = [...columns].map((column) => {
      const cases = entries.map(
        ([name, given]) =>
          Prisma.sql`WHEN ${this.isLegal(name)} THEN ${this.#setBy(name, column, given ?? {})}`,
      );
      const current = Prisma.raw(`${this.#table}.${column}`);
      return Prisma.sql`${Prisma.raw(column)} = CASE ${Prisma.join(cases, ' ')} ELSE ${current} END`;
    });
    return Prisma.join(assigned, ', ');
  }

  /** The condition that at least one of the events can happen to the row. */
  isLegal(...names: (keyof All & string)[]): Prisma.Sql {
    const alone = names.filter((name) => this.#event(name).only);
    const states = names.filter((name) => !alone.includes(name)).flatMap((name) => this.#event(name).from);
    const conditions = alone.map((name) => this.#isLegalAlone(name));
    if (states.length > 0) conditions.unshift(this.#isIn(states));
    return conditions.length === 1 ? either(conditions) : Prisma.sql`(${either(conditions)})`;
  }

  #isLegalAlone(name: string): Prisma.Sql {
    const { from, only = {} } = this.#event(name);
    const columns = Object.entries(only).map(([column, is]) =>
      Prisma.raw(`${this.#table}.${column} IS ${is === 'empty' ? 'NULL' : 'NOT NULL'}`),
    );
    return Prisma.join([this.#isIn(from), ...columns], ' AND ', '(', ')');
  }

  #isIn(states: readonly string[]): Prisma.Sql {
    const [first, ...others] = [...new Set(states)].map((state) => `'${state}'`);
    return Prisma.raw(
      others.length === 0
        ? `${this.#table}.state = ${first}`
        : `${this.#table}.state IN (${[first, ...others].join(', ')})`,
    );
  }

  #event(name: string): Event<string> {
    const event = this.#events[name];
    if (!event) throw new Error(`there is no event ${name} of ${this.#table}`);
    return event;
  }

  #columnsOf(name: string): string[] {
    return ['state', ...Object.keys(this.#always), ...Object.keys(this.#event(name).sets)];
  }

  /** The value of a column, which may depend on the choice, and within a choice on the state of the row. */
  #valueOf(column: string, choices: readonly Choice<All, Always>[]): Prisma.Sql {
    return whichever(
      choices.map(([when, events]) => ({
        when: Prisma.raw(when),
        value: whichever(
          Object.entries(events).map(([name, given]) => ({
            when: this.isLegal(name),
            value: this.#setBy(name, column, given ?? {}),
          })),
        ),
      })),
    );
  }

  /** What an event sets a column to. A column that it leaves alone keeps its value. */
  #setBy(
    name: string,
    column: string,
    given: { readonly at?: Value; readonly [column: string]: Value | undefined },
  ): Prisma.Sql {
    if (column === 'state') return Prisma.raw(`'${this.#event(name).to}'::${this.#type}`);
    const sets: Changes = { ...this.#always, ...this.#event(name).sets };
    const current = `${this.#table}.${column}`;
    const change = sets[column];
    switch (change) {
      case undefined:
        return Prisma.raw(current);
      case null:
        return Prisma.raw('NULL');
      case 0:
        return Prisma.raw('0');
      case 'next':
        return Prisma.raw(`${current} + 1`);
      case 'at':
        return Prisma.sql`${given.at}::timestamptz`;
      default:
        return given[column] === null ? Prisma.raw('NULL') : Prisma.sql`${given[column]}`;
    }
  }
}

/** When a row moved, and why: a code, or null where the state says it all. */
const dated = { moved_at: 'at', move_note: 'given' } as const;

/** The moves of a paid call. The triggers of paid_call record each, and post its money. */
export const callMoves = new Transitions('paid_call', 'paid_call_state', callEvents, dated);

/**
 * The moves of calls that our own books charge, or refuse for a reason: for a statement with the rows `decided (is_paid, at)`.
 */
export function chargedOrRefused(reason: string): Move {
  const at = Prisma.raw('decided.at');
  const note = Prisma.raw(`'${reason}'`);
  return callMoves.moveEach([
    ['is_paid', { settled: { at, move_note: null } }],
    ['NOT is_paid', { refusedForGood: { at, move_note: note, refusal_reason: note } }],
  ]);
}

export const settlementMoves = new Transitions('settlement_transaction', 'text', settlementEvents, {});

export const refundMoves = new Transitions('refund', 'refund_state', refundEvents, dated);

function either(conditions: readonly Prisma.Sql[]): Prisma.Sql {
  return Prisma.join([...conditions], ' OR ');
}

/** A `CASE` over values, or their value when they are all the same. */
function whichever(
  options: readonly { readonly when: Prisma.Sql; readonly value: Prisma.Sql }[],
): Prisma.Sql {
  const last = options.at(-1);
  if (!last) throw new Error('a move needs an event');
  if (options.every(({ value }) => isSame(value, last.value))) return last.value;
  const cases = options.slice(0, -1).map(({ when, value }) => Prisma.sql`WHEN ${when} THEN ${value}`);
  return Prisma.sql`CASE ${Prisma.join(cases, ' ')} ELSE ${last.value} END`;
}

function isSame(one: Prisma.Sql, other: Prisma.Sql): boolean {
  return one.sql === other.sql && one.values.every((value, index) => value === other.values[index]);
}
