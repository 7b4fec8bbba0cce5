import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { FairLimit } from '@/lib/platform/concurrency/fair-limit';
import { describeError } from '@/lib/platform/log';
import type { Platform } from '@/lib/platform/platform';
import type { Bucket } from './bucket';
import { type Adoption, type AnnouncedBytes, checkedKey, type Store } from './store';

/** How many adoptions run at once. Each holds a file of up to 10 MiB in memory. */
const adoptionsMax = 4;

/** Clients upload here, apart from the objects, so that no presigned URL can overwrite an object. */
const arrivalOf = (key: string) => `incoming/${checkedKey(key)}`;

/**
 * A store in a bucket that clients write to directly. Uploads are kept apart until someone requests the file. Then they
 * are read once, hashed, and written under the object's own name, which no client can write to. So links serve only the
 * announced bytes, even on services that ignore declared checksums, sizes and conditions (docs/decisions/stores.md).
 * `connect` is called once, when the bucket is first needed.
 */
export function createRemoteStore(app: Pick<Platform, 'log'>, connect: () => Promise<Bucket>): Store {
  let connected: Promise<Bucket> | undefined;
  const bucket = () => {
    connected ??= connect();
    return connected;
  };
  const limit = new FairLimit({ size: adoptionsMax });
  const underWay = new Map<string, Promise<Adoption>>();

  async function adoptNow(key: string, announced: AnnouncedBytes): Promise<Adoption> {
    const { read, write, erase } = await bucket();
    const source = await read(arrivalOf(key));
    if (!source) return 'absent';
    const bytes = await readAtMost(source, announced.sizeBytes + 1);
    if (bytes.length !== announced.sizeBytes || sha256Of(bytes) !== announced.sha256) {
      await erase(arrivalOf(key));
      return 'altered';
    }
    await write(key, bytes, announced);
    // The object exists. Its upload is erased when it expires, if not now.
    await erase(arrivalOf(key)).catch((error: unknown) => {
      app.log.warn({ key, error: describeError(error) }, 'an adopted upload could not be erased');
    });
    return 'adopted';
  }

  return {
    receivesPuts: false,

    async presignPut(grant) {
      return (await bucket()).presignPut({ ...grant, key: arrivalOf(grant.key) });
    },

    adopt(key, announced) {
      const known = underWay.get(key);
      if (known) return known;
      const adoption = limit.run(() => adoptNow(key, announced)).finally(() => underWay.delete(key));
      underWay.set(key, adoption);
      return adoption;
    },

    async put(key, bytes, facts) {
      const copy = Buffer.from(bytes);
      if (sha256Of(copy) !== facts.sha256) throw new Error('the bytes to store are not the announced ones');
      await (await bucket()).write(checkedKey(key), copy, facts);
    },

    async sizeOf(key) {
      return (await bucket()).sizeOf(checkedKey(key));
    },

    async open(key, range) {
      return (await bucket()).read(checkedKey(key), range);
    },

    async remove(key) {
      const { erase } = await bucket();
      await Promise.all([erase(checkedKey(key)), erase(arrivalOf(key))]);
    },
  };
}

function sha256Of(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Reads a stream up to a limit. Throws when the stream is cut off. */
async function readAtMost(source: Readable, bytesMax: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let received = 0;
  for await (const chunk of source as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    received += chunk.length;
    if (received >= bytesMax) break;
  }
  return Buffer.concat(chunks);
}
