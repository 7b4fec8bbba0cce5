import { createHmac } from 'node:crypto';
import { declareDiscoveryExtension } from '@x402/extensions/bazaar';
import { declarePaymentIdentifierExtension } from '@x402/extensions/payment-identifier';
import { z } from 'zod';
import { reasonOf } from '@/lib/catalog/errors/payment-reasons';
import { namedPath, type Operation } from '@/lib/catalog/operation';
import { toAtomic } from '@/lib/payments/money';
import type { NetworkRegistry } from '@/lib/payments/network-registry';
import type { X402Scheme } from '@/lib/payments/payment-feature';
import type { Seller } from '@/lib/payments/seller';
import { supportedChains } from '@/lib/payments/sign-in/sign-in-challenge';
import { boughtTerms, issueNonce, signInKey } from '@/lib/payments/sign-in/sign-in-message';
import { takeRandomBytes } from '@/lib/platform/ids';
import type { Platform } from '@/lib/platform/platform';
import { isSameSecret } from '@/lib/platform/same-secret';
import { type OfferedRequirements, requirementsFor, withFlow } from './x402-requirements';

/** A PaymentRequired document, encoded except for the parts that vary. */
interface Prepared {
  readonly version: number;
  /** What the resource's URL is written between. */
  readonly aroundUrls: readonly string[];
  /** What the values of one response are written between, which come after the last URL. */
  readonly aroundValues: readonly string[];
  /** Everything before these values in the most frequent response: to a request without a payment, at a fixed path. */
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

/** Only as much of a schema as extensions must have, because the whole challenge goes into a header. No client reads more of it. */
const anySchema = { type: 'object' };
const paymentIdentifier = { ...declarePaymentIdentifierExtension(false), schema: anySchema };

const urlSlot = 'https://slot.invalid/url';
/** In this order. */
const valueSlots = {
  nonce: 'tuppence-slot-1',
  issuedAt: 'tuppence-slot-2',
  expirationTime: 'tuppence-slot-3',
  token: 'tuppence-slot-4',
};
const valueSlot = /tuppence-slot-\d/;

/** Prepares every operation's 402, once per change of the offered networks. */
export class ChallengeWriter {
  readonly #app: Pick<Platform, 'clock' | 'keys'>;
  readonly #networks: NetworkRegistry;
  readonly #seller: Seller;
  readonly #publicUrl: string;
  readonly #domain: string;
  readonly #schemes: readonly Pick<X402Scheme, 'offer'>[];
  readonly #prepared = new Map<string, Prepared>();

  constructor(
    app: Pick<Platform, 'clock' | 'keys'>,
    networks: NetworkRegistry,
    seller: Seller,
    schemes: readonly Pick<X402Scheme, 'offer'>[],
  ) {
    this.#app = app;
    this.#seller = seller;
    this.#publicUrl = seller.publicUrl;
    this.#domain = new URL(seller.publicUrl).host;
    this.#schemes = schemes;
    this.#networks = networks;
  }

  /** Writes a PaymentRequired with a new claim token; `reason` when a payment was rejected. */
  write(operation: Operation, path: string, reason: string | null): WrittenChallenge {
    const prepared = this.#prepare(operation);
    const isUsual = reason === null && path === operation.paths.x402;
    const head = isUsual ? prepared.usual : this.#head(prepared, operation, path, reason);
    const tail = this.#tail(prepared, operation, path);
    return {
      json: head.json + tail,
      base64: head.base64 + Buffer.concat([head.left, Buffer.from(tail)]).toString('base64'),
    };
  }

