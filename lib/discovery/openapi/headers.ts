import type { Components, Reference } from './components';

/** The descriptions of response headers. */
export const answerHeaders = {
  'Request-Id': 'The ID of this request in our log.',
  'Paid-Call-Id': 'The ID of the paid call; GET /v1/paid-calls/{id} returns its status.',
  'Retry-After': 'Seconds to wait before sending the identical request again.',
  RateLimit: 'Calls left for this address, and for how many seconds: `"free-calls";r=187;t=8`.',
  'RateLimit-Policy': 'The limit in calls per seconds: `"free-calls";q=200;w=10`.',
  'Idempotent-Replayed': '`true` if this is the stored response to an earlier, identical request.',
  'Unsupported-Characters':
    'Characters of the document that are in none of our fonts and print as boxes, such as `U+11A50, U+1E910`. At most 32, then the number of the rest.',
  Sandbox: '`true` if a test provider made this response; the data is fictional.',
  Testnet: '`true` on every response of a service that takes test USDC, which has no value.',
  'PAYMENT-REQUIRED': 'The challenge: base64 of the JSON in the body.',
  'PAYMENT-RESPONSE':
    'The receipt: base64 of JSON with success, transaction, network, payer, amount, and the signed receipt in `extensions`.',
  'X-PAYMENT-RESPONSE': 'The same receipt under its older name.',
  'WWW-Authenticate':
    'One Payment challenge per network: id, realm, method, intent, request, expires, digest, opaque.',
  'Payment-Receipt':
    'The receipt: base64url of JSON with method, challengeId, reference, status, timestamp, chainId and signedReceipt. Replayed responses may omit it.',
  'Paid-Call-Receipt': 'The signed receipt: a JSON Web Signature in compact form.',
} as const;

export type AnswerHeader = keyof typeof answerHeaders;

/** The shared description of a response header. */
export function answerHeader(name: AnswerHeader, components: Components): Reference {
  const schema = { type: name === 'Retry-After' ? 'integer' : 'string' };
  return components.use('headers', name, () => ({ description: answerHeaders[name], schema }));
}

/** The shared descriptions of several headers, by name. */
export function answerHeadersOf(names: readonly AnswerHeader[], components: Components) {
  return Object.fromEntries(names.map((name) => [name, answerHeader(name, components)]));
}
