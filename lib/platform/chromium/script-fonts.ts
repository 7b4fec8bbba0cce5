import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { inflateSync } from 'node:zlib';
import { randomToken } from '@/lib/platform/ids';
import { scriptPackages, subsetsOf } from '@/packages/fonts/fonts';
import { packageFolder } from './binary';
import { renderFolder } from './folder';

const woffHeaderBytes = 44;

const woffEntryBytes = 20;

const fontHeaderBytes = 12;

const fontEntryBytes = 16;

/**
 * Unpacks the TrueType or OpenType font of a WOFF file (WOFF File Format 1.0, sections 3 to 5).
 * @throws Error when it is not a WOFF file
 */
function fontOfWoff(woff: Buffer): Buffer {
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

const regular = 400;
const bold = 700;

/**
 * The WOFF files with characters that the other fonts lack: every script in regular and, if there is one, bold weight.
 */
export function scriptFontFiles(): string[] {
  return scriptPackages.flatMap((scriptPackage) => {
    const name = scriptPackage.replace('@fontsource/', '');
    const folder = path.join(/* turbopackIgnore: true */ packageFolder(scriptPackage), 'files');
    const fileOf = (subset: string, weight: number) =>
      path.join(folder, `${name}-${subset}-${weight}-normal.woff`);
    return subsetsOf(name).flatMap((subset) => [
      fileOf(subset, regular),
      ...[fileOf(subset, bold)].filter((file) => existsSync(/* turbopackIgnore: true */ file)),
    ]);
  });
}

/**
 * Unpacks these fonts for the browser's font library, once per set of files.
 * @returns the folder's path, which every user may read
 */
export async function unpackScriptFonts(): Promise<string> {
  const files = scriptFontFiles();
  const folder = path.join(await renderFolder(), `fonts-${await fingerprintOf(files)}`);
  if (existsSync(folder)) return folder;
  // Written under another name until it is complete, because several processes may do this at once, and any may be
  // killed.
  const temporary = `${folder}.${randomToken(8)}`;
  await mkdir(temporary);
  await chmod(temporary, 0o755);
  try {
    for (const file of files) {
      const font = fontOfWoff(await readFile(file));
      await writeFile(path.join(temporary, `${path.basename(file, '.woff')}.ttf`), font, { mode: 0o644 });
    }
    await rename(temporary, folder).catch(async (error: unknown) => {
      // Another process was first.
      if (!existsSync(folder)) throw error;
    });
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
  return folder;
}

async function fingerprintOf(files: readonly string[]): Promise<string> {
  const hash = createHash('sha256');
  for (const file of files) hash.update(`${path.basename(file)} ${(await stat(file)).size}\n`);
  return hash.digest('hex').slice(0, 16);
}
