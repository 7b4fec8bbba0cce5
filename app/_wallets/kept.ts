/** A value that a page keeps in the browser's storage. People can also pay in a browser that keeps nothing. */
export class Kept<Value> {
  readonly #key: string;
  readonly #storage: Storage | null;

  constructor(key: string, storage: () => Storage) {
    this.#key = key;
    this.#storage = available(storage);
  }

  /** Null when nothing is kept, or nothing that can be read. */
  read(): Value | null {
    try {
      return JSON.parse(this.#storage?.getItem(this.#key) ?? 'null') as Value | null;
    } catch {
      return null;
    }
  }

  write(value: Value): void {
    try {
      this.#storage?.setItem(this.#key, JSON.stringify(value));
    } catch {
      this.clear();
    }
  }

  clear(): void {
    this.#storage?.removeItem(this.#key);
  }
}

/** Browsers may forbid storage to a page, or to all. */
function available(storage: () => Storage): Storage | null {
  try {
    return storage();
  } catch {
    return null;
  }
}
