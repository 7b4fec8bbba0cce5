import { createHash, randomBytes } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { ApiError } from '@/lib/catalog/errors/api-error';
import { randomToken } from '@/lib/platform/ids';
import { describeError } from '@/lib/platform/log';
import type { Platform } from '@/lib/platform/platform';
import type { Store } from './store';

/** Whether the store works. */
export class StoreHealth {
  readonly #app: Pick<Platform, 'settings' | 'log'>;
  readonly #store: Store;
  #isUsable = true;

  constructor(app: Pick<Platform, 'settings' | 'log'>, store: Store) {
    this.#app = app;
    this.#store = store;
  }

  /** Whether the last check succeeded; true before the first one. */
  get isUsable(): boolean {
    return this.#isUsable;
  }

  /**
   * Refuses a call that needs the store before it is charged.
   * @throws ApiError service_unavailable (503)
   */
  refuseWhileUnusable(): void {
    if (this.#isUsable) return;
    throw new ApiError('service_unavailable', {
      message: 'Files cannot be stored right now. Nothing was charged.',
      retryAfterSeconds: 60,
    });
  }

  /** Checks the store. Never rejects: a failing store is logged, and may recover. */
  async check(): Promise<void> {
    const { log, settings } = this.#app;
    const fault = await findFault(this.#store);
    if (fault) log.error({ storage: settings.STORAGE, ...fault }, 'the file store cannot be used');
    else if (!this.#isUsable) log.info({ storage: settings.STORAGE }, 'the file store can be used again');
    this.#isUsable = !fault;
  }
}

/** What a store could not do. */
interface StoreFault {
  /** In words that follow "it cannot". */
  readonly step: string;
  readonly error: ReturnType<typeof describeError>;
}

/**
 * Writes, partly reads and removes a small object, and checks that it is gone: each of these needs its own permission.
 */
export async function findFault(tried: Store): Promise<StoreFault | null> {
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
    // S3 returns 403 instead of 404 without the permission to list the bucket.
    step = 'be told that an object is missing';
    if ((await tried.sizeOf(key)) !== null) throw new Error('the object is still there');
    return null;
  } catch (error) {
    return { step, error: describeError(error) };
  }
}
