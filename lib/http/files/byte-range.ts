import type { ByteRange } from '@/lib/platform/storage/store';

/**
 * The range of a file that a Range header requests (RFC 9110 section 14). Null means the whole file: without a header,
 * with an unknown one, or with several ranges, which a server may ignore.
 */
export function byteRangeOf(
  header: string | null | undefined,
  sizeBytes: number,
): ByteRange | 'unsatisfiable' | null {
  const [, first, last] = /^bytes=\s*([0-9]{0,15})-([0-9]{0,15})\s*$/i.exec(header ?? '') ?? [];
  if (!first && !last) return null;
  if (!first) {
    const length = Math.min(Number(last), sizeBytes);
    return length === 0 ? 'unsatisfiable' : { start: sizeBytes - length, end: sizeBytes - 1 };
  }
  const start = Number(first);
  const end = last ? Math.min(Number(last), sizeBytes - 1) : sizeBytes - 1;
  if (last && Number(last) < start) return null;
  return start >= sizeBytes ? 'unsatisfiable' : { start, end };
}
