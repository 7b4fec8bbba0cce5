import { declareDiscoveryExtension } from '@x402/extensions/bazaar';
import { declarePaymentIdentifierExtension } from '@x402/extensions/payment-identifier';
import { z } from 'zod';
import { about } from '@/lib/catalog/about';
import type { Operation } from '@/lib/catalog/operation';
import { toAtomic } from '@/lib/payments/money';
import type { NetworkRegistry } from '@/lib/payments/network-registry';
import type { Platform } from '@/lib/platform/platform';
import { issueClaimToken } from './claim-token';
import { requirementsFor } from './requirements';

/** A PaymentRequired document, encoded but for what differs from one answer to the next. */
interface Prepared {
  readonly version: number;
  /** Everything up to the resource's address, between it and the claim token, and after the token. */
  readonly beforeUrl: string;
  readonly beforeToken: string;
  readonly end: string;
  /** Everything before the token of the answer that is given most: to a request without a payment, at a fixed path. */
  readonly usual: Head;
}

/** The beginning of a document, also encoded as far as whole groups of base64 go; `left` are the bytes beyond. */
interface Head {
  readonly json: string;
  readonly base64: string;
  readonly left: Buffer;
}

/** A PaymentRequired as the body has it, and as the header has it. */
export interface WrittenChallenge {
  readonly json: string;
  readonly base64: string;
}

const usualReason = 'Payment required';

const urlSlot = 'https://slot.invalid/url';
const tokenSlot = 'slot-of-the-claim-token';
/** Longer paths are not ours; naming the template keeps a hostile path from inflating the header. */
const pathLengthMax = 200;

/** Prepares the 402 documents of every operation once per change of the offered networks. */
export class ChallengeWriter {
  readonly #app: Platform;
  readonly #networks: NetworkRegistry;
  readonly #publicUrl: string;
  readonly #prepared = new Map<string, Prepared>();

  constructor(app: Platform, networks: NetworkRegistry, publicUrl: string) {
    this.#app = app;
    this.#networks = networks;
    this.#publicUrl = publicUrl;
  }

  /** A PaymentRequired for an operation at a path, with a claim token of its own; `reason` when a payment was refused. */
  write(operation: Operation, path: string, reason: string | null): WrittenChallenge {
    const prepared = this.#prepare(operation);
    const isUsual = reason === null && path === operation.paths.x402;
    const head = isUsual ? prepared.usual : this.#head(prepared, operation, path, reason ?? usualReason);
    const tail = `${issueClaimToken(this.#app, operation.id)}${prepared.end}`;
    return {
      json: head.json + tail,
      base64: head.base64 + Buffer.concat([head.left, Buffer.from(tail)]).toString('base64'),
    };
  }

  #head(
    prepared: Pick<Prepared, 'beforeUrl' | 'beforeToken'>,
    operation: Operation,
    path: string,
    reason: string,
  ): Head {
    const address = path.length <= pathLengthMax ? path : operation.paths.x402;
    const url = JSON.stringify(this.#publicUrl + address);
    const json = `{"x402Version":2,"error":${JSON.stringify(reason)},${prepared.beforeUrl}${url}${prepared.beforeToken}`;
    const bytes = Buffer.from(json);
    const whole = bytes.length - (bytes.length % 3);
    return { json, base64: bytes.toString('base64', 0, whole), left: bytes.subarray(whole) };
  }

  #prepare(operation: Operation): Prepared {
    // Prices that callers name are too many to be kept.
    const known = operation.variablePrice ? undefined : this.#prepared.get(operation.id);
    if (known?.version === this.#networks.version) return known;
    const { version } = this.#networks;
    const amount = toAtomic(operation.price);
    const json = JSON.stringify({
      resource: {
        url: urlSlot,
        description: operation.summary,
        mimeType: 'application/json',
        serviceName: about.name,
        tags: [operation.category],
      },
      accepts: this.#networks.offered().map((offer) => requirementsFor(offer, amount)),
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
    const parts = { version, beforeUrl, beforeToken, end };
    const usual = this.#head(parts, operation, operation.paths.x402, usualReason);
    const prepared = { ...parts, usual };
    if (!operation.variablePrice) this.#prepared.set(operation.id, prepared);
    return prepared;
  }
}

/** The bazaar extension: how to call the operation, for catalogs and agents (x402 specification, extension `bazaar`). */
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

/** `properties`, a name: the fields of the body itself. */
const descriptionDepthMax = 2;

/** The part of the declared extension that its own HTTP server would fill in per request (`method`, path parameters). */
interface BazaarShape {
  info: { input: Record<string, unknown> };
  schema: {
    properties: { input: { properties: Record<string, unknown>; required?: string[] } };
  };
  routeTemplate?: string;
}

/**
 * JSON Schema of what a caller sends: defaulted fields are not required. Examples of single fields stay in OpenAPI, because
 * the whole challenge travels in a header; so do the descriptions of fields within fields.
 */
function jsonSchema(schema: z.ZodType): Record<string, unknown> {
  const { $schema, ...rest } = z.toJSONSchema(schema, {
    io: 'input',
    override({ jsonSchema: made, path }) {
      delete made.examples;
      if (path.length > descriptionDepthMax) delete made.description;
    },
  });
  return rest;
}
