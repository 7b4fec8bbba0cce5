import { createHash, randomBytes } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { randomToken } from '@/lib/platform/ids';
import { describeError, log } from '@/lib/platform/log';
import { processWide } from '@/lib/platform/process-wide';
import { env } from '@/lib/platform/settings';
import { store } from '.';
import type { Store } from './store';

const health = () => processWide('store-health', () => ({ isUsable: true }));

/** Whether the store could be used when it was last tried; true until then. */
export function isStoreUsable(): boolean {
  return health().isUsable;
}

/** Tries the store and remembers the outcome. Never rejects: a store that fails is logged, and may come back. */
export async function checkStore(): Promise<void> {
  const known = health();
  const fault = await findFault(store());
  if (fault) {
    log().error({ storage: env().STORAGE, ...fault }, 'the file store cannot be used');
  } else if (!known.isUsable) {
    log().info({ storage: env().STORAGE }, 'the file store can be used again');
  }
  known.isUsable = !fault;
}

/** A small object is written, read in part, removed and missed: the rights that serving files takes, each by itself. */
async function findFault(tried: Store): Promise<{ step: string; error: unknown } | null> {
  const key = `probe/${randomToken(16)}`;
  const bytes = randomBytes(64);
  const facts = {
    mime: 'application/octet-stream',
    sha256: createHash('sha256').update(bytes).digest('hex'),
  };
  let step = 'write an object';
  try {
    await tried.put(key, bytes, facts);
    step = 'read a part of an object';
    const part = await tried.open(key, { start: 8, end: 23 });
    if (!part || !(await buffer(part)).equals(bytes.subarray(8, 24)))
      throw new Error('other bytes came back');
    step = 'remove an object';
    await tried.remove(key);
    // S3 answers 403 instead of 404 to those who may not list the bucket.
    step = 'be told that an object is missing';
    if ((await tried.sizeOf(key)) !== null) throw new Error('the object is still there');
    return null;
  } catch (error) {
    return { step, error: describeError(error) };
  }
}
