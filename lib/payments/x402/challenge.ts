import { declareDiscoveryExtension } from '@x402/extensions/bazaar';
import { declarePaymentIdentifierExtension } from '@x402/extensions/payment-identifier';
import { z } from 'zod';
import { about } from '@/lib/catalog/about';
import type { Operation } from '@/lib/catalog/operation';
import type { PaymentDesk } from '@/lib/payments/desk';
import { toAtomic } from '@/lib/payments/money';
import { issueClaimToken } from './claim-token';
import { requirementsFor } from './requirements';

/** A PaymentRequired document, encoded but for what differs from one answer to the next. */
interface Prepared {
  readonly version: number;
  /** Everything up to the resource's address, between it and the claim token, and after the token. */
  readonly beforeUrl: string;
  readonly beforeToken: string;
  readonly end: string;
}

const urlSlot = 'https://slot.invalid/url';
const tokenSlot = 'slot-of-the-claim-token';
/** Longer paths are not ours; naming the template keeps a hostile path from inflating the header. */
const pathLengthMax = 200;

/** Prepares the 402 documents of every operation once per change of the offered networks. */
export class ChallengeWriter {
  readonly #desk: PaymentDesk;
  readonly #publicUrl: string;
  readonly #prepared = new Map<string, Prepared>();

  constructor(desk: PaymentDesk, publicUrl: string) {
    this.#desk = desk;
    this.#publicUrl = publicUrl;
  }

  /** The JSON of a PaymentRequired for an operation at a path, with a claim token of its own. */
  write(operation: Operation, path: string, reason: string): string {
    const prepared = this.#prepare(operation);
    const address = path.length <= pathLengthMax ? path : operation.paths.x402;
    const token = issueClaimToken(operation.id);
    const url = JSON.stringify(this.#publicUrl + address);
    return `{"x402Version":2,"error":${JSON.stringify(reason)},${prepared.beforeUrl}${url}${prepared.beforeToken}${token}${prepared.end}`;
  }

  #prepare(operation: Operation): Prepared {
    const known = this.#prepared.get(operation.id);
    if (known?.version === this.#desk.version) return known;
    const { version } = this.#desk;
    const amount = toAtomic(operation.price);
    const json = JSON.stringify({
      resource: {
        url: urlSlot,
        description: operation.summary,
        mimeType: 'application/json',
        serviceName: about.name,
        tags: [operation.category],
      },
      accepts: this.#desk.offered().map((offer) => requirementsFor(offer, amount)),
      extensions: {
        ...discoveryExtension(operation),
        'payment-identifier': declarePaymentIdentifierExtension(false),
        claim: {
          info: { token: tokenSlot },
          schema: {
            $schema: 'https://json-schema.org/draft/2020-12/schema',
            type: 'object',
            properties: { token: { type: 'string' } },
            required: ['token'],
          },
        },
      },
    });
    const [beforeUrl = '', afterUrl = ''] = json.slice(1).split(JSON.stringify(urlSlot));
    const [beforeToken = '', end = ''] = afterUrl.split(tokenSlot);
    const prepared = { version, beforeUrl, beforeToken, end };
    this.#prepared.set(operation.id, prepared);
    return prepared;
  }
}

/** The bazaar extension: how to call the operation, for catalogs and agents (reference: x402 section 10). */
function discoveryExtension(operation: Operation): Record<string, unknown> {
  const output = { example: operation.example.output };
  const declared = operation.takesBody
    ? declareDiscoveryExtension({
        input: operation.example.body,
        inputSchema: jsonSchema(operation.body),
        bodyType: 'json',
        output,
      })
    : declareDiscoveryExtension({ output });
  const bazaar = structuredClone(declared.bazaar) as unknown as BazaarShape;
  bazaar.info.input.method = operation.method;
  bazaar.schema.properties.input.properties.method = { type: 'string', enum: [operation.method] };
  const required = new Set([...(bazaar.schema.properties.input.required ?? []), 'method']);
  bazaar.schema.properties.input.required = [...required];
  const template = operation.paths.x402.replaceAll(/\{(\w+)\}/g, ':$1');
  if (template !== operation.paths.x402) {
    bazaar.routeTemplate = template;
    bazaar.info.input.pathParams = operation.example.params;
    bazaar.schema.properties.input.properties.pathParams = jsonSchema(operation.params);
  }
  return { bazaar };
}

/** The part of the declared extension that its own HTTP server would fill in per request (`method`, path parameters). */
interface BazaarShape {
  info: { input: Record<string, unknown> };
  schema: {
    properties: { input: { properties: Record<string, unknown>; required?: string[] } };
  };
  routeTemplate?: string;
}

/** JSON Schema of what a caller sends: defaulted fields are not required. */
function jsonSchema(schema: z.ZodType): Record<string, unknown> {
  const { $schema, ...rest } = z.toJSONSchema(schema, { io: 'input' });
  return rest;
}
