import type { FreeOperation, FreeTool } from '@/lib/catalog/free-operation';
import { idempotencyKey } from '@/lib/catalog/idempotency-key';
import type { Operation, Params, RailName } from '@/lib/catalog/operation';
import type { Site } from '@/lib/discovery/site-config';
import { isEvmOffer } from '@/lib/payments/network-offers';
import type { Components } from './components';
import { type Detail, jsonSchema } from './json-schema';

/** The path parameters, with an example on each operation: readers call the path with it. */
export function pathParameters(params: Params, example: Record<string, unknown>): object[] {
  const { properties = {} } = jsonSchema(params, 'input', ['examples']) as {
    properties?: Record<string, object>;
  };
  return Object.entries(properties).map(([name, schema]) => {
    const { description, ...rest } = schema as { description?: string };
    return { name, in: 'path', required: true, description, schema: rest, example: example[name] };
  });
}

/** The query parameters of a free operation. All are optional, which OpenAPI assumes. */
export function queryParameters(operation: FreeOperation, detail: Detail): object[] {
  const query = 'query' in operation ? operation.query : undefined;
  if (!query) return [];
  const { properties = {} } = jsonSchema(query, 'input', detail === 'brief' ? ['examples'] : []) as {
    properties?: Record<string, object>;
  };
  return Object.entries(properties).map(([name, schema]) => {
    const { description, ...rest } = schema as { description?: string };
    return { name, in: 'query', description, schema: rest };
  });
}

/**
 * The payment parameters of a paid call. MPP's credential is sent in `Authorization`, which OpenAPI does not allow as a
 * parameter. As a security scheme it would look like a key to apply for, which no call here needs.
 */
export function paymentParameters(rail: RailName, components: Components, site: Site): object[] {
  const key = idempotencyKeyParameter(rail === 'account', components);
  if (rail === 'account') return [key];
  if (rail === 'x402') {
    const payment = components.use('parameters', 'payment', () => ({
      name: 'PAYMENT-SIGNATURE',
      in: 'header',
      description: 'The signed payment: base64 of an x402 version 2 PaymentPayload. X-PAYMENT also works.',
      schema: { type: 'string' },
    }));
    return [payment, key];
  }
  const network = components.use('parameters', 'network', () => ({
    name: 'network',
    in: 'query',
    description: 'Return only the challenge for this network.',
    schema: { type: 'string', enum: site.offers.filter(isEvmOffer).map((offer) => offer.network.name) },
  }));
  return [network, key];
}

/** Required if nothing else in the request distinguishes a retry from a second call. */
function idempotencyKeyParameter(required: boolean, components: Components) {
  return components.use('parameters', required ? 'requiredKey' : 'key', () => {
    const { description, ...schema } = jsonSchema(idempotencyKey, 'input');
    return { name: 'Idempotency-Key', in: 'header', ...(required ? { required } : {}), description, schema };
  });
}

/**
 * The request body. A POST without input has an empty one, because readers expect a body. In a brief document its example is
 * in its schema, which several paths share.
 */
export function requestBody(operation: Operation | FreeTool, components: Components, detail: Detail): object {
  if (!operation.takesBody && operation.method !== 'POST') return {};
  const example = operation.takesBody ? operation.example.body : {};
  const name = operation.takesBody ? `${operation.id}.input` : 'NoInput';
  const schema = components.inputSchema(name, operation.body, example);
  const content = { 'application/json': detail === 'full' ? { schema, example } : { schema } };
  const requestBody = operation.takesBody
    ? { required: true, content }
    : { description: 'Empty, or an empty object.', content };
  if (detail === 'full') return { requestBody };
  // Rails share bodies, and bodies are often the only place of their schema.
  return { requestBody: components.shareEqual('requestBodies', operation.id, requestBody) };
}
