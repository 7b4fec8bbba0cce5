import { z } from 'zod';
import * as account from '../account';
import * as uploads from '../uploads';
import { adapterTool, pays, reads } from './tool';

const { sizeBytesMax, retentionDays, retentionDaysMax } = uploads.uploadLimits;
const { mime, filename, tags, size, sha256 } = uploads.create.body.shape;

export const upload = adapterTool({
  name: 'upload',
  title: 'Upload a file',
  description: `Host a file of up to 10 MiB on a public, unguessable link that lasts ${retentionDays} days. Give either the absolute path of a file on this machine or its bytes in base64. Anyone who has the link can read the file.`,
  price: uploads.create.price,
  operation: uploads.create.id,
  ...pays,
  input: z.strictObject({
    path: z
      .string()
      .min(1)
      .max(4_096)
      .optional()
      .meta({
        description:
          'Absolute path of a file on this machine. Not a symbolic link, and not in a hidden folder.',
        examples: ['/srv/reports/october.pdf'],
      }),
    base64: z
      .string()
      .min(1)
      .max(Math.ceil(sizeBytesMax / 3) * 4)
      .optional()
      .meta({ description: 'The bytes in base64, instead of a path.', examples: ['aGVsbG8='] }),
    filename: filename.describe('Used as the end of the public link. Default: the name of the file at path.'),
    mime: mime.optional().describe('MIME type. Default: from the extension of the file name.'),
    tags,
  }),
  output: uploads.create.output
    .pick({ id: true, publicUrl: true, expiresAt: true, tags: true })
    .extend({ mime, size, sha256 }),
  example: { base64: 'aGVsbG8=', filename: 'hello.txt' },
});

export const renew = adapterTool({
  name: 'renew_upload',
  title: 'Renew an upload',
  description: `Extend the public link of an upload by ${retentionDays} days, up to ${retentionDaysMax} days from the original upload.`,
  price: uploads.renew.price,
  operation: uploads.renew.id,
  ...pays,
  input: uploads.renew.params,
  output: uploads.renew.output,
  example: uploads.renew.example.params,
});

export const remove = adapterTool({
  name: 'delete_upload',
  title: 'Delete an upload',
  description: 'Delete an upload of this account and its public link, at once and permanently.',
  price: null,
  operation: account.deleteUpload.id,
  readOnly: false,
  destructive: true,
  idempotent: true,
  openWorld: false,
  input: account.deleteUpload.params,
  output: account.deleteUpload.output,
  example: account.deleteUpload.example.params,
});

export const recent = adapterTool({
  name: 'recent_uploads',
  title: 'Recent uploads',
  description: 'List the uploads of this account that are neither deleted nor expired, newest first.',
  price: null,
  operation: account.listUploads.id,
  ...reads,
  input: z.strictObject({
    limit: z
      .number()
      .int()
      .min(1)
      .max(account.accountLimits.pageMax)
      .default(20)
      .meta({ description: 'Maximum number of uploads.', examples: [5] }),
    cursor: account.uploadsQuery.shape.cursor,
  }),
  output: account.listUploads.output,
  example: {},
});
