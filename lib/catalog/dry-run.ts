import { z } from 'zod';
import { errorBody } from '@/lib/catalog/errors/schema';
import { caip2, networkName, operationName, usdcAtomic } from './answer-fields';
import { freeTool } from './free-operation';
import { noParams } from './operation';
import { testnetSchema } from './test-service';
import * as uploads from './uploads';

const checkRequest = z.strictObject({
  operation: z
    .string()
    .min(1)
    .max(300)
    .meta({
      description:
        'The call to check, by its name in the price list, in OpenAPI, in a typed client or as a tool, or its method and path.',
      examples: [uploads.create.id, 'POST /v1/uploads'],
    }),
  body: z
    .unknown()
    .optional()
    .meta({
      description: 'The body you would send. Omit it if the call takes none.',
      examples: [uploads.create.example.body],
    }),
  params: z
    .record(z.string().max(64), z.string().max(1024))
    .default({})
    .meta({
      description: 'The path parameters by name, if the call has any.',
      examples: [{ id: 'up_3nKq0Zt7mVb2XsYd81PfLcRw' }],
    }),
  payer: z
    .string()
    .min(1)
    .max(64)
    .optional()
    .meta({
      description: 'The wallet that would pay, for calls that only an owner can make.',
      examples: ['0x70997970C51812dc3A010C7d01b50e0d17dc79C8'],
    }),
});

const verdict = z.strictObject({
  operation: operationName,
  testnet: testnetSchema,
  accepted: z.boolean().describe('Whether the call would be accepted now. The call itself is checked again.'),
  error: errorBody.shape.error.optional().describe('The error that the call would get.'),
  warnings: z
    .array(z.string())
    .optional()
    .meta({
      description: 'Problems of an accepted input.',
      examples: [
        ['No font of the service has U+11A50. They print as boxes unless a font in the document has them.'],
      ],
    }),
  next: z
    .string()
    .optional()
    .meta({
      description: 'Shell command for after the call; uploads only.',
      examples: [`curl -X PUT --data-binary @'notes.txt' -H 'content-type: text/plain' "$UPLOAD_URL"`],
    }),
  price: z
    .string()
    .describe(
      'USDC, decimal. If the body sets the price: that amount, or the minimum if the amount is not valid.',
    ),
  paths: z.record(z.string(), z.string()).describe('The paths of the call, by payment rail.'),
  networks: z
    .array(
      z.strictObject({
        network: networkName,
        caip2,
        asset: z.string().meta({
          description: 'Address of USDC on this network.',
          examples: ['0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'],
        }),
        amountUsdcAtomic: usdcAtomic.describe('The price in millionths of a USDC.'),
        rails: z.array(z.string()).describe('The rails that can pay on this network.'),
      }),
    )
    .describe('The price on each network that is available now.'),
});

export const check = freeTool({
  id: 'tools.check',
  category: 'service',
  method: 'POST',
  path: '/v1/tools/check',
  title: 'Check a request',
  summary:
    'Check a paid call without paying: whether its input is accepted, and its price on each network. Nothing is charged or stored.',
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
