/** An error of the database, with PostgreSQL's code. */
export class DatabaseError extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

export const checkViolation = '23514';
const uniqueViolation = '23505';
export const foreignKeyViolation = '23503';

export function nullViolation(column: string, table: string): DatabaseError {
  const message = `null value in column "${column}" of relation "${table}" violates not-null constraint`;
  return new DatabaseError('23502', message);
}

/** What happens to a row in a table: `before` is null when it is inserted. */
export type Trigger<Row> = (before: Row | null, after: Row) => void;

/** A key that no two rows of a table have; null for a row that it does not concern. */
type UniqueKey<Row> = (row: Row) => string | null;

export interface TableOptions<Row> {
  /** The first is the primary key, which is not null. */
  readonly keys: readonly [(row: Row) => string, ...UniqueKey<Row>[]];
  /** Changes a row that is updated before it is written. */
  readonly adjust?: (before: Row, after: Row) => Row;
  /** Runs before a row is written, and may refuse it. */
  readonly before?: Trigger<Row>;
  /** Runs once a row is written. */
  readonly after?: Trigger<Row>;
}

/** A table in memory: rows by primary key, in the order in which they were inserted. */
export class Table<Row extends object> {
  readonly #name: string;
  readonly #options: TableOptions<Row>;
  readonly #rows = new Map<string, Row>();
  /** For each key, the rows by it. */
  readonly #byKey: readonly Map<string, Row>[];
  readonly #onWrite: (undo: () => void) => void;
  #deleted = 0;

  /** @param onWrite receives a function for each write that undoes it */
  constructor(name: string, onWrite: (undo: () => void) => void, options: TableOptions<Row>) {
    this.#name = name;
    this.#onWrite = onWrite;
    this.#options = options;
    this.#byKey = options.keys.map(() => new Map());
  }

  get size(): number {
    return this.#rows.size;
  }

  /** A number that no row of the table has had. */
  get nextNumber(): number {
    return this.#rows.size + this.#deleted + 1;
  }

  all(): readonly Row[] {
    return [...this.#rows.values()];
  }

  where(condition: (row: Row) => boolean): readonly Row[] {
    const found: Row[] = [];
    for (const row of this.#rows.values()) if (condition(row)) found.push(row);
    return found;
  }

  first(condition: (row: Row) => boolean): Row | undefined {
    for (const row of this.#rows.values()) if (condition(row)) return row;
    return undefined;
  }

  get(key: string): Row | undefined {
    return this.#rows.get(key);
  }

  /** @throws DatabaseError when a row with one of its keys is there */
  insert(row: Row): Row {
    this.#options.before?.(null, row);
    this.#write(null, row);
    this.#options.after?.(null, row);
    return row;
  }

  /** Whether another row has one of the keys of this one. */
  hasConflict(row: Row): boolean {
    return this.#options.keys.some((keyOf, index) => {
      const key = keyOf(row);
      return key !== null && this.#byKey[index]?.has(key);
    });
  }

  /** Changes some columns of a row. @returns the row as it is now */
  update(row: Row, changes: Partial<Row>): Row {
    const key = this.#options.keys[0](row);
    const before = this.#rows.get(key);
    if (!before) throw new Error(`${this.#name} has no row ${key}`);
    const changed = { ...before, ...changes };
    const after = this.#options.adjust?.(before, changed) ?? changed;
    this.#options.before?.(before, after);
    this.#write(before, after);
    this.#options.after?.(before, after);
    return after;
  }

  delete(row: Row): void {
    this.#deleted += 1;
    this.#write(row, null);
  }

  #write(before: Row | null, after: Row | null): void {
    if (after) this.#refuseConflict(before, after);
    this.#replace(before, after);
    this.#onWrite(() => this.#replace(after, before));
  }

  #refuseConflict(before: Row | null, after: Row): void {
    this.#options.keys.forEach((keyOf, index) => {
      const key = keyOf(after);
      const isTaken = key !== null && this.#byKey[index]?.has(key) && (!before || keyOf(before) !== key);
      if (isTaken) throw new DatabaseError(uniqueViolation, `duplicate key in ${this.#name}: ${key}`);
    });
  }

  #replace(before: Row | null, after: Row | null): void {
    this.#options.keys.forEach((keyOf, index) => {
      const gone = before && keyOf(before);
      const come = after && keyOf(after);
      if (gone !== null && gone !== come) this.#byKey[index]?.delete(gone);
      if (come !== null && after) this.#byKey[index]?.set(come, after);
    });
    const [keyOf] = this.#options.keys;
    if (after) this.#rows.set(keyOf(after), after);
    else if (before) this.#rows.delete(keyOf(before));
  }
}
