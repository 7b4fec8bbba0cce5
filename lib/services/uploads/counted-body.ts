import { pipeline, type Readable, Transform } from 'node:stream';

/** As large as what the disk gives at a time. */
const highWaterMark = 65_536;

/**
 * The same bytes, counted.
 * @param whenOver gets the number of bytes that were passed on, once all were, or the reader or the store broke off
 */
export function countedBody(body: Readable, whenOver: (bytes: number) => void): Readable {
  let bytes = 0;
  const counting = new Transform({
    highWaterMark,
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      done(null, chunk);
    },
  });
  // An error of either stream ends both. The one who reads the result gets to see it.
  pipeline(body, counting, () => whenOver(bytes));
  return counting;
}
