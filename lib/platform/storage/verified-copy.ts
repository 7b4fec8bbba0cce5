import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import type { Readable } from 'node:stream';

export interface ExpectedBytes {
  readonly sizeBytes: number;
  /** 64 lowercase hex characters. */
  readonly sha256: string;
}

/** How many bytes are written at once. Larger batches save thread switches. A PUT has at most two batches in memory. */
const batchBytes = 1_048_576;

/**
 * Copies `source` to `handle` while hashing it, up to the first extra byte. Returns null when the bytes were the
 * expected ones. One batch is written while the next is received.
 */
export async function copyVerified(
  source: Readable,
  expected: ExpectedBytes,
  handle: FileHandle,
): Promise<'short' | 'long' | 'altered' | null> {
  const hash = createHash('sha256');
  let received = 0;
  let batch: Buffer[] = [];
  let pending = 0;
  let writing: Promise<void> = Promise.resolve();

  const writeBatch = async () => {
    await writing;
    writing = writeAll(handle, batch);
    batch = [];
    pending = 0;
    // Awaited later. Until then a failure must not count as unhandled.
    writing.catch(() => undefined);
  };

  try {
    for await (const chunk of source.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      received += chunk.length;
      if (received > expected.sizeBytes) return 'long';
      hash.update(chunk);
      batch.push(chunk);
      pending += chunk.length;
      if (pending >= batchBytes) await writeBatch();
    }
    if (pending > 0) await writeBatch();
    await writing;
  } finally {
    // The file must not be closed while a write is running.
    await writing.catch(() => undefined);
  }
  if (received < expected.sizeBytes) return 'short';
  return hash.digest('hex') === expected.sha256 ? null : 'altered';
}

/** Writes all buffers. The system may accept fewer bytes than given, for example just before the disk is full. */
async function writeAll(handle: FileHandle, buffers: Buffer[]): Promise<void> {
  let rest = buffers;
  while (rest.length > 0) {
    let { bytesWritten } = await handle.writev(rest);
    let done = 0;
    for (const buffer of rest) {
      if (bytesWritten < buffer.length) break;
      bytesWritten -= buffer.length;
      done += 1;
    }
    const [partial, ...others] = rest.slice(done);
    rest = partial ? [partial.subarray(bytesWritten), ...others] : [];
  }
}
