import { errors } from '@/lib/catalog/errors/codes';
import { messageOf, paymentReasons } from '@/lib/catalog/errors/payment-reasons';
import { errorBody } from '@/lib/catalog/errors/schema';
import { operationIdOn } from '@/lib/catalog/operation';
import { paidErrors } from '@/lib/catalog/paid-errors';
import { jsonSchema } from '@/lib/discovery/openapi/json-schema';
import { paymentProblem, paymentRequired } from '@/lib/discovery/openapi/payment-answers';
import { paymentInfo } from '@/lib/discovery/openapi/payment-info';
import type { ApiResponse } from '@/lib/http/api-message';
import type { NetworkRegistry } from '@/lib/payments/network-registry';
import { didDocument, jsonWebKeySet } from '@/lib/payments/receipts/did';
import type { ReceiptIssuer } from '@/lib/payments/receipts/receipt-issuer';
import type { Seller } from '@/lib/payments/seller';
import type { Sold } from './sold';

/** What documents are made from. */
export interface DocumentParts {
  readonly sold: readonly Sold[];
  readonly networks: NetworkRegistry;
  readonly seller: Pick<Seller, 'name' | 'publicUrl'>;
  readonly issuer: Pick<ReceiptIssuer, 'publishedKeys'>;
}

/** The documents by path. All of them are made from what is sold. */
const documents: Readonly<
  Record<string, { readonly type: string; write(parts: DocumentParts): Promise<string> | string }>
> = {
  '/openapi.json': { type: 'application/json', write: (parts) => JSON.stringify(openApi(parts)) },
  '/.well-known/x402': {
    type: 'application/json',
    write: (parts) => JSON.stringify({ version: 1, resources: resources(parts) }),
  },
  '/.well-known/did.json': {
    type: 'application/did+json',
    write: async ({ seller, issuer }) =>
      JSON.stringify(didDocument(seller.publicUrl, await issuer.publishedKeys())),
  },
  '/.well-known/jwks.json': {
    type: 'application/jwk-set+json',
    write: async ({ seller, issuer }) =>
      JSON.stringify(jsonWebKeySet(seller.publicUrl, await issuer.publishedKeys())),
  },
  '/docs/errors': { type: 'text/markdown; charset=utf-8', write: errorPage },
};

/** Writes the document at a path; null where there is none. */
export function findDocument(path: string): ((parts: DocumentParts) => Promise<ApiResponse>) | null {
  const document = Object.hasOwn(documents, path) ? documents[path] : undefined;
  if (!document) return null;
  const headers = { 'Content-Type': document.type, 'Cache-Control': 'public, max-age=60' };
  return async (parts) => ({ status: 200, headers, body: await document.write(parts) });
}

/** The URLs that are paid over x402, except those whose path has a parameter. */
function resources({ sold, seller }: DocumentParts): string[] {
  const paths = sold.map(({ operation }) => operation.paths.x402);
  return paths.filter((path) => !path.includes('{')).map((path) => seller.publicUrl + path);
}

function openApi({ sold, networks, seller }: DocumentParts) {
  const site = { offers: networks.offered() };
  const paths: Record<string, Record<string, object>> = {};
  for (const { operation } of sold) {
    for (const rail of ['x402', 'mpp'] as const) {
      const path = operation.paths[rail];
      if (path === undefined) continue;
      paths[path] = {
        [operation.method.toLowerCase()]: {
          operationId: operationIdOn(operation, rail),
          summary: operation.title,
          description: operation.summary,
          security: [],
          'x-payment-info': paymentInfo(operation, rail, site, 'full'),
          parameters: Object.entries(operation.params.shape).map(([name, schema]) => ({
            name,
            in: 'path',
            required: true,
            schema: jsonSchema(schema, 'input'),
          })),
          ...(operation.takesBody
            ? {
                requestBody: {
                  required: true,
                  content: json(operation.body, 'input', operation.example.body),
                },
              }
            : {}),
          responses: {
            200: {
              description: 'The call succeeded and was charged.',
              content: json(operation.output, 'output', operation.example.output),
            },
            400: {
              description: 'The input is not accepted. Nothing was charged.',
              content: json(errorBody, 'output'),
            },
            402: {
              description: 'Payment is required or was refused. Nothing was charged.',
              content:
                rail === 'x402'
                  ? json(paymentRequired.partial({ refunds: true }), 'output')
                  : {
                      'application/problem+json': {
                        schema: jsonSchema(paymentProblem.partial({ refunds: true }), 'output'),
                      },
                    },
            },
            default: {
              description: 'The call failed. The body says what happened to the money.',
              content: json(errorBody, 'output'),
            },
          },
        },
      };
    }
  }
  return {
    openapi: '3.1.0',
    info: { title: seller.name, version: '1' },
    servers: [{ url: seller.publicUrl }],
    paths,
  };
}

function json(schema: Parameters<typeof jsonSchema>[0], io: 'input' | 'output', example?: unknown) {
  return {
    'application/json': { schema: jsonSchema(schema, io), ...(example === undefined ? {} : { example }) },
  };
}

/** The page that errors link to. */
function errorPage({ sold, seller }: DocumentParts): string {
  const codes = new Set([
    ...paidErrors.x402,
    ...paidErrors.mpp,
    'payment_required',
    'upstream_failed',
  ] as const);
  const own = sold.flatMap(({ operation, failures }) => [
    ...Object.entries(operation.refusals ?? {}).map(([reason, text]) => `| \`${reason}\` | none | ${text} |`),
    ...Object.entries(failures).map(([reason, text]) => `| \`${reason}\` | kept | ${text} |`),
  ]);
  return [
    `# Errors of ${seller.name}`,
    'Every error body says what happened to the money (`payment`) and what to do next (`retry`).',
    '| Code | Status | Payment | Retry | Meaning |\n|---|---|---|---|---|',
    ...[...codes].map((code) => {
      const { status, payment, retry, message } = errors[code];
      return `| \`${code}\` | ${status} | ${payment} | ${retry} | ${message} |`;
    }),
    ...(own.length > 0 ? ['\n| Reason | Payment | Meaning |\n|---|---|---|', ...own] : []),
    '\n| Payment refused because | Meaning |\n|---|---|',
    ...Object.entries(paymentReasons).map(([code, reason]) => `| \`${code}\` | ${messageOf(reason)} |`),
    '',
  ].join('\n');
}
