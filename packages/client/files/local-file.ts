import { constants, type Stats } from 'node:fs';
import { type FileHandle, lstat, open, realpath } from 'node:fs/promises';
import path from 'node:path';
import { uploadLimits } from '@/lib/catalog/uploads';
import { refuse } from '../tool-error';
import type { FileSource } from './source';

/**
 * Opens a file that an assistant named. Assistants can be tricked into naming any file, and uploads are public. So links,
 * devices, and hidden files and folders (where keys and settings are kept) are refused, and so is everything outside `folders`.
 * @param folders the folders that the file must be in; null for any
 * @throws ToolError `file_refused` that says which rule the path breaks
 */
export async function openLocalFile(named: string, folders: readonly string[] | null): Promise<FileSource> {
  if (named.includes('\0')) throw refused('must not contain a NUL character');
  if (!path.isAbsolute(named)) throw refused('must be an absolute path');
  if (named.split(/[\\/]/).includes('..')) throw refused('must not contain ".."');
  const seen = await lstat(named).catch((error: NodeJS.ErrnoException) => {
    throw refused(
      error.code === 'ENOENT'
        ? 'must name a file that exists'
        : `cannot be read (${error.code ?? 'unknown error'})`,
      error,
    );
  });
  checkKind(seen);
  checkSize(seen.size);
  const real = await realpath(named);
  const visiblePart = await findVisiblePart(real, folders);
  if (visiblePart.split(path.sep).some((segment) => segment.startsWith('.'))) {
    throw refused('must not be hidden or in a hidden folder, because keys and settings are kept there');
  }
  return toSource(await openChecked(real, seen), path.basename(named), seen.size);
}

/** The part of the path that must not be hidden: all of it, or the part below the allowed folder. */
async function findVisiblePart(real: string, folders: readonly string[] | null): Promise<string> {
  if (folders === null) return real;
  for (const folder of folders) {
    const within = path.relative(await realpath(folder).catch(() => folder), real);
    if (within !== '' && within.split(path.sep)[0] !== '..' && !path.isAbsolute(within)) return within;
  }
  throw refused('must not be outside the folders that TUPPENCE_UPLOAD_FOLDERS lists');
}

function checkKind(file: Stats): void {
  if (file.isSymbolicLink()) throw refused('must be the file itself, not a symbolic link to it');
  if (file.isDirectory()) throw refused('must be a file, not a folder');
  // Opening such a file can have side effects or never finish.
  if (!file.isFile()) throw refused('must be a file, not a device, a pipe or a socket');
}

function checkSize(size: number): void {
  if (size === 0) throw refused('must not be an empty file');
  if (size > uploadLimits.sizeBytesMax) {
    throw refused(`is a file of ${size} bytes, more than the ${uploadLimits.sizeBytesMax} of an upload`);
  }
}

async function openChecked(real: string, seen: Stats): Promise<FileHandle> {
  const handle = await open(real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(
    (error: NodeJS.ErrnoException) => {
      throw refused(`cannot be opened (${error.code ?? 'unknown error'})`, error);
    },
  );
  const opened = await handle.stat();
  if (opened.ino === seen.ino && opened.dev === seen.dev && opened.isFile()) return handle;
  await handle.close();
  throw refused('was replaced while it was being opened. Call the tool again');
}

function toSource(handle: FileHandle, name: string, size: number): FileSource {
  return {
    name,
    size,
    // Bytes appended later are not part of the upload.
    read: () => handle.createReadStream({ start: 0, end: size - 1, autoClose: false }),
    close: () => handle.close(),
  };
}

function refused(rule: string, cause?: unknown) {
  return refuse('file_refused', 'The file cannot be uploaded.', { issues: [{ path: 'path', rule }], cause });
}
