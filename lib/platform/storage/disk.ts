import { link, mkdir, open, readdir, rm, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { hourMs } from '@/lib/platform/durations';
import { randomToken } from '@/lib/platform/ids';
import { checkedKey, type Store } from './store';
import {
  type AddressClaim,
  checkUploadAddress,
  putHeaders,
  type SigningKeys,
  uploadAddress,
} from './upload-address';
import { copyVerified, type ExpectedBytes } from './verified-copy';

/** Longer than any request, so another machine's file of this age is abandoned. */
const leftoverAgeMs = hourMs;

/** Names the writing process, so that its temporary files can be told from those of dead processes. */
function newOwner(): string {
  return `${hostname().replaceAll('.', '-')}.${process.pid}.${randomToken(6)}`;
}

/** A name for an owner's temporary file. */
function temporaryName(owner: string): string {
  return `${owner}.${randomToken(12)}`;
}

/** Removes the temporary files of dead owners, and returns their number. */
async function removeLeftovers(folder: string, owner: string, now: Date): Promise<number> {
  let removed = 0;
  for (const name of await listFolder(folder)) {
    if (name.startsWith(`${owner}.`)) continue;
    const leftover = path.join(folder, name);
    if (!isOwnerGone(name) && !(await isOlderThan(leftover, now.getTime() - leftoverAgeMs))) continue;
    await rm(leftover, { force: true });
    removed += 1;
  }
  return removed;
}

async function listFolder(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return [];
    throw error;
  }
}

/** Whether the process in a file's name ran on this machine and has ended. */
function isOwnerGone(name: string): boolean {
  const [host, pid] = name.split('.');
  if (host !== hostname().replaceAll('.', '-')) return false;
  // Our own process id with another tag: in a container every start has the same process id.
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

/**
 * Stores objects as files in one folder. A file gets its name only when it is complete, verified and flushed, and never
 * changes afterwards: bytes arrive in `.incoming` and are then linked to their name, which fails when the name is
 * taken. The folder is flushed too, so acknowledged files survive a power failure.
 */
export interface DiskStore extends Store {
  /** Whether an upload URL is valid now. */
  checkAddress(claim: AddressClaim, now: Date): 'open' | 'expired' | 'forged';
  /**
   * Stores the bytes of `source` if they are exactly the expected ones, otherwise nothing. Stops at the first extra
   * byte and never destroys `source`. Throws errors of `source` (an aborted request) and of the disk, unless it is
   * full.
   */
  receive(key: string, source: Readable, expected: ExpectedBytes): Promise<ReceiveResult>;
  /** Removes files that dead processes left in `.incoming`, and returns their number. */
  removeLeftovers(now: Date): Promise<number>;
}

/**
 * `stored`: the object exists now. `repeated`: it existed with the same bytes. `short`, `long`, `altered`: the bytes
 * are wrong. `occupied`: they are wrong, and the right ones are already stored. `full`: no space.
 */
export type ReceiveResult = 'stored' | 'repeated' | 'short' | 'long' | 'altered' | 'occupied' | 'full';

export interface DiskStoreOptions {
  /** STORAGE_DIR. Created if it is missing. */
  readonly folder: string;
  /** FILES_URL without a trailing slash. */
  readonly filesUrl: string;
  readonly signingKeys: SigningKeys;
}

/** How many bytes are read from the disk at once, per download. */
const readBytes = 262_144;

/** A store on any file system with hard links. */
export function createDiskStore({ folder, filesUrl, signingKeys }: DiskStoreOptions): DiskStore {
  const root = path.resolve(folder);
  const incoming = path.join(root, '.incoming');
  const owner = newOwner();

  function fileOf(key: string): string {
    return path.join(root, checkedKey(key));
  }

  async function receiveFile(
    file: string,
    source: Readable,
    expected: ExpectedBytes,
  ): Promise<ReceiveResult> {
    await mkdir(incoming, { recursive: true, mode: 0o700 });
    const temporary = path.join(incoming, temporaryName(owner));
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

  /** Links complete bytes to their name. If the name is taken, those bytes passed the same check. */
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

    /** PUTs go to `receive`, so nothing waits for adoption. */
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
        // From here on the stream owns the handle and closes it.
        return handle.createReadStream({ ...range, highWaterMark: readBytes });
      } catch (error) {
        if (hasCode(error, 'ENOENT')) return null;
        throw error;
      }
    },

    async remove(key) {
      await rm(fileOf(key), { force: true });
    },

    removeLeftovers: (now) => removeLeftovers(incoming, owner, now),
  };
}

/** Flushes a folder, so that its file names survive a power failure. Windows needs no such call. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Whether an error of the operating system has one of these codes (`ENOENT`). */
function hasCode(error: unknown, ...codes: string[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code));
}
