import { deflateSync, inflateSync } from 'node:zlib';
import { Dictionary, Ref, type Value, valueAt, written } from './pdf-values';

/** The objects of a PDF as the browser writes it, with one cross-reference table; some may be changed and added. */
export class PdfObjects {
  readonly #pdf: Buffer;
  /** The file, with a character for each byte. */
  readonly #text: string;
  readonly #tableAt: number;
  readonly #offsets: number[] = [];
  /** As they are written, with a character for each byte. */
  readonly #changed = new Map<number, string>();
  readonly trailer: Dictionary;

  /** @throws Error for a PDF without this structure, or with more objects than are looked at */
  constructor(pdf: Buffer, objectsMax: number) {
    this.#pdf = pdf;
    const text = pdf.toString('latin1');
    this.#text = text;
    this.#tableAt = Number(/startxref\s+(\d+)\s+%%EOF\s*$/.exec(text.slice(-1024))?.[1]);
    const [header, size] = /^xref\s+0 (\d+)\s*\n/.exec(text.slice(this.#tableAt)) ?? [];
    if (header === undefined || Number(size) > objectsMax) throw new Error('no table, or a too long one');
    for (let number = 0; number < Number(size); number++) {
      const entryAt = this.#tableAt + header.length + number * 20;
      this.#offsets.push(Number(text.slice(entryAt, entryAt + 10)));
    }
    this.trailer = this.dictionary(valueAt(text, text.indexOf('trailer', this.#tableAt) + 7));
  }

  /** The document's catalog (7.7.2). */
  get catalog(): Dictionary {
    return this.dictionary(this.trailer.get('/Root'));
  }

  /** The root of the structure tree (14.7.2). */
  get structure(): Dictionary {
    return this.dictionary(this.catalog.get('/StructTreeRoot'));
  }

  /** The dictionary that the value is or refers to; an empty one for anything else. */
  dictionary(value: Value | undefined): Dictionary {
    const resolved = this.#resolve(value);
    return resolved instanceof Dictionary ? resolved : Dictionary.empty;
  }

  /** The elements of the list that the value is or refers to; the value itself if it is none. */
  list(value: Value | undefined): readonly Value[] {
    const resolved = this.#resolve(value);
    if (resolved === null) return [];
    return Array.isArray(resolved) ? resolved : [value ?? null];
  }

  /** The content of a stream. @throws Error when it is longer than `bytesMax` */
  stream(ref: Ref, bytesMax: number): Buffer {
    const start = this.#text.indexOf('stream\n', this.#contentAt(ref.number)) + 7;
    const about = this.dictionary(ref);
    const body = this.#pdf.subarray(start, start + Number(about.get('/Length')));
    const filter = about.get('/Filter');
    if (filter !== undefined && filter !== '/FlateDecode') throw new Error('an unknown filter');
    const content = filter === undefined ? body : inflateSync(body, { maxOutputLength: bytesMax });
    if (content.length > bytesMax) throw new Error('a long stream');
    return content;
  }

  /** Adds an object. */
  add(value: Value): Ref {
    const ref = new Ref(this.#offsets.length);
    this.#offsets.push(0);
    this.set(ref, value);
    return ref;
  }

  set({ number }: Ref, value: Value): void {
    this.#changed.set(number, written(value));
  }

  /** @param isPlain whether the stream is not compressed: programs look for metadata in the bytes of a file */
  setStream({ number }: Ref, content: Buffer, about: Dictionary, isPlain = false): void {
    const body = isPlain ? content : deflateSync(content, { level: 1 });
    const plain = about.without('/Filter').with('/Length', body.length);
    const head = isPlain ? plain : plain.with('/Filter', '/FlateDecode');
    this.#changed.set(number, `${written(head)} stream\n${body.toString('latin1')}\nendstream`);
  }

  /** The file with its objects as they are now, without earlier versions, and one table for all. */
  write(): Buffer {
    const offsets = [...this.#offsets];
    const inOrder = [...offsets.keys()].filter((number) => offsets[number] !== 0);
    inOrder.sort((one, other) => this.#offset(one) - this.#offset(other));
    const parts: Buffer[] = [];
    let [kept, at] = [0, 0];
    const push = (part: Buffer) => {
      parts.push(part);
      at += part.length;
    };
    for (const [index, number] of inOrder.entries()) {
      const from = this.#offset(number);
      offsets[number] = from - kept + at;
      if (!this.#changed.has(number)) continue;
      push(this.#pdf.subarray(kept, from));
      const next = inOrder[index + 1];
      kept = next === undefined ? this.#tableAt : this.#offset(next);
    }
    push(this.#pdf.subarray(kept, this.#tableAt));
    for (const [number, content] of this.#changed) {
      offsets[number] = at;
      push(Buffer.from(`${number} 0 obj\n${content}\nendobj\n`, 'latin1'));
    }
    const entries = offsets.slice(1).map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`);
    const table = `xref\n0 ${offsets.length}\n0000000000 65535 f \n${entries.join('')}`;
    const trailer = `trailer\n${written(this.trailer.with('/Size', offsets.length))}\nstartxref\n${at}\n%%EOF\n`;
    return Buffer.concat([...parts, Buffer.from(table + trailer, 'latin1')]);
  }

  /** The value, or what it refers to. */
  #resolve(value: Value | undefined): Value {
    if (!(value instanceof Ref)) return value ?? null;
    const { number } = value;
    const changed = this.#changed.get(number);
    return changed === undefined ? valueAt(this.#text, this.#contentAt(number)) : valueAt(`${changed}\n`, 0);
  }

  #offset(number: number): number {
    const offset = this.#offsets[number];
    if (!offset) throw new Error('a reference to nothing');
    return offset;
  }

  /** Where the value of an object begins, after `1 0 obj`. */
  #contentAt(number: number): number {
    const offset = this.#offset(number);
    const keyword = this.#text.indexOf('obj', offset);
    if (keyword < 0 || keyword > offset + 16) throw new Error('no object where the table says');
    return keyword + 3;
  }
}
