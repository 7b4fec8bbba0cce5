import type { Components, Reference } from './components';

/** The response headers. An ellipsis stands for the rest of a long value. */
export const answerHeaders = {
  'Request-Id': {
    description: 'The ID of this request in our log.',
    example: 'req_8kTn2Vb7Xq5LzRw0MdJs4FhC',
  },
  'Paid-Call-Id': {
    description: 'The ID of the paid call; GET /v1/paid-calls/{id} returns its status.',
    example: 'pc_4fQm9WzR2sKx7LdTn0VbYcHj',
  },
  'Retry-After': { description: 'Seconds to wait before sending the identical request again.', example: 2 },
  RateLimit: {
    description: 'Calls left for this address, and for how many seconds: `"free-calls";r=187;t=8`.',
    example: '"free-calls";r=187;t=8',
  },
  'RateLimit-Policy': {
    description: 'The limit in calls per seconds: `"free-calls";q=200;w=10`.',
    example: '"free-calls";q=200;w=10',
  },
  'Idempotent-Replayed': {
    description: '`true` if this is the stored response to an earlier, identical request.',
    example: 'true',
  },
  'Unsupported-Characters': {
    description:
      'Characters of the document that are in none of our fonts and print as boxes, such as `U+11A50, U+1E910`. At most 32, then the number of the rest.',
    example: 'U+11A50, U+1E910',
  },
  'Cut-Content': {
    description:
      'Elements of which something is cut off or not shown, or which hide something, each as its tag and its number among the elements with that tag. At most 20.',
    example: 'td 14, p 3',
  },
  Source: {
    description:
      'Who made this response: a `provider`, its `sandbox` (fictional data), or our own page `reader`.',
    example: 'provider',
  },
  Sandbox: {
    description: '`true` if a test provider made this response; the data is fictional.',
    example: 'true',
  },
  Testnet: {
    description: '`true` on every response of a service that takes test USDC, which has no value.',
    example: 'true',
  },
  'PAYMENT-REQUIRED': {
    description: 'The challenge: base64 of the JSON in the body.',
    example: 'eyJ4NDAyVmVyc2lvbiI6MiwiZXJyb3Ii…',
  },
  'PAYMENT-RESPONSE': {
    description:
      'The receipt: base64 of JSON with success, transaction, network, payer, amount, and the signed receipt in `extensions`.',
    example: 'eyJzdWNjZXNzIjp0cnVlLCJ0cmFuc2Fj…',
  },
  'X-PAYMENT-RESPONSE': {
    description: 'The same receipt under its older name.',
    example: 'eyJzdWNjZXNzIjp0cnVlLCJ0cmFuc2Fj…',
  },
  'WWW-Authenticate': {
    description:
      'One Payment challenge per network: id, realm, method, intent, request, expires, digest, opaque.',
    example:
      'Payment id="…", realm="api.example.com", method="evm", intent="charge", request="…", expires="…"',
  },
  'Payment-Receipt': {
    description:
      'The receipt: base64url of JSON with method, challengeId, reference, status, timestamp, chainId and signedReceipt. Replayed responses may omit it.',
    example: 'eyJtZXRob2QiOiJldm0iLCJjaGFsbGVu…',
  },
  'Paid-Call-Receipt': {
    description: 'The signed receipt: a JSON Web Signature in compact form.',
    example: 'eyJhbGciOiJFZERTQSIs….eyJhbW91bnQiOi….c2lnbmF0dXJl…',
  },
} as const;

export type AnswerHeader = keyof typeof answerHeaders;

/** The shared description of a response header. */
export function answerHeader(name: AnswerHeader, components: Components): Reference {
  const { description, example } = answerHeaders[name];
  const schema = { type: typeof example === 'number' ? 'integer' : 'string' };
  return components.use('headers', name, () =>
    components.detail === 'full' ? { description, schema, example } : { description, schema },
  );
}

/** The shared descriptions of several headers, by name. */
export function answerHeadersOf(names: readonly AnswerHeader[], components: Components) {
  return Object.fromEntries(names.map((name) => [name, answerHeader(name, components)]));
}
