import type { MachineCode } from './assembler';

// The parts of an ELF file that Solana's loader reads: sections, the names of the runtime's functions, and the places in the
// code that call them. Numbers and layouts are those of the System V ABI, chapters 4 and 5.

const headerBytes = 64;
const sectionHeaderBytes = 64;
const relocationBytes = 16;
const kinds = {
  code: { type: 1, entryBytes: 0 },
  names: { type: 3, entryBytes: 0 },
  dynamic: { type: 6, entryBytes: 16 },
  relocations: { type: 9, entryBytes: relocationBytes },
  symbols: { type: 11, entryBytes: 24 },
} as const;

interface Section {
  readonly name: string;
  readonly kind: keyof typeof kinds;
  /** The index of the section with its names or symbols. */
  readonly link?: number;
  readonly content: Buffer;
}

/** Puts a program into the file format in which it is deployed. */
export function toElf({ bytes: code, calls }: MachineCode): Buffer {
  const functions = [...new Set(calls.map(({ name }) => name))];
  const names = ['', ...functions, '.text', '.dynsym', '.dynstr', '.rel.dyn', '.dynamic'];
  const nameAt = (name: string): number =>
    names.slice(0, names.indexOf(name)).reduce((offset, before) => offset + before.length + 1, 0);
  const nameBytes = Buffer.from(names.map((name) => `${name}\0`).join(''));
  const strings = Buffer.concat([nameBytes, Buffer.alloc(-nameBytes.length & 7)]);
  // The first symbol is empty. The others are global and defined elsewhere.
  const symbols = Buffer.concat(
    ['', ...functions].flatMap((name) => [
      words(nameAt(name)),
      halves(name === '' ? 0 : 0x10, 0),
      longs(0, 0),
    ]),
  );
  // Each is an address, the type R_BPF_64_32 and the index of a symbol.
  const relocations = Buffer.concat(
    calls.flatMap(({ offset, name }) => [
      longs(headerBytes + offset),
      words(10, functions.indexOf(name) + 1),
    ]),
  );
  const symbolsAt = headerBytes + code.length;
  const relocationsAt = symbolsAt + symbols.length + strings.length;
  // Pairs of tag and value: DT_SYMTAB, DT_REL, DT_RELSZ, DT_RELENT, DT_NULL.
  const dynamic = longs(6, symbolsAt, 17, relocationsAt, 18, relocations.length, 19, relocationBytes, 0, 0);
  return linkSections(
    [
      { name: '.text', kind: 'code', content: code },
      { name: '.dynsym', kind: 'symbols', link: 3, content: symbols },
      { name: '.dynstr', kind: 'names', content: strings },
      { name: '.rel.dyn', kind: 'relocations', link: 2, content: relocations },
      { name: '.dynamic', kind: 'dynamic', link: 3, content: dynamic },
    ],
    nameAt,
  );
}

function linkSections(sections: readonly Section[], nameAt: (name: string) => number): Buffer {
  const headers: Buffer[] = [Buffer.alloc(sectionHeaderBytes)];
  let at = headerBytes;
  for (const { name, kind, link = 0, content } of sections) {
    const { type, entryBytes } = kinds[kind];
    // Allocated, and executable if it is code.
    const flags = kind === 'code' ? 6 : 2;
    // One symbol, the empty one, is local.
    const info = kind === 'symbols' ? 1 : 0;
    headers.push(words(nameAt(name), type), longs(flags, at, at, content.length));
    headers.push(words(link, info), longs(8, entryBytes));
    at += content.length;
  }
  const namesIndex = sections.findIndex(({ kind }) => kind === 'names') + 1;
  return Buffer.concat([
    // 64 bit, little endian, version 1.
    Buffer.from('7f454c46020101000000000000000000', 'hex'),
    // A shared object for BPF, version 1, that starts with its code; no segments, and the section headers are at its end.
    ...[halves(3, 247), words(1), longs(headerBytes, 0, at), words(0)],
    halves(headerBytes, 56, 0, sectionHeaderBytes, sections.length + 1, namesIndex),
    ...sections.map(({ content }) => content),
    ...headers,
  ]);
}

const halves = (...values: number[]): Buffer => numbers(2, values);
const words = (...values: number[]): Buffer => numbers(4, values);
const longs = (...values: number[]): Buffer => numbers(8, values);

/** Numbers of so many bytes each, little endian. */
function numbers(bytes: number, values: readonly number[]): Buffer {
  const buffer = Buffer.alloc(bytes * values.length);
  for (const [index, value] of values.entries()) buffer.writeUIntLE(value, index * bytes, Math.min(bytes, 6));
  return buffer;
}
