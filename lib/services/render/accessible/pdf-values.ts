/** A reference to another object. */
export class Ref {
  constructor(readonly number: number) {}
}

/** A string, as it is written: with its delimiters. */
export class PdfString {
  constructor(readonly text: string) {}
}

/** A value of a PDF (ISO 32000-1, 7.3). Names are strings with their slash. */
export type Value = number | boolean | null | string | PdfString | Ref | readonly Value[] | Dictionary;

/** A dictionary that stays as it is written. Large documents have ten thousand, and each of them is asked for few keys. */
export class Dictionary {
  static readonly empty = new Dictionary('<<>>');

  readonly #text: string;
  readonly #from: number;

  /**
   * @param text with a character for each byte
   * @param from where it begins in the text, which may go on behind it
   */
  constructor(text: string, from = 0) {
    this.#text = text;
    this.#from = from;
  }

  get(key: string): Value | undefined {
    const at = this.#find(key);
    return at < 0 ? undefined : valueAt(this.#text, endOf(this.#text, at));
  }

  has(key: string): boolean {
    return this.#find(key) >= 0;
  }

  get keys(): readonly string[] {
    const text = this.#text;
    const keys: string[] = [];
    for (let at = this.#firstKey; text.charCodeAt(at) !== more; at = nextKey(text, at))
      keys.push(text.slice(at, endOf(text, at)));
    return keys;
  }

  with(key: string, value: Value): Dictionary {
    return new Dictionary(`${this.without(key).toString().slice(0, -2)} ${key} ${written(value)}>>`);
  }

  without(key: string): Dictionary {
    const at = this.#find(key);
    if (at < 0) return this;
    const after = this.#text.slice(nextKey(this.#text, at), endOf(this.#text, this.#from));
    return new Dictionary(this.#text.slice(this.#from, at) + after);
  }

  toString(): string {
    return this.#text.slice(this.#from, endOf(this.#text, this.#from));
  }

  get #firstKey(): number {
    return skipSpace(this.#text, this.#from + 2);
  }

  /** Where a key is; -1 without it. */
  #find(key: string): number {
    const text = this.#text;
    for (let at = this.#firstKey; text.charCodeAt(at) !== more; at = nextKey(text, at))
      if (text.startsWith(key, at) && ending[text.charCodeAt(at + key.length)] !== 0) return at;
    return -1;
  }
}

/** Bytes that end a name, a number or a word (7.2.2): white space 1, delimiters 2. */
export const ending = new Uint8Array(256);
for (const byte of Buffer.from('\0\t\n\f\r ')) ending[byte] = 1;
for (const byte of Buffer.from('()<>[]{}/%')) ending[byte] = 2;

const [openString, closeString, backslash] = [0x28, 0x29, 0x5c];
const [less, more, openList, closeList] = [0x3c, 0x3e, 0x5b, 0x5d];

function skipSpace(text: string, from: number): number {
  let at = from;
  while (ending[text.charCodeAt(at)] === 1) at++;
  return at;
}

/** What follows the value of this key. */
const nextKey = (text: string, keyAt: number) =>
  skipSpace(text, endOf(text, skipSpace(text, endOf(text, keyAt))));

/** The value that is written here, as the browser writes it: without comments. @throws Error for anything else */
export function valueAt(text: string, from: number): Value {
  const at = skipSpace(text, from);
  if (text.startsWith('<<', at)) return new Dictionary(text, at);
  const first = text.charCodeAt(at);
  if (first === openList) return listAt(text, at);
  const source = text.slice(at, endOf(text, at));
  if (source.startsWith('/')) return source;
  if (first === openString || first === less) return new PdfString(source);
  if (source.endsWith(' 0 R')) return new Ref(Number.parseInt(source, 10));
  if (source === 'true' || source === 'false') return source === 'true';
  const number = source === 'null' ? null : Number(source);
  if (Number.isNaN(number)) throw new Error('unexpected bytes in the PDF');
  return number;
}

function listAt(text: string, from: number): readonly Value[] {
  const values: Value[] = [];
  let at = skipSpace(text, from + 1);
  while (text.charCodeAt(at) !== closeList) {
    values.push(valueAt(text, at));
    at = skipSpace(text, endOf(text, at));
  }
  return values;
}

/** The end of a value. @throws Error when it does not end */
function endOf(text: string, from: number): number {
  const first = text.charCodeAt(from);
  if (first === openString || first === less || first === openList) return endOfNested(text, from);
  let at = from + 1;
  while (ending[text.charCodeAt(at)] === 0) at++;
  if (at >= text.length) throw new Error('a value of the PDF does not end');
  return ending[first] === 0 && text.startsWith(' 0 R', at) ? at + 4 : at;
}

/** Dictionaries begin and end with two signs, and strings in hexadecimal with one, which is all the same here. */
function endOfNested(text: string, from: number): number {
  let depth = 0;
  for (let at = from; at < text.length; at++) {
    const character = text.charCodeAt(at);
    if (character === openString) at = endOfString(text, at) - 1;
    else if (character === less || character === openList) depth++;
    else if (character === more || character === closeList) depth--;
    else continue;
    if (depth === 0) return at + 1;
  }
  throw new Error('a value of the PDF does not end');
}

/** The end of a string in parentheses. @throws Error when it does not end */
export function endOfString(text: string, from: number): number {
  let depth = 0;
  for (let at = from; at < text.length; at++) {
    const character = text.charCodeAt(at);
    if (character === backslash) at++;
    else if (character === openString) depth++;
    else if (character === closeString && --depth === 0) return at + 1;
  }
  throw new Error('a string of the PDF does not end');
}

/** The value as it is written in a file. */
export function written(value: Value): string {
  if (value instanceof Ref) return `${value.number} 0 R`;
  if (value instanceof PdfString) return value.text;
  return Array.isArray(value) ? `[${value.map(written).join(' ')}]` : String(value);
}
