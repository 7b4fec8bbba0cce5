import { link, mkdir, open, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { newOwner, removeLeftovers, temporaryName } from './leftovers';
import { checkedKey, type Store } from './store';
import { hasCode } from './system-error';
import {
  type AddressClaim,
  checkUploadAddress,
  putHeaders,
  type SigningKeys,
  uploadAddress,
} from './upload-address';
import { copyVerified, type ExpectedBytes } from './verified-copy';

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

/** Bytes read from the disk at once, per download. */
const readBytes = 262_144;

/** A store on the local disk, or on any file system with hard links. */
export function createDiskStore({ folder, filesUrl, signingKeys }: DiskStoreOptions): DiskStore {
  const root = path.resolve(folder);
  const incoming = path.join(root, '.incoming');
  const owner = newOwner();

  function fileOf(key: string): string {
    return path.join(root, checkedKey(key));
  }

  async function receiveFile(file: string, source: Readable, expected: ExpectedBytes): Promise<Received> {
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

    removeLeftovers: (now) => removeLeftovers(incoming, owner, now),
  };
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