  #head(
    { aroundUrls }: Pick<Prepared, 'aroundUrls'>,
    operation: Operation,
    path: string,
    reason: string | null,
  ): Head {
    const url = JSON.stringify(resourceUrl(this.#publicUrl, operation, path));
    const retry = reason === null ? 'pay' : reasonOf(reason).retry;
    const facts = `"payment":"none","retry":"${retry}"`;
    const json = `{"x402Version":2,"error":${JSON.stringify(reason ?? usualReason)},${facts},${aroundUrls.join(url)}`;
    const bytes = Buffer.from(json);
    const whole = bytes.length - (bytes.length % 3);
    return { json, base64: bytes.toString('base64', 0, whole), left: bytes.subarray(whole) };
  }

  /** The values of one response, and what is around them. */
  #tail({ aroundValues }: Pick<Prepared, 'aroundValues'>, operation: Operation, path: string): string {
    const token = issueClaimToken(this.#app, operation.id);
    if (!this.#takesSignIns(operation)) return `${token}${aroundValues[1]}`;
    const uri = resourceUrl(this.#publicUrl, operation, path);
    const { nonce, issuedAt, expirationTime } = issueNonce(this.#app, this.#domain, uri);
    const [, afterNonce, afterIssued, afterExpiration, afterToken] = aroundValues;
    return `${nonce}${afterNonce}${issuedAt}${afterIssued}${expirationTime}${afterExpiration}${token}${afterToken}`;
  }

  #takesSignIns({ addsUp }: Operation): boolean {
    return this.#seller.takesSignIns && !addsUp;
  }

  /** How a wallet that has paid for the same request gets its answer instead of paying again. Valid for the resource's URL. */
  #signInExtension(): object {
    const { statement } = boughtTerms(urlSlot);
    const { nonce, issuedAt, expirationTime } = valueSlots;
    const constant = { domain: this.#domain, version: '1', statement, uri: urlSlot };
    return {
      supportedChains: supportedChains(this.#networks.all()),
      schema: anySchema,
      info: { ...constant, nonce, issuedAt, expirationTime },
    };
  }

  /** Other schemes come last, so that clients that take the first entry, or know only `exact`, are not affected. */
  #accepts(operation: Operation, amount: bigint): OfferedRequirements[] {
    const accepts = this.#networks.offered().map((offer) => requirementsFor(offer, amount));
    const others = this.#schemes.flatMap((scheme) => scheme.offer(operation) ?? []);
    const flow = this.#seller.flowOf(operation);
    return [...accepts, ...others].map((entry) => withFlow(entry, flow));
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
        serviceName: this.#seller.name,
        tags: [operation.category],
      },
      refunds: this.#seller.refunds,
      accepts: this.#accepts(operation, amount),
      extensions: {
        ...discoveryExtension(operation),
        'payment-identifier': paymentIdentifier,
        ...(this.#takesSignIns(operation) ? { [signInKey]: this.#signInExtension() } : {}),
        claim: { info: { token: valueSlots.token }, schema: anySchema },
      },
    });
    const aroundUrls = json.slice(1).split(JSON.stringify(urlSlot));
    const aroundValues = (aroundUrls.pop() ?? '').split(valueSlot);
    const parts = { version, aroundUrls: [...aroundUrls, aroundValues[0] ?? ''], aroundValues };
    const usual = this.#head(parts, operation, operation.paths.x402, null);
    const prepared = { ...parts, usual };
    if (!operation.variablePrice) this.#prepared.set(operation.id, prepared);
    return prepared;
  }
}

/** What a 402 at a path names as its resource: its URL without a query. */
export function resourceUrl(publicUrl: string, { paths }: Operation, path: string): string {
  return publicUrl + namedPath(path, paths.x402);
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
  const { properties } = bazaar.schema.properties.input;
  properties.method = { type: 'string', enum: [operation.method] };
  if (properties.bodyType) properties.bodyType = { type: 'string', enum: ['json'] };
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

/** The depth of top-level fields: `properties`, then a name. */
const topLevelDepth = 2;
/** A longer pattern says little to a reader. An error about the field names the rule. */
const patternLengthMax = 40;
/** What is left out of nested fields. */
const leftOutOfNested = [
  ...(['description', 'additionalProperties', 'default', 'pattern'] as const),
  ...(['minLength', 'maxLength', 'minItems', 'maxItems', 'minimum', 'maximum'] as const),
];

/** The part of the extension that its own HTTP server would fill in per request (`method`, path parameters). */
interface BazaarShape {
  info: { input: Record<string, unknown> };
  schema: {
    properties: { input: { properties: Record<string, unknown>; required?: string[] } };
  };
  routeTemplate?: string;
}

/**
 * The JSON Schema of the input, where defaulted fields are optional. Without examples and long patterns, and without limits and
 * descriptions of nested fields, because the whole challenge goes into a header. The OpenAPI documents have all of them.
 */
function jsonSchema(schema: z.ZodType): Record<string, unknown> {
  const { $schema, ...rest } = z.toJSONSchema(schema, {
    io: 'input',
    override({ jsonSchema: made, path }) {
      delete made.examples;
      // `format` says the same as its pattern.
      if (made.format || (made.pattern?.length ?? 0) > patternLengthMax) delete made.pattern;
      if (path.length <= topLevelDepth) return;
      for (const name of leftOutOfNested) delete made[name];
      // `true`, or an object with options: only that either is possible.
      const types = made.anyOf?.map(({ type, enum: values }) => (values ? undefined : type)) ?? [];
      if (types.length === 0 || !types.every((type) => typeof type === 'string')) return;
      delete made.anyOf;
      made.type = types;
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
