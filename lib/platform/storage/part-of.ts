import { Readable } from 'node:stream';
import type { ByteRange } from './store';

/**
 * Cuts the wanted range out of a service's response, which may contain more, as its Content-Range says, or the whole
 * object. Some services ignore ranges, and some misread `0-0`.
 */
export function partOf(sent: Readable, contentRange: string | null | undefined, wanted: ByteRange): Readable {
  const [, first = '0', last] = /^bytes (\d+)-(\d+)/.exec(contentRange ?? '') ?? [];
  if (Number(first) === wanted.start && Number(last) === wanted.end) return sent;
  return Readable.from(cut(sent, Number(first), wanted));
}

async function* cut(sent: Readable, from: number, { start, end }: ByteRange): AsyncGenerator<Buffer> {
  let at = from;
  for await (const chunk of sent as AsyncIterable<Buffer>) {
    const part = chunk.subarray(Math.max(0, start - at), Math.max(0, end + 1 - at));
    at += chunk.length;
    if (part.length > 0) yield part;
    if (at > end) return;
  }
}
