import path from 'node:path';
import { buffer, text } from 'node:stream/consumers';
import { uploadLimits } from '@/lib/catalog/uploads';
import { openLocalFile } from '../files/local-file';
import type { Settings } from '../settings';
import { refuse, ToolError } from '../tool-error';

/** The arguments of the upload tool for a file, or for standard input. */
export async function uploadArguments(file: string): Promise<{ path: string } | { base64: string }> {
  if (file !== '-') return { path: path.resolve(file) };
  return { base64: (await readInput()).toString('base64') };
}

/**
 * Reads a text file, or standard input, under the same rules as an upload, because PDFs and forms are public too.
 * @throws ToolError `file_refused` or `invalid_input`
 */
export async function readTextFile(file: string, { uploadFolders }: Settings): Promise<string> {
  if (file === '-') return (await readInput()).toString('utf8');
  const source = await openLocalFile(path.resolve(file), uploadFolders).catch((error: unknown) => {
    throw unreadable(error);
  });
  try {
    return await text(source.read());
  } finally {
    await source.close();
  }
}

/** It is read and not uploaded, and the command line knows it as FILE. */
function unreadable(error: unknown): unknown {
  if (!(error instanceof ToolError)) return error;
  const issues = error.facts.issues?.map(({ rule }) => ({ path: 'FILE', rule }));
  return refuse('file_refused', 'The file cannot be read.', { issues, cause: error });
}

async function readInput(): Promise<Buffer> {
  const limited = limit(process.stdin, uploadLimits.sizeBytesMax);
  const bytes = await buffer(limited);
  if (bytes.length > 0) return bytes;
  throw wrong('must not be empty');
}

async function* limit(input: AsyncIterable<Uint8Array>, bytesMax: number): AsyncIterable<Uint8Array> {
  let length = 0;
  for await (const chunk of input) {
    length += chunk.length;
    if (length > bytesMax) throw wrong(`must have at most ${bytesMax} bytes`);
    yield chunk;
  }
}

const wrong = (rule: string) =>
  refuse('invalid_input', 'The file cannot be used.', { issues: [{ path: 'standard input', rule }] });
