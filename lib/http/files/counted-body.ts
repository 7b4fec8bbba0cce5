import { pipeline, type Readable, Transform } from 'node:stream';

/** The size of one read from the disk. */
const highWaterMark = 65_536;

/**
 * The same bytes, counted.
 * @param whenOver gets the number of bytes passed on, once all of them were, or the reader or the store aborted
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
  // An error of either stream ends both. Whoever reads the result sees it.
  pipeline(body, counting, () => whenOver(bytes));
  return counting;
}
