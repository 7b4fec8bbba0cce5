import { z } from 'zod';
import { errorBody } from '@/lib/errors/schema';
import { freeTool } from './free-operation';
import { noParams } from './operation';
import * as uploads from './uploads';

const checkRequest = z.strictObject({
  operation: z
    .string()
    .min(1)
    .max(64)
    .meta({
      description:
        'What would be bought: an operation of the price list, or the operationId of one of its paths in OpenAPI.',
      examples: [uploads.create.id, `${uploads.create.id}.x402`],
    }),
  body: z
    .unknown()
    .optional()
    .meta({
      description: 'The body that the call would have; left out where it takes none.',
      examples: [uploads.create.example.body],
    }),
  params: z
    .record(z.string().max(64), z.string().max(1024))
    .default({})
    .meta({
      description: 'The segments of its path by name, where it has any.',
      examples: [{ id: 'up_3vKx8QnTb2LmZ7RdYc5WsHfJ' }],
    }),
  payer: z
    .string()
    .min(1)
    .max(64)
    .optional()
    .meta({
      description:
        'The wallet that would pay. Needed where only the owner of something may buy, such as a renewal.',
      examples: ['0x70997970C51812dc3A010C7d01b50e0d17dc79C8'],
    }),
});

const verdict = z.strictObject({
  operation: z.string(),
  accepted: z.boolean().describe('Whether the call would be taken now. It is checked again when it is made.'),
  error: errorBody.shape.error.optional().describe('What the call would be refused with.'),
  warnings: z
    .array(z.string())
    .optional()
    .describe('What is not as the caller may expect, in an input that is accepted all the same.'),
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
