import path from 'node:path';
import mime from 'mime/lite';
import { z } from 'zod';
import type { upload } from '@/lib/catalog/adapter-tools';
import * as uploads from '@/lib/catalog/uploads';
import type { Adapter } from '../adapter';
import { decodeFile } from '../files/base64-file';
import { openLocalFile } from '../files/local-file';
import { isStored, sendFile } from '../files/send';
import { type FileSource, hash } from '../files/source';
import { refuse, ToolError } from '../tool-error';
import { buyOperation, noteOf } from './paid';
import type { Run } from './tool';

type UploadInput = z.output<typeof upload.input>;

const slotOf = z.object(uploads.create.output.shape);

/** Hashes a file, buys a slot for it, sends it there and gives its public link. */
export const runUpload: Run<UploadInput> = async (adapter, input, signal) => {
  const source = await openSource(adapter, input);
  try {
    return await uploadSource(adapter, source, input, signal);
  } finally {
    await source.close();
  }
};

function openSource({ settings }: Adapter, input: UploadInput): Promise<FileSource> | FileSource {
  if ((input.path === undefined) === (input.base64 === undefined)) {
    const rule = 'must be given, or base64, but not both';
    throw refuse('invalid_input', 'The arguments are not valid.', { issues: [{ path: 'path', rule }] });
  }
  return input.path === undefined
    ? decodeFile(input.base64 ?? '')
    : openLocalFile(input.path, settings.uploadFolders);
}

const uploadSource: (
  ...args: [Adapter, FileSource, UploadInput, AbortSignal]
) => ReturnType<typeof runUpload> = async (adapter, source, input, signal) => {
  const request = await describe(source, input);
  const bought = await buyOperation(adapter, uploads.create, { body: request }, signal);
  const slot = slotOf.parse(bought.body);
  const isThere = bought.resumedFrom !== undefined && (await isStored(slot));
  if (!isThere) {
    await sendFile(slot, source, adapter.now).catch(async (error: unknown) => {
      // Nothing more can come of this slot.
      if (error instanceof ToolError && error.facts.code === 'slot_lapsed') await bought.forget();
      throw error;
    });
  }
  const { id, publicUrl, expiresAt, tags } = slot;
  const { size, sha256 } = request;
  return {
    output: { id, publicUrl, expiresAt, tags, size, sha256, mime: request.mime },
    note: noteOf(bought),
    afterDelivery: bought.forget,
  };
};

/** The body of the reservation, in the order of its schema. */
async function describe(source: FileSource, input: UploadInput) {
  const { filenameLengthMax } = uploads.uploadLimits;
  // The end of a long name has its ending.
  const filename = (input.filename ?? source.name)?.slice(-filenameLengthMax);
  const type = input.mime ?? mime.getType(path.extname(filename ?? '')) ?? 'application/octet-stream';
  return uploads.create.body.parse({
    mime: type,
    size: source.size,
    ...(await hash(source)),
    filename,
    tags: input.tags,
  });
}
