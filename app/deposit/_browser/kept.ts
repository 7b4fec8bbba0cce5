/**
 * What the page keeps for this account: a signed payment until its outcome is known, and the last receipt. In all tabs, and
 * after the browser was closed, the page goes on with the signed payment instead of asking for a second one.
 */
export class Kept<Value> {
  readonly #key: string;
  readonly #storage: Storage | null;

  constructor(key: string, storage: () => Storage) {
    this.#key = key;
    this.#storage = available(storage);
  }

  read(): Value | null {
    const text = this.#storage?.getItem(this.#key) ?? null;
    return text === null ? null : (JSON.parse(text) as Value);
  }

  /** A browser that keeps nothing is no reason not to pay: then the payment lives as long as the page. */
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
