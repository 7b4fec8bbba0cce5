/** Kinds of messages of PostgreSQL's protocol, version 3 (chapter 54 of its manual). */
const simpleQuery = 0x51;
const parse = 0x50;
const bind = 0x42;
const sync = 0x53;

/**
 * Splits what a client sends to PostgreSQL into statements: everything up to and including a Sync, or one simple query.
 * Bytes that belong to no statement (startup messages, passwords) are passed on with null.
 */
export class StatementReader {
  readonly #emit: (bytes: Buffer, statement: string | null) => void;
  #rest: Buffer = Buffer.alloc(0);
  #isOpened = false;
  #gathered: Buffer[] = [];
  #statement: string | null = null;
  /** The texts of prepared statements, by name. */
  readonly #prepared = new Map<string, string>();

  constructor(emit: (bytes: Buffer, statement: string | null) => void) {
    this.#emit = emit;
  }

  read(bytes: Buffer): void {
    this.#rest = Buffer.concat([this.#rest, bytes]);
    for (let message = this.#next(); message; message = this.#next()) this.#take(message);
  }

  /** The next whole message. The first one on a connection has no type byte. */
  #next(): Buffer | null {
    const head = this.#isOpened ? 1 : 0;
    if (this.#rest.length < head + 4) return null;
    const length = head + this.#rest.readUInt32BE(head);
    if (this.#rest.length < length) return null;
    const message = this.#rest.subarray(0, length);
    this.#rest = this.#rest.subarray(length);
    return message;
  }

  #take(message: Buffer): void {
    if (!this.#isOpened) {
      this.#isOpened = true;
      this.#emit(message, null);
      return;
    }
    const [kind] = message;
    if (kind === simpleQuery) {
      this.#emit(message, text(message, 5));
      return;
    }
    if (kind === parse) {
      const name = text(message, 5);
      this.#statement = text(message, 5 + name.length + 1);
      this.#prepared.set(name, this.#statement);
    }
    if (kind === bind)
      this.#statement ??= this.#prepared.get(text(message, 5 + text(message, 5).length + 1)) ?? null;
    if (this.#statement === null) {
      this.#emit(message, null);
      return;
    }
    this.#gathered.push(message);
    if (kind !== sync) return;
    const statement = this.#statement;
    const gathered = Buffer.concat(this.#gathered);
    this.#statement = null;
    this.#gathered = [];
    this.#emit(gathered, statement);
  }
}

/** Reads a null-terminated string. */
function text(message: Buffer, from: number): string {
  return message.toString('utf8', from, message.indexOf(0, from));
}
