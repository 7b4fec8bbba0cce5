import { z } from 'zod';
import { fileFields, renewalCount } from './answer-fields';
import { freeOperation } from './free-operation';
import { noBody, noParams, operation } from './operation';

export const uploadLimits = {
  sizeBytesMax: 10_485_760,
  retentionDays: 7,
  retentionDaysMax: 30,
  uploadUrlMinutes: 60,
  tagsMax: 20,
  tagLengthMax: 64,
  filenameLengthMax: 180,
  mimeLengthMax: 120,
} as const;

const uploadId = z
  .string()
  .min(1)
  .max(64)
  .regex(/^[A-Za-z0-9_-]+$/, { error: 'must be an upload ID such as up_3nKq0Zt7mVb2XsYd81PfLcRw' })
  .meta({ description: 'The upload ID.', examples: ['up_3nKq0Zt7mVb2XsYd81PfLcRw'] });
const timestamp = z.iso.datetime();

/** The body of an upload request. */
const uploadRequest = z.strictObject({
  mime: z
    .string()
    .min(1)
    .max(uploadLimits.mimeLengthMax)
    .regex(
      // RFC 9110 section 8.3.1: tokens, and values that are tokens or quoted.
      /^[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+( *; *[\w!#$%&'*+.^`|~-]+=("([ !#-[\]-~]|\\[ -~])*"|[\w!#$%&'*+.^`|~-]+))* *(; *)?$/,
      { error: 'must be a MIME type such as text/plain' },
    )
    .meta({ description: 'MIME type of the file.', examples: ['text/plain', 'image/png'] }),
  size: z
    .number()
    .int()
    .min(1)
    .max(uploadLimits.sizeBytesMax)
    .meta({
      description: 'Size of the file in bytes.',
      examples: [5],
    }),
  sha256: z
    .string()
    .regex(/^[0-9a-f]{64}$/, { error: 'must be 64 lowercase hex characters' })
    .meta({
      description: 'SHA-256 of the exact file bytes, 64 lowercase hex characters.',
      examples: ['2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824'],
    }),
  sha256Base64: z
    .string()
    .regex(/^[A-Za-z0-9+/]{43}=$/, { error: 'must be the base64 of 32 bytes: 43 characters and =' })
    .meta({
      description: 'The same digest in base64, sent as the checksum header of the PUT.',
      examples: ['LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ='],
    }),
  filename: z
    .string()
    .min(1)
    .max(uploadLimits.filenameLengthMax)
    .optional()
    .meta({ description: 'Used as the end of the public link.', examples: ['notes.txt'] }),
  tier: z.literal('short-10mb').default('short-10mb').describe('Always `short-10mb`; leave it out.'),
  tags: z
    .array(z.string().min(1).max(uploadLimits.tagLengthMax))
    .max(uploadLimits.tagsMax)
    .default([])
    .meta({ description: 'Your own labels, returned with the slot.', examples: [['report', '2026-q4']] }),
});

/** What a paid upload request returns. */
const uploadSlot = z.strictObject({
  id: z.string().describe('The upload ID, for renewal and deletion.'),
  uploadUrl: z.url().describe('Where to PUT the bytes.'),
  uploadMethod: z.literal('PUT').describe('The HTTP method for uploadUrl.'),
  uploadHeaders: z.record(z.string(), z.string()).describe('Headers to send with the PUT.'),
  publicUrl: z.url().describe('The public link; it works once the bytes are uploaded.'),
  expiresAt: timestamp.describe('When the public link expires and the file is deleted.'),
  uploadUrlExpiresAt: timestamp.describe('When uploadUrl expires.'),
  maxSize: z.number().int().describe('Maximum size in bytes of this slot.'),
  tags: fileFields.tags,
});

/** What a renewal returns. */
const renewal = z.strictObject({
  id: z.string().describe('The upload ID.'),
  expiresAt: timestamp.describe('The new expiry.'),
  renewalCount,
  txHash: z.string().nullable().describe('The settlement transaction, when available.'),
});

/** What a deletion returns. */
const deletion = z.strictObject({
  id: z.string().describe('The upload ID.'),
  status: z.literal('deleted').describe('The state of the upload.'),
  deleted: z.literal(true).describe('Whether the file and its link are gone.'),
  deletedAt: timestamp.describe('When it was deleted, in UTC.'),
  expiresAt: timestamp.describe('When the link would have expired.'),
});

const exampleDigest = {
  sha256: '2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824',
  sha256Base64: 'LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ=',
};

export const create = operation({
  id: 'uploads.create',
  category: 'files',
  priceName: 'upload',
  method: 'POST',
  paths: { x402: '/v1/uploads', mpp: '/v1/mpp/uploads', account: '/v1/account/uploads' },
  price: '0.005',
  title: 'Create an upload',
  summary: `Reserve a slot for one file of up to 10 MiB and get a public, unguessable link that lasts ${uploadLimits.retentionDays} days.`,
  toolDescription: `Reserve a slot for one file of up to 10 MiB and get a public, unguessable link that lasts ${uploadLimits.retentionDays} days. Then send the bytes with an HTTP PUT to uploadUrl, with uploadHeaders, within ${uploadLimits.uploadUrlMinutes} minutes; publicUrl works after that.`,
  params: noParams,
  body: uploadRequest,
  takesBody: true,
  sizeField: 'size',
  output: uploadSlot,
  givesLink: true,
  minimalBody: { mime: 'text/plain', size: 5, ...exampleDigest },
  errors: ['invalid_input', 'file_too_large', 'body_too_large'],
  example: {
    params: {},
    body: { mime: 'text/plain', size: 5, ...exampleDigest, filename: 'hello.txt' },
    output: {
      id: 'up_3nKq0Zt7mVb2XsYd81PfLcRw',
      uploadUrl:
        'https://files.example.net/uploads/up_3nKq0Zt7mVb2XsYd81PfLcRw?expires=1796083200&signature=Vx7dQmR2kT0bWn5LsYc8Zg',
      uploadMethod: 'PUT',
      uploadHeaders: {
        'content-type': 'text/plain',
        'content-length': '5',
        'x-amz-checksum-sha256': exampleDigest.sha256Base64,
        'x-amz-meta-sha256': exampleDigest.sha256,
      },
      publicUrl: 'https://files.example.net/5hT0vJx2QnB8sWm4KzRd7Lpa/hello.txt',
      expiresAt: '2026-12-08T00:00:00.000Z',
      uploadUrlExpiresAt: '2026-12-01T01:00:00.000Z',
      maxSize: uploadLimits.sizeBytesMax,
      tags: [],
    },
  },
});

/** Whether a file can be downloaded, and otherwise why not. */
export const uploadStates = ['reserved', 'available', 'lapsed', 'expired', 'deleted', 'taken_down'] as const;

export const status = freeOperation({
  id: 'uploads.status',
  category: 'files',
  method: 'GET',
  path: '/v1/uploads/{id}',
  isHttpOnly: true,
  title: 'Get upload status',
  summary: 'Get the state, expiry and downloads of an upload.',
  params: z.strictObject({ id: uploadId }),
  output: z.strictObject({
    id: z.string().describe('The upload ID.'),
    status: z
      .enum(uploadStates)
      .describe('`reserved` until the bytes arrive; `lapsed` if they did not arrive in time.'),
    uploadUrlExpiresAt: timestamp.describe('When uploadUrl expires.'),
    expiresAt: timestamp.describe('When the public link expires.'),
    downloads: z
      .number()
      .int()
      .min(0)
      .describe('How often the file was downloaded. A download may take half a minute to be counted.'),
  }),
  errors: ['invalid_input', 'upload_not_found'],
  example: {
    params: { id: 'up_3nKq0Zt7mVb2XsYd81PfLcRw' },
    output: {
      id: 'up_3nKq0Zt7mVb2XsYd81PfLcRw',
      status: 'available',
      uploadUrlExpiresAt: '2026-12-01T01:00:00.000Z',
      expiresAt: '2026-12-08T00:00:00.000Z',
      downloads: 3,
    },
  },
});

export const renew = operation({
  id: 'uploads.renew',
  category: 'files',
  priceName: 'renewal',
  method: 'POST',
  paths: {
    x402: '/v1/uploads/{id}/renew',
    mpp: '/v1/mpp/uploads/{id}/renew',
    account: '/v1/account/uploads/{id}/renew',
  },
  addsUp: true,
  price: '0.005',
  title: 'Renew an upload',
  summary: `Extend the public link of an upload by ${uploadLimits.retentionDays} days, up to ${uploadLimits.retentionDaysMax} days from the original upload. Only the wallet that paid for the upload can renew it.`,
  params: z.strictObject({ id: uploadId }),
  body: noBody,
  takesBody: false,
  output: renewal,
  codes: { invalidParams: 'upload_not_found' },
  failsUncharged: true,
  errors: [
    'invalid_input',
    'not_owner',
    'upload_not_found',
    'upload_taken_down',
    'upload_not_ready',
    'renewal_limit',
    'not_renewable',
    'upload_busy',
  ],
  example: {
    params: { id: 'up_3nKq0Zt7mVb2XsYd81PfLcRw' },
    body: {},
    output: {
      id: 'up_3nKq0Zt7mVb2XsYd81PfLcRw',
      expiresAt: '2026-12-15T00:00:00.000Z',
      renewalCount: 1,
      txHash: '0x8f2ab8ae4ffb0a1a3e2f0ef41fa27a8de7c1bd9a3a1a54b5f1d2c70cf5b7b1d2',
    },
  },
});

export const remove = operation({
  id: 'uploads.delete',
  category: 'files',
  priceName: 'deletion',
  method: 'DELETE',
  paths: { x402: '/v1/uploads/{id}', mpp: '/v1/mpp/uploads/{id}' },
  price: '0.001',
  title: 'Delete an upload',
  summary:
    'Delete an upload and its public link at once. Only the wallet that paid for the upload can delete it.',
  params: z.strictObject({ id: uploadId }),
  body: noBody,
  takesBody: false,
  output: deletion,
  codes: { invalidParams: 'upload_not_found' },
  failsUncharged: true,
  errors: ['invalid_input', 'not_owner', 'upload_not_found', 'upload_taken_down', 'upload_busy'],
  example: {
    params: { id: 'up_3nKq0Zt7mVb2XsYd81PfLcRw' },
    body: {},
    output: {
      id: 'up_3nKq0Zt7mVb2XsYd81PfLcRw',
      status: 'deleted',
      deleted: true,
      deletedAt: '2026-12-02T09:30:00.000Z',
      expiresAt: '2026-12-08T00:00:00.000Z',
    },
  },
});

export const paid = [create, renew, remove];

export const free = [status];
