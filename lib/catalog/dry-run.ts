import { z } from 'zod';
import { errorBody } from './error-body';
import { freeTool } from './free-operation';
import { noParams } from './operation';
import * as uploads from './uploads';

export const checkRequest = z.strictObject({
  operation: z.string().min(1).max(64).describe('What would be bought: an operation of the price list.'),
  body: z.unknown().optional().describe('The body that the call would have; left out where it takes none.'),
  params: z
    .record(z.string().max(64), z.string().max(1024))
    .default({})
    .describe('The segments of its path by name, where it has any.'),
  payer: z
    .string()
    .min(1)
    .max(64)
    .optional()
    .describe('The wallet that would pay. Where only the owner of something may buy, it is needed to tell.'),
});

const verdict = z.strictObject({
  operation: z.string(),
  accepted: z.boolean().describe('Whether the call would be taken now. It is checked again when it is made.'),
  error: errorBody.shape.error.optional().describe('What the call would be refused with.'),
  price: z
    .string()
    .describe(
      'USDC, decimal. Where the body names it: that one, or the least when it names none that is taken.',
    ),
  paths: z.record(z.string(), z.string()).describe('Where it is bought, by how it is paid.'),
  networks: z
    .array(
      z.strictObject({
        network: z.string(),
        caip2: z.string(),
        asset: z.string(),
        amountUsdcAtomic: z.string(),
        rails: z.array(z.string()).describe('How it can be paid there.'),
      }),
    )
    .describe('What it costs on each network on which it can be paid now.'),
});

export const check = freeTool({
  id: 'tools.check',
  category: 'service',
  method: 'POST',
  path: '/v1/tools/check',
  summary:
    'Dry run of a paid call: would its input be taken, what would it cost on each network, what is wrong with it. Nothing is charged, kept or repeated back.',
  params: noParams,
  body: checkRequest,
  takesBody: true,
  output: verdict,
  errors: ['invalid_input', 'body_too_large', 'service_unavailable'],
  example: {
    params: {},
    body: { operation: uploads.create.id, body: uploads.create.example.body },
    output: {
      operation: uploads.create.id,
      accepted: true,
      price: uploads.create.price,
      paths: uploads.create.paths,
      networks: [
        {
          network: 'base',
          caip2: 'eip155:8453',
          asset: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
          amountUsdcAtomic: '5000',
          rails: ['x402', 'mpp'],
        },
      ],
    },
  },
});
