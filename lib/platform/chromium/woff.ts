import { inflateSync } from 'node:zlib';

const woffHeaderBytes = 44;
const woffEntryBytes = 20;
const fontHeaderBytes = 12;
const fontEntryBytes = 16;

/**
 * Unpacks the TrueType or OpenType font of a WOFF file (WOFF File Format 1.0, sections 3 to 5).
 * @throws Error when it is not a WOFF file
 */
export function fontOfWoff(woff: Buffer): Buffer {
  if (woff.toString('latin1', 0, 4) !== 'wOFF') throw new Error('not a WOFF file');
  const count = woff.readUInt16BE(12);
  const tables = Array.from({ length: count }, (_, at) =>
    tableAt(woff, woffHeaderBytes + at * woffEntryBytes),
  );
  const header = Buffer.alloc(fontHeaderBytes + count * fontEntryBytes);
  const entrySelector = Math.floor(Math.log2(count));
  woff.copy(header, 0, 4, 8);
  header.writeUInt16BE(count, 4);
  header.writeUInt16BE(2 ** entrySelector * fontEntryBytes, 6);
  header.writeUInt16BE(entrySelector, 8);
  header.writeUInt16BE((count - 2 ** entrySelector) * fontEntryBytes, 10);
  const parts: Buffer[] = [header];
  let offset = header.length;
  tables.forEach(({ tag, checksum, bytes }, at) => {
    const entry = fontHeaderBytes + at * fontEntryBytes;
    tag.copy(header, entry);
    checksum.copy(header, entry + 4);
    header.writeUInt32BE(offset, entry + 8);
    header.writeUInt32BE(bytes.length, entry + 12);
    // Tables begin at multiples of four bytes.
    const padding = Buffer.alloc((4 - (bytes.length % 4)) % 4);
    parts.push(bytes, padding);
    offset += bytes.length + padding.length;
  });
  return Buffer.concat(parts);
}

function tableAt(woff: Buffer, entry: number) {
  const offset = woff.readUInt32BE(entry + 4);
  const packedLength = woff.readUInt32BE(entry + 8);
  const length = woff.readUInt32BE(entry + 12);
  const packed = woff.subarray(offset, offset + packedLength);
  return {
    tag: woff.subarray(entry, entry + 4),
    checksum: woff.subarray(entry + 16, entry + 20),
    // A table that compression would not shrink is stored uncompressed.
    bytes: packedLength < length ? inflateSync(packed) : packed,
  };
}
