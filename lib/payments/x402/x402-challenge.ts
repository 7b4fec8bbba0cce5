import { createHmac } from 'node:crypto';
import { declareDiscoveryExtension } from '@x402/extensions/bazaar';
import { declarePaymentIdentifierExtension } from '@x402/extensions/payment-identifier';
import { z } from 'zod';
import { about } from '@/lib/catalog/about';
import { reasonOf } from '@/lib/catalog/errors/payment-reasons';
import { namedPath, type Operation } from '@/lib/catalog/operation';
import { toAtomic } from '@/lib/payments/money';
import type { NetworkRegistry } from '@/lib/payments/network-registry';
import type { X402Scheme } from '@/lib/payments/payment-feature';
import { takeRandomBytes } from '@/lib/platform/ids';
import type { Platform } from '@/lib/platform/platform';
import { isSameSecret } from '@/lib/platform/same-secret';
import { type OfferedRequirements, requirementsFor } from './x402-requirements';

/** A PaymentRequired document, encoded except for the parts that vary. */
interface Prepared {
  readonly version: number;
  /** The parts before the resource's URL, between it and the claim token, and after the token. */
  readonly beforeUrl: string;
  readonly beforeToken: string;
  readonly end: string;
  /** Everything before the token in the most frequent response: to a request without a payment, at a fixed path. */
  readonly usual: Head;
}

/** The beginning of a document, base64 encoded in whole groups. `left` are the remaining bytes. */
interface Head {
  readonly json: string;
  readonly base64: string;
  readonly left: Buffer;
}

/** A PaymentRequired for the body, and encoded for the header. */
export interface WrittenChallenge {
  readonly json: string;
  readonly base64: string;
}

const usualReason = 'Payment required';

const urlSlot = 'https://slot.invalid/url';
const tokenSlot = 'slot-of-the-claim-token';
/** Prepares every operation's 402, once per change of the offered networks. */
export class ChallengeWriter {
  readonly #app: Pick<Platform, 'keys'>;
  readonly #networks: NetworkRegistry;
  readonly #publicUrl: string;
  readonly #schemes: readonly Pick<X402Scheme, 'offer'>[];
  readonly #prepared = new Map<string, Prepared>();

  constructor(
    app: Pick<Platform, 'keys'>,
    networks: NetworkRegistry,
    publicUrl: string,
    schemes: readonly Pick<X402Scheme, 'offer'>[],
  ) {
    this.#app = app;
    this.#schemes = schemes;
    this.#networks = networks;
    this.#publicUrl = publicUrl;
  }

  /** Writes a PaymentRequired with a new claim token; `reason` when a payment was rejected. */
  write(operation: Operation, path: string, reason: string | null): WrittenChallenge {
    const prepared = this.#prepare(operation);
    const isUsual = reason === null && path === operation.paths.x402;
    const head = isUsual ? prepared.usual : this.#head(prepared, operation, path, reason);
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
    reason: string | null,
  ): Head {
    const url = JSON.stringify(this.#publicUrl + namedPath(path, operation.paths.x402));
    const retry = reason === null ? 'pay' : reasonOf(reason).retry;
    const facts = `"payment":"none","retry":"${retry}"`;
    const json = `{"x402Version":2,"error":${JSON.stringify(reason ?? usualReason)},${facts},${prepared.beforeUrl}${url}${prepared.beforeToken}`;
    const bytes = Buffer.from(json);
    const whole = bytes.length - (bytes.length % 3);
    return { json, base64: bytes.toString('base64', 0, whole), left: bytes.subarray(whole) };
  }

  /** Other schemes come last, so that clients that take the first entry, or know only `exact`, are not affected. */
  #accepts(operation: Operation, amount: bigint): OfferedRequirements[] {
    const accepts = this.#networks.offered().map((offer) => requirementsFor(offer, amount));
    return [...accepts, ...this.#schemes.flatMap((scheme) => scheme.offer(operation) ?? [])];
  }

  #prepare(operation: Operation): Prepared {
    // Prices that callers name are not cached.
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
      accepts: this.#accepts(operation, amount),
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
    const usual = this.#head(parts, operation, operation.paths.x402, null);
    const prepared = { ...parts, usual };
    if (!operation.variablePrice) this.#prepared.set(operation.id, prepared);
    return prepared;
  }
}

/** The `bazaar` extension of x402: describes the operation's input and output for catalogs and agents. */
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

/** Keeps only descriptions of top-level fields: `properties`, then a name. */
const descriptionDepthMax = 2;

/** The part of the extension that its own HTTP server would fill in per request (`method`, path parameters). */
interface BazaarShape {
  info: { input: Record<string, unknown> };
  schema: {
    properties: { input: { properties: Record<string, unknown>; required?: string[] } };
  };
  routeTemplate?: string;
}

/**
 * The JSON Schema of the input, where defaulted fields are optional. Without examples and descriptions of nested
 * fields, because the whole challenge goes into a header.
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

/**
 * The claim token of a 402 (docs/decisions/replay.md). A payment becomes public once it is settled, so it cannot
 * prove who retries a request. The token can: the client echoes it in the envelope, and it never reaches a chain. It
 * consists of 16 random bytes and 16 bytes of an HMAC over them and the operation, so issuing one needs no storage.
 */
const randomLength = 16;
const macLength = 16;

function mac(key: Buffer, operationId: string, random: Buffer): Buffer {
  return createHmac('sha256', key)
    .update(operationId)
    .update('\0')
    .update(random)
    .digest()
    .subarray(0, macLength);
}

/** Issues a token for one operation, base64url. */
function issueClaimToken(app: Pick<Platform, 'keys'>, operationId: string): string {
  const [key] = app.keys.derive('claim-token');
  const random = takeRandomBytes(randomLength);
  return Buffer.concat([random, mac(key, operationId, random)]).toString('base64url');
}

/** Whether we issued this token for this operation. */
export function isOurClaimToken(app: Pick<Platform, 'keys'>, operationId: string, token: string): boolean {
  const bytes = Buffer.from(token, 'base64url');
  if (bytes.length !== randomLength + macLength || bytes.toString('base64url') !== token) return false;
  const random = bytes.subarray(0, randomLength);
  const given = bytes.subarray(randomLength);
  return app.keys.derive('claim-token').some((key) => isSameSecret(given, mac(key, operationId, random)));
}
