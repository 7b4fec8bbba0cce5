import type { Components, Reference } from './components';

/** The headers of answers, each in a line. */
const answerHeaders = {
  'Request-Id': 'Names this request in our log.',
  'Paid-Call-Id': 'The paid call; GET /v1/paid-calls/{id} tells where it stands.',
  'Retry-After': 'Seconds after which the identical request can be sent again.',
  RateLimit: 'What is left for this address, and for how many seconds: `"free-calls";r=187;t=8`.',
  'RateLimit-Policy': 'The limit: so many calls in so many seconds, `"free-calls";q=200;w=10`.',
  'Idempotent-Replayed': '`true` when this is the stored answer of an earlier, identical request.',
  'Unsupported-Characters':
    'The characters of the document that none of our fonts has, such as `U+11A50, U+1E910`: they print as boxes. Of more than 32 the first, and how many more there are.',
  Sandbox: '`true` when a test provider gave this answer; it is made up.',
  'PAYMENT-REQUIRED': 'The challenge: base64 of the JSON in the body.',
  'PAYMENT-RESPONSE': 'The receipt: base64 of JSON with success, transaction, network, payer and amount.',
  'X-PAYMENT-RESPONSE': 'The same receipt, under its older name.',
  'WWW-Authenticate':
    'One Payment challenge per network: id, realm, method, intent, request, expires, digest, opaque.',
  'Payment-Receipt':
    'The receipt: base64url of JSON with method, challengeId, reference, status, timestamp and chainId. Stored answers may omit it.',
} as const;

export type AnswerHeader = keyof typeof answerHeaders;

/** The shared description of an answer's header. */
export function answerHeader(name: AnswerHeader, components: Components): Reference {
  const schema = { type: name === 'Retry-After' ? 'integer' : 'string' };
  return components.use('headers', name, () => ({ description: answerHeaders[name], schema }));
}

/** The shared descriptions of several headers, by name. */
export function answerHeadersOf(names: readonly AnswerHeader[], components: Components) {
  return Object.fromEntries(names.map((name) => [name, answerHeader(name, components)]));
}
