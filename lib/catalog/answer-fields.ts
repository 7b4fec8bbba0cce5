import { z } from 'zod';

/** Fields that the responses of several operations have, with what they mean. */

export const currency = z.literal('USDC').describe('The currency of the amounts.');

export const usdcAtomic = z
  .string()
  .meta({ description: 'The same amount in atomic units: millionths of a USDC.', examples: ['5000'] });

export const networkName = z.string().meta({ description: 'Name of the network.', examples: ['base'] });

export const caip2 = z
  .string()
  .meta({ description: 'The network as a CAIP-2 identifier.', examples: ['eip155:8453'] });

export const operationName = z
  .string()
  .meta({ description: 'Name of the operation.', examples: ['uploads.create'] });

/** A file that was uploaded, as lists show it. */
export const fileFields = {
  mime: z.string().meta({ description: 'MIME type of the file.', examples: ['text/plain'] }),
  size: z
    .number()
    .int()
    .meta({ description: 'Size of the file in bytes.', examples: [5] }),
  sha256: z.string().meta({
    description: 'SHA-256 of the file, 64 lowercase hex characters.',
    examples: ['2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824'],
  }),
  tags: z
    .array(z.string())
    .meta({ description: 'The labels of the request; empty if it had none.', examples: [['report']] }),
};

export const renewalCount = z.number().int().min(0).describe('Number of successful renewals.');

/** How many entries a result has, and when it was found. */
export const searchMeta = z
  .strictObject({
    resultCount: z.number().int().min(0).describe('Number of entries in this response.'),
    searchedAt: z.iso.datetime().describe('When the search was made, in UTC.'),
  })
  .describe('About the search.');
