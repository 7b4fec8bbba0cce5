import path from 'node:path';
import mime from 'mime/lite';
import { z } from 'zod';
import type { upload } from '@/lib/catalog/adapter-tools';
import * as uploads from '@/lib/catalog/uploads';
import { decodeFile } from '@/packages/client/files/base64-file';
import { openLocalFile } from '@/packages/client/files/local-file';
import { isStored, sendFile } from '@/packages/client/files/send';
import { type FileSource, hash } from '@/packages/client/files/source';
import { refuse, ToolError } from '@/packages/client/tool-error';
import type { Adapter } from '../adapter';
import { buyOperation, noteOf } from './paid';
import type { Run } from './tool';

type UploadInput = z.output<typeof upload.input>;

const slotOf = z.object(uploads.create.output.shape);

/** Hashes a file, buys a slot, sends the file and returns its public link. */
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
    const rule = 'or base64 is required, but not both';
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
  const response = await buyOperation(adapter, uploads.create, { body: request }, signal);
  const slot = slotOf.parse(response.body);
  const isUploaded = response.resumedFrom !== undefined && (await isStored(slot));
  if (!isUploaded) {
    await sendFile(slot, source, adapter.now).catch(async (error: unknown) => {
      // The slot can no longer be used.
      if (error instanceof ToolError && error.facts.code === 'slot_lapsed') await response.forget();
      throw error;
    });
  }
  const { id, publicUrl, expiresAt, tags } = slot;
  const { size, sha256 } = request;
  return {
    output: { id, publicUrl, expiresAt, tags, size, sha256, mime: request.mime },
    note: noteOf(response),
    afterDelivery: response.forget,
  };
};

/** The body of the reservation, with its fields in the order of the schema. */
async function describe(source: FileSource, input: UploadInput) {
  const { filenameLengthMax } = uploads.uploadLimits;
  // Keep the end of a long name, which has the file extension.
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
