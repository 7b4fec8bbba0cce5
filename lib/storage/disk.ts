import { createHash } from 'node:crypto';
import { type FileHandle, link, mkdir, open, readdir, rm, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { randomToken } from '@/lib/ids';
import { checkedKey } from './object-key';
import type { Store } from './store';
import {
  type AddressClaim,
  checkUploadAddress,
  putHeaders,
  type SigningKeys,
  uploadAddress,
} from './upload-address';

/**
 * Objects as files under one folder. A file appears under its name only when it is complete, verified and on the disk,
 * and is never written again: bytes arrive in `.incoming` and are linked to their name, which fails when the name is
 * taken. What is acknowledged survives a power cut, because the bytes are flushed before the link and the folder after.
 */
export interface DiskStore extends Store {
  /** Whether the bearer of an address may put the object now. */
  checkAddress(claim: AddressClaim, now: Date): 'open' | 'expired' | 'forged';
  /**
   * Stores the bytes of `source` when they are exactly the expected ones; anything else leaves no trace. Reads no
   * further than the first byte too many and never destroys `source`: the caller decides what becomes of the rest.
   * Throws what `source` fails with (an aborted request) and what the disk fails with, except when it is full.
   */
  receive(key: string, source: Readable, expected: ExpectedBytes): Promise<Received>;
  /** Removes what processes that are gone left in `.incoming`; returns how many files that were. */
  removeLeftovers(now: Date): Promise<number>;
}

export interface ExpectedBytes {
  readonly sizeBytes: number;
  /** 64 lowercase hex characters. */
  readonly sha256: string;
}

/**
 * stored: the object is there now. repeated: it was there already, and these were the same bytes. short, long, altered:
 * what is wrong with the bytes. occupied: they are wrong, and the right ones are stored already. full: no room.
 */
export type Received = 'stored' | 'repeated' | 'short' | 'long' | 'altered' | 'occupied' | 'full';

export interface DiskStoreOptions {
  /** STORAGE_DIR; made when it is missing. */
  readonly folder: string;
  /** FILES_URL, without a slash at the end. */
  readonly filesUrl: string;
  readonly signingKeys: SigningKeys;
}

/** Bytes handed to the disk at once. Larger batches save thread switches; a PUT holds at most two of them in memory. */
const batchBytes = 1_048_576;
/** Bytes read from the disk at once, per download. */
const readBytes = 262_144;
/** No request lasts this long, so what another machine left is surely abandoned. */
const leftoverAgeMs = 3_600_000;

/** A store on the local disk, or on any file system with hard links. */
export function createDiskStore({ folder, filesUrl, signingKeys }: DiskStoreOptions): DiskStore {
  const root = path.resolve(folder);
  const incoming = path.join(root, '.incoming');
  // Names who is writing, so that the leftovers of a killed process are told from the work of a living one.
  const owner = `${hostname().replaceAll('.', '-')}.${process.pid}.${randomToken(6)}`;

  function fileOf(key: string): string {
    return path.join(root, checkedKey(key));
  }

  async function receiveFile(file: string, source: Readable, expected: ExpectedBytes): Promise<Received> {
    await mkdir(incoming, { recursive: true, mode: 0o700 });
    const temporary = path.join(incoming, `${owner}.${randomToken(12)}`);
    try {
      const handle = await open(temporary, 'wx', 0o600);
      try {
        const fault = await copyVerified(source, expected, handle);
        if (fault) return fault;
        await handle.datasync();
      } finally {
        await handle.close();
      }
      return await publish(temporary, file);
    } finally {
      await rm(temporary, { force: true });
    }
  }

  /** Gives complete bytes their name. Whoever came first stays: its bytes had to pass the same check. */
  async function publish(temporary: string, file: string): Promise<'stored' | 'repeated'> {
    const parent = path.dirname(file);
    if (await mkdir(parent, { recursive: true, mode: 0o700 })) await syncFolder(root);
    let outcome: 'stored' | 'repeated' = 'stored';
    try {
      await link(temporary, file);
    } catch (error) {
      if (!hasCode(error, 'EEXIST')) throw error;
      outcome = 'repeated';
    }
    await syncFolder(parent);
    return outcome;
  }

  async function sizeOf(key: string): Promise<number | null> {
    try {
      return (await stat(fileOf(key))).size;
    } catch (error) {
      if (hasCode(error, 'ENOENT')) return null;
      throw error;
    }
  }

  return {
    receivesPuts: true,
    sizeOf,

    /** What is put comes to `receive`, which lets nothing wait. */
    adopt: async () => 'absent',

    async put(key, bytes, { sha256 }) {
      const source = Readable.from([Buffer.from(bytes)]);
      const received = await receiveFile(fileOf(key), source, { sizeBytes: bytes.length, sha256 });
      if (received !== 'stored' && received !== 'repeated') {
        throw new Error('the bytes to store are not the announced ones');
      }
    },

    async presignPut(grant) {
      fileOf(grant.key);
      return { url: uploadAddress(filesUrl, grant, signingKeys), method: 'PUT', headers: putHeaders(grant) };
    },

    checkAddress: (claim, now) => checkUploadAddress(claim, signingKeys, now),

    async receive(key, source, expected) {
      const file = fileOf(key);
      try {
        const received = await receiveFile(file, source, expected);
        const isFault = received === 'short' || received === 'long' || received === 'altered';
        return isFault && (await sizeOf(key)) !== null ? 'occupied' : received;
      } catch (error) {
        if (hasCode(error, 'ENOSPC', 'EDQUOT')) return 'full';
        throw error;
      }
    },

    async open(key, range) {
      try {
        const handle = await open(fileOf(key), 'r');
        // The stream owns the handle from here on and closes it at its end or when it is destroyed.
        return handle.createReadStream({ ...range, highWaterMark: readBytes });
      } catch (error) {
        if (hasCode(error, 'ENOENT')) return null;
        throw error;
      }
    },

    async remove(key) {
      await rm(fileOf(key), { force: true });
    },

    async removeLeftovers(now) {
      let removed = 0;
      for (const name of await listFolder(incoming)) {
        if (name.startsWith(`${owner}.`)) continue;
        const leftover = path.join(incoming, name);
        if (!isOwnerGone(name) && !(await isOlderThan(leftover, now.getTime() - leftoverAgeMs))) continue;
        await rm(leftover, { force: true });
        removed += 1;
      }
      return removed;
    },
  };
}

/**
 * Reads `source` to its end or to the first byte too many, hashing, and writes to `handle`. Null when the bytes were the
 * expected ones. One batch is being written while the next is received and hashed.
 */
async function copyVerified(
  source: Readable,
  expected: ExpectedBytes,
  handle: FileHandle,
): Promise<'short' | 'long' | 'altered' | null> {
  const hash = createHash('sha256');
  let received = 0;
  let batch: Buffer[] = [];
  let pending = 0;
  let writing: Promise<void> = Promise.resolve();

  const writeBatch = async () => {
    await writing;
    writing = writeAll(handle, batch);
    batch = [];
    pending = 0;
    // Awaited before the next batch or at the end; until then a failure must not count as unhandled.
    writing.catch(() => undefined);
  };

  try {
    for await (const chunk of source.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      received += chunk.length;
      if (received > expected.sizeBytes) return 'long';
      hash.update(chunk);
      batch.push(chunk);
      pending += chunk.length;
      if (pending >= batchBytes) await writeBatch();
    }
    if (pending > 0) await writeBatch();
    await writing;
  } finally {
    // The file may not be closed under a write that is still going on.
    await writing.catch(() => undefined);
  }
  if (received < expected.sizeBytes) return 'short';
  return hash.digest('hex') === expected.sha256 ? null : 'altered';
}

/** Writes every buffer; the system may take fewer bytes than it is given, as it does just before the disk is full. */
async function writeAll(handle: FileHandle, buffers: Buffer[]): Promise<void> {
  let rest = buffers;
  while (rest.length > 0) {
    let { bytesWritten } = await handle.writev(rest);
    let done = 0;
    for (const buffer of rest) {
      if (bytesWritten < buffer.length) break;
      bytesWritten -= buffer.length;
      done += 1;
    }
    const [partial, ...others] = rest.slice(done);
    rest = partial ? [partial.subarray(bytesWritten), ...others] : [];
  }
}

/** Makes the names in a folder survive a power cut. Windows has no such call and orders its metadata by itself. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function listFolder(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return [];
    throw error;
  }
}

/** Whether the process named in a temporary file's name ran on this machine and is gone. */
function isOwnerGone(name: string): boolean {
  const [host, pid] = name.split('.');
  if (host !== hostname().replaceAll('.', '-')) return false;
  // Our own number with another tag: in a container every start has the same number.
  if (Number(pid) === process.pid) return true;
  try {
    process.kill(Number(pid), 0);
    return false;
  } catch (error) {
    return hasCode(error, 'ESRCH');
  }
}

async function isOlderThan(file: string, timeMs: number): Promise<boolean> {
  try {
    return (await stat(file)).mtimeMs < timeMs;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return false;
    throw error;
  }
}

function hasCode(error: unknown, ...codes: string[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code));
}
