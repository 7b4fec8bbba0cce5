import { z } from 'zod';
import { nextSteps, paymentOutcomes } from '@/lib/catalog/errors/codes/description';
import { caip2, currency, networkName, operationName, usdcAtomic } from './answer-fields';
import { check } from './dry-run';
import { freeOperation } from './free-operation';
import { noParams } from './operation';
import { testnetSchema } from './test-service';
import * as uploads from './uploads';

export const prices = freeOperation({
  id: 'tools.prices',
  category: 'service',
  method: 'GET',
  path: '/v1/tools/prices',
  title: 'List prices',
  summary: 'List the current prices of all paid calls, and the networks that are available now.',
  params: noParams,
  output: z.strictObject({
    currency,
    testnet: testnetSchema,
    atomicPerUnit: z.string().describe('Atomic units in one USDC.'),
    networks: z
      .array(z.strictObject({ network: networkName, caip2 }))
      .describe('The networks that can pay now.'),
    prices: z
      .record(
        z.string(),
        z.strictObject({
          operation: operationName,
          method: z.string().describe('The HTTP method.'),
          paths: z
            .strictObject({
              x402: z.string().describe('Paid over x402.'),
              mpp: z.string().optional().describe('Paid over MPP; left out if that is not possible.'),
              account: z
                .string()
                .optional()
                .describe('Paid from a prepaid account; left out if that is not possible.'),
            })
            .describe('The paths of the call, by payment rail.'),
          maximum: z
            .string()
            .optional()
            .meta({
              description:
                'USDC, decimal. If the caller chooses the amount: the maximum; `price` is the minimum.',
              examples: ['500'],
            }),
          price: z.string().describe('USDC, decimal.'),
          amountUsdcAtomic: usdcAtomic,
          description: z.string().describe('What the call does.'),
        }),
      )
      .describe('The paid calls, by the name of their price.'),
  }),
  errors: [],
  example: {
    params: {},
    output: {
      currency: 'USDC',
      atomicPerUnit: '1000000',
      networks: [{ network: 'base', caip2: 'eip155:8453' }],
      prices: {
        [uploads.create.priceName]: {
          operation: uploads.create.id,
          method: uploads.create.method,
          paths: uploads.create.paths,
          price: uploads.create.price,
          amountUsdcAtomic: '5000',
          description: uploads.create.summary,
        },
      },
    },
  },
});

const exampleTransaction = '0x8f2ab8ae4ffb0a1a3e2f0ef41fa27a8de7c1bd9a3a1a54b5f1d2c70cf5b7b1d2';

export const paidCall = freeOperation({
  id: 'paid-calls.get',
  category: 'service',
  method: 'GET',
  path: '/v1/paid-calls/{id}',
  title: 'Get paid call status',
  summary:
    'Get the status of a paid call: its state, its transaction and what to do next. Never its content.',
  params: z.strictObject({
    id: z.string().meta({
      description: 'The Paid-Call-Id of a response. Anyone who has it can see the status.',
      examples: ['pc_4fQm9WzR2sKx7LdTn0VbYcHj'],
    }),
  }),
  output: z.strictObject({
    id: z.string().describe('The Paid-Call-Id.'),
    operation: operationName,
    state: z
      .enum([
        ...(['claimed', 'settling', 'unknown', 'settled', 'delivered', 'kept'] as const),
        ...(['needs_attention', 'refused', 'refunded'] as const),
      ])
      .describe('How far the call is; `payment` and `retry` say what that means for the payer.'),
    price: z.string().describe('USDC, decimal.'),
    currency,
    testnet: testnetSchema,
    network: networkName.describe('The network of the payment, or `account` for a prepaid account.'),
    transaction: z.string().nullable().describe('The settlement transaction, once known.'),
    reason: z
      .string()
      .nullable()
      .describe('Why the payment was refused, or why a paid call was not delivered. A code.'),
    payment: z.enum(paymentOutcomes).describe('What happened to the money.'),
    retry: z.enum(nextSteps).describe('What to do next.'),
    refund: z
      .strictObject({
        state: z
          .enum(['sent', 'confirmed'])
          .describe('`sent` until its transaction is final. The call is `refunded` once it is `confirmed`.'),
        amount: z.string().meta({ description: 'USDC, decimal: the whole price.', examples: ['0.005'] }),
        currency,
        network: networkName.describe(
          'Where it was paid: the network of the payment, or `account` for a prepaid account.',
        ),
        transaction: z
          .string()
          .nullable()
          .meta({
            description: 'The transaction that pays the wallet back; null for a prepaid account.',
            examples: [exampleTransaction],
          }),
        accountId: z
          .string()
          .nullable()
          .meta({ description: 'The prepaid account that was credited, if any.', examples: [null] }),
        at: z.iso
          .datetime()
          .meta({ description: 'When it was sent or confirmed.', examples: ['2026-12-02T00:00:00.000Z'] }),
      })
      .nullable()
      .describe('The refund of the call; null when there is none.'),
    createdAt: z.iso.datetime().describe('When the call was first made, in UTC.'),
    movedAt: z.iso.datetime().describe('When the state was reached.'),
  }),
  errors: ['paid_call_not_found'],
  example: {
    params: { id: 'pc_4fQm9WzR2sKx7LdTn0VbYcHj' },
    output: {
      id: 'pc_4fQm9WzR2sKx7LdTn0VbYcHj',
      operation: uploads.create.id,
      state: 'delivered',
      price: uploads.create.price,
      currency: 'USDC',
      network: 'base',
      transaction: exampleTransaction,
      reason: null,
      payment: 'kept',
      retry: 'same_request',
      refund: null,
      createdAt: '2026-12-01T00:00:00.000Z',
      movedAt: '2026-12-01T00:00:01.000Z',
    },
  },
});

export const receipt = freeOperation({
  id: 'paid-calls.receipt',
  category: 'service',
  method: 'GET',
  path: '/v1/paid-calls/{id}/receipt',
  title: 'Get a signed receipt',
  summary: 'Get the signed receipt of a paid call, with the hashes of request and answer.',
  params: z.strictObject({
    id: z.string().meta({
      description: 'The Paid-Call-Id of a response.',
      examples: ['pc_4fQm9WzR2sKx7LdTn0VbYcHj'],
    }),
  }),
  output: z.strictObject({
    paidCallId: z.string().describe('The Paid-Call-Id.'),
    receipt: z.string().describe('A JSON Web Signature in compact form.'),
    keys: z.url().describe('The keys that verify it.'),
  }),
  errors: ['paid_call_not_found', 'receipt_not_found'],
  example: {
    params: { id: 'pc_4fQm9WzR2sKx7LdTn0VbYcHj' },
    output: {
      paidCallId: 'pc_4fQm9WzR2sKx7LdTn0VbYcHj',
      receipt: 'eyJhbGciOiJFZERTQSJ9.eyJ2ZXJzaW9uIjoxfQ.c2lnbmF0dXJl',
      keys: 'https://api.example.com/.well-known/did.json',
    },
  },
});

export const health = freeOperation({
  id: 'health',
  category: 'service',
  method: 'GET',
  path: '/health',
  isUnlimited: true,
  title: 'Check service health',
  summary: 'Report whether the service is alive.',
  params: noParams,
  output: z.strictObject({ status: z.literal('ok').describe('Sent by a server that is alive.') }),
  errors: [],
  example: { params: {}, output: { status: 'ok' } },
});

export const free = [prices, check, paidCall, receipt, health];
