import type { FreeOperation, FreeTool } from '@/lib/catalog/free-operation';
import { idempotencyKey } from '@/lib/catalog/idempotency-key';
import type { Operation, Params, RailName } from '@/lib/catalog/operation';
import { isEvmOffer } from '@/lib/payments/networks';
import type { Components } from './components';
import { jsonSchema } from './json-schema';
import type { Site } from './site';

/** The segments of a path. On each operation, with an example: readers look nowhere else and call the path with it. */
export function pathParameters(params: Params, example: Record<string, unknown>): object[] {
  const { properties = {} } = jsonSchema(params, 'input', ['examples']) as {
    properties?: Record<string, object>;
  };
  return Object.entries(properties).map(([name, schema]) => {
    const { description, ...rest } = schema as { description?: string };
    return { name, in: 'path', required: true, description, schema: rest, example: example[name] };
  });
}

/** What may stand after the question mark of a free operation. */
export function queryParameters(operation: FreeOperation): object[] {
  const query = 'query' in operation ? operation.query : undefined;
  if (!query) return [];
  const { properties = {} } = jsonSchema(query, 'input') as { properties?: Record<string, object> };
  return Object.entries(properties).map(([name, schema]) => {
    const { description, ...rest } = schema as { description?: string };
    return { name, in: 'query', required: false, description, schema: rest };
  });
}

/**
 * What a paid call takes beside its input. MPP's credential travels in `Authorization`, which OpenAPI lets nobody declare
 * as a parameter; and as a security scheme it would read as a key to be applied for, which no call here needs.
 */
export function paymentParameters(rail: RailName, components: Components, site: Site): object[] {
  const key = idempotencyKeyParameter(rail === 'account', components);
  if (rail === 'account') return [key];
  if (rail === 'x402') {
    const payment = components.use('parameters', 'PAYMENT-SIGNATURE', () => ({
      name: 'PAYMENT-SIGNATURE',
      in: 'header',
      required: false,
      description:
        'The signed payment: base64 of an x402 version 2 PaymentPayload. X-PAYMENT is taken as well. Without it the answer is 402.',
      schema: { type: 'string' },
    }));
    return [payment, key];
  }
  const network = components.use('parameters', 'network', () => ({
    name: 'network',
    in: 'query',
    required: false,
    description: 'Asks for the challenge of one network alone.',
    schema: { type: 'string', enum: site.offers.filter(isEvmOffer).map((offer) => offer.network.name) },
  }));
  return [network, key];
}

/** Required where nothing else in the request tells a repetition from a second call. */
function idempotencyKeyParameter(required: boolean, components: Components) {
  return components.use('parameters', required ? 'RequiredIdempotencyKey' : 'Idempotency-Key', () => {
    const { description, ...schema } = jsonSchema(idempotencyKey, 'input');
    return { name: 'Idempotency-Key', in: 'header', required, description, schema };
  });
}

/** What is sent. A POST without input says so: readers miss a body where none is described. */
export function requestBody(operation: Operation | FreeTool, components: Components): object {
  if (operation.takesBody) {
    const schema = components.inputSchema(`${operation.id}.input`, operation.body);
    return {
      requestBody: {
        required: true,
        content: { 'application/json': { schema, example: operation.example.body } },
      },
    };
  }
  if (operation.method !== 'POST') return {};
  const schema = components.inputSchema('NoInput', operation.body);
  return {
    requestBody: {
      required: false,
      description: 'Nothing; an empty object is taken as well.',
      content: { 'application/json': { schema, example: {} } },
    },
  };
}
