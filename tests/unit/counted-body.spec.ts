import { once } from 'node:events';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { countedBody } from '@/lib/http/files/serve-file';
import { expect, test } from '../support/without-browser';

const chunkBytes = 65_536;

/** A number's promise with its resolver. Node 20 has no Promise.withResolvers. */
function withResolvers() {
  let resolve: (bytes: number) => void = () => undefined;
  const promise = new Promise<number>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

/** A body of this many chunks, which are made on demand. */
function bodyOf(chunks: number): Readable {
  return Readable.from(Array.from({ length: chunks }, (_, index) => Buffer.alloc(chunkBytes, index)));
}

test('a body that is read to its end is unchanged, and all of it counts', async () => {
  const over = withResolvers();
  const read = await buffer(countedBody(bodyOf(20), over.resolve));
  expect(read.equals(await buffer(bodyOf(20)))).toBe(true);
  expect(await over.promise).toBe(20 * chunkBytes);
});

test('a body that its reader leaves counts only what was passed on, and its source is closed', async () => {
  const source = bodyOf(1_000);
  const over = withResolvers();
  const counted = countedBody(source, over.resolve);
  counted.once('data', () => counted.destroy());
  const bytes = await over.promise;
  expect(bytes).toBeGreaterThan(0);
  expect(bytes).toBeLessThan(100 * chunkBytes);
  expect(source.destroyed).toBe(true);
});

test('the reader of a body whose source breaks off learns of it', async () => {
  const source = new Readable({ read: () => undefined });
  const over = withResolvers();
  const counted = countedBody(source, over.resolve);
  source.push(Buffer.alloc(10));
  const failed = once(counted, 'end').catch((error: Error) => error.message);
  counted.once('data', () => source.destroy(new Error('the disk is gone')));
  expect(await failed).toBe('the disk is gone');
  expect(await over.promise).toBe(10);
});
