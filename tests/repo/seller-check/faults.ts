import type { Fault, Reply, Visit } from './shop';

/** A fault of the shop that one case must see, and the call that shows it: by default `POST /words`. */
export interface Planted {
  readonly fault: Fault;
  readonly method?: 'GET' | 'POST' | 'DELETE';
  /** Under which name the shop is called: by default its loopback address. */
  readonly host?: string;
}

const post = (fault: Fault): Planted => ({ fault });
const get = (fault: Fault): Planted => ({ fault, method: 'GET' });

const inOffer = (change: Record<string, unknown>, index = 0) =>
  post({
    required: (required) => {
      Object.assign(required.accepts[index] ?? {}, change);
    },
  });
const inRequest = (change: Record<string, unknown>) =>
  post({
    challenge: ({ request }) => {
      Object.assign(request, change);
    },
  });
const inBazaar = (change: (bazaar: { info?: object; schema?: object; routeTemplate?: string }) => void) =>
  post({ required: ({ extensions }) => change(extensions.bazaar) });

/** Changes the 402 to a request without a payment. */
const inUnpaid = (change: (reply: Reply) => void): Planted =>
  post({
    reply: (reply, { req }) => {
      if (req.headers.authorization === undefined && req.headers['payment-signature'] === undefined)
        change(reply);
    },
  });
const withHeader = (name: string, value?: string) =>
  inUnpaid((reply) => {
    if (value === undefined) delete reply.headers[name];
    else reply.headers[name] = value;
  });
const inProblem = (change: Record<string, unknown>) =>
  inUnpaid((reply) => {
    reply.body = JSON.stringify({ ...JSON.parse(reply.body), ...change });
  });

const served = (reply: Reply) => {
  reply.status = 200;
  reply.headers = { 'Content-Type': 'application/json' };
  reply.body = '{"words":2}';
};

/** Serves whatever fulfils a condition. */
const serving = (isServed: (visit: Visit) => unknown) =>
  post({
    reply: (reply, visit) => {
      if (isServed(visit)) served(reply);
    },
  });

/** Serves every request with a payment of x402. */
const trusting = serving(({ req }) => req.headers['payment-signature'] ?? req.headers['x-payment']);
/** Serves every request with a credential of MPP. */
const crediting = serving(({ req }) => /^Payment /.test(req.headers.authorization ?? ''));

const problemAs = (kind: string) =>
  post({
    reply: (reply, { req }) => {
      if (req.headers.authorization !== undefined)
        reply.body = JSON.stringify({ type: `https://paymentauth.org/problems/${kind}`, status: 402 });
    },
  });

const failing = (isFailing: (visit: Visit) => boolean) =>
  post({
    reply: (reply, visit) => {
      if (isFailing(visit)) reply.status = 500;
    },
  });

const preflights = (change: (reply: Reply) => void, method: Planted['method'] = 'POST'): Planted => ({
  method,
  fault: { reply: (reply, visit) => visit.method === 'OPTIONS' && change(reply) },
});

/** Changes a document of the shop, whose type the fault knows. */
const inDocument = <Document>(path: string, change: (document: Document) => unknown): Planted =>
  post({ document: [path, (document) => change(document as Document)] });
const inOperation = (change: (operation: Record<string, unknown>) => void) =>
  inDocument('/openapi.json', ({ paths }: { paths: Record<string, { post: Record<string, unknown> }> }) => {
    if (paths['/words']) change(paths['/words'].post);
  });
const typed = (path: string, type: string) =>
  post({
    reply: (reply, { url }) => {
      if (url.pathname === path) reply.headers['Content-Type'] = type;
    },
  });
const inKeys = (change: Record<string, unknown>) =>
  inDocument('/.well-known/jwks.json', ({ keys }: { keys: object[] }) => {
    Object.assign(keys[0] ?? {}, change);
  });

const parameter = (from: RegExp, to: string) => post({ authenticate: (header) => header.replace(from, to) });

const refusedPayments = [
  ...[
    'not-base64',
    'not-json',
    'deep',
    'other-version',
    'no-accepted',
    'no-payload',
    'unsigned',
    'version-1',
  ],
  ...['twice', 'with-credential', 'large', 'other-network', 'other-asset', 'other-scheme', 'lower-amount'],
  ...['lower-value', 'other-payee', 'expired', 'not-yet-valid', 'zero-signature', 'foreign-signature'],
  'without-funds',
];
const refusedCredentials = [
  ...[
    'not-base64url',
    'not-json',
    'no-challenge',
    'no-payload',
    'unknown-id',
    'lower-amount',
    'other-recipient',
  ],
  ...['other-realm', 'later-expiry', 'zero-signature', 'lower-value', 'unknown-type', 'other-body'],
  ...['other-method', 'two', 'four-kilobytes', 'large'],
];
const bodies = ['not-json', 'empty', 'deep', 'not-utf8', 'other-type', 'large'];

/** For each case a fault that it must see. Those of messages are in the test, because they need a server of bytes. */
export const faults: Readonly<Record<string, Planted>> = {
  'answer.is-402': inUnpaid(served),
  'answer.has-challenge': inUnpaid((reply) => {
    delete reply.headers['PAYMENT-REQUIRED'];
    delete reply.headers['WWW-Authenticate'];
  }),
  'answer.date': withHeader('Date', 'yesterday'),
  'answer.content-type': withHeader('Content-Type'),
  'answer.header-size': withHeader('X-Long', 'x'.repeat(17_000)),
  'answer.no-store': withHeader('Cache-Control', 'public, max-age=60'),
  'answer.encrypted': { fault: {}, host: '0.0.0.0' },
  'answer.no-receipt': withHeader('Payment-Receipt', 'e30'),
  'answer.problem': withHeader('Content-Type', 'application/json'),
  'answer.problem-status': inProblem({ status: 401 }),
  'answer.problem-type': inProblem({ type: 'https://words.example/problems/pay' }),

  'x402.header-decodes': post({ header: () => '{"x402Version":2}' }),
  'x402.schema': inOffer({ maxTimeoutSeconds: 'soon' }),
  'x402.version': post({ required: (required) => ({ ...required, x402Version: 3 }) }),
  'x402.resource-url': post({ required: (required) => ({ ...required, resource: { url: '/words' } }) }),
  'x402.network': inOffer({ network: 'base' }),
  'x402.amount': inOffer({ amount: '0.001' }),
  'x402.asset': inOffer({ asset: 'USD Coin' }),
  'x402.pay-to': inOffer({ payTo: '0x2096' }),
  'x402.checksums': inOffer({ payTo: '0x209693bC6afc0C5328bA36FaF03C514EF312287C' }),
  'x402.solana-fee-payer': inOffer({ extra: {} }, 1),

  'extension.shape': inBazaar((bazaar) => {
    delete bazaar.schema;
  }),
  'bazaar.input': inBazaar((bazaar) => {
    Object.assign(bazaar.info ?? {}, { input: { type: 'http', method: 'BUY' } });
  }),
  'bazaar.schema': inBazaar((bazaar) => {
    Object.assign(bazaar, { schema: { type: 'object', properties: { body: {} } } });
  }),
  'bazaar.info-valid': inBazaar((bazaar) => {
    Object.assign(bazaar.info ?? {}, { input: { type: 'http', method: 'PATCH' } });
  }),
  'bazaar.method': inBazaar((bazaar) => {
    Object.assign(bazaar.info ?? {}, { input: { type: 'http', method: 'PATCH' } });
  }),
  'bazaar.route-template': inBazaar((bazaar) => {
    Object.assign(bazaar, { routeTemplate: '/words/../admin' });
  }),

  'mpp.parses': parameter(/realm="[^"]*"/, 'realm="127.0.0.1'),
  'mpp.id': parameter(/id="[^"]*"/, 'id=""'),
  'mpp.realm': parameter(/realm="[^"]*", /, ''),
  'mpp.method': parameter(/method="evm"/, 'method="EVM"'),
  'mpp.intent': parameter(/intent="charge"/, 'intent="to charge"'),
  'mpp.request-padding': parameter(/request="([^"]*)"/, 'request="$1=="'),
  'mpp.request-canonical': parameter(
    /request="[^"]*"/,
    `request="${Buffer.from('{"currency":"usd", "amount":"1"}').toString('base64url')}"`,
  ),
  'mpp.charge-amount': inRequest({ amount: '0.001' }),
  'mpp.charge-expiry': inRequest({ expires: '2099-01-01T00:00:00Z' }),
  'mpp.evm-addresses': inRequest({ recipient: 'words.eth' }),
  'mpp.evm-chain': inRequest({ methodDetails: {} }),
  'mpp.expires': post({
    challenge: (challenge) => {
      delete challenge.expires;
    },
  }),
  'mpp.expires-format': parameter(/expires="[^"]*"/, 'expires="in five minutes"'),
  'mpp.expires-later': parameter(/expires="[^"]*"/, 'expires="2020-01-01T00:00:00Z"'),
  'mpp.digest': post({
    challenge: (challenge) => {
      delete challenge.digest;
    },
  }),
  'mpp.digest-of-body': post({
    challenge: (challenge) => {
      challenge.digest = challenge.digest?.replaceAll(':', '');
    },
  }),
  'mpp.opaque': parameter(/opaque="[^"]*"/, `opaque="${Buffer.from('{"a":1}').toString('base64url')}"`),
  'mpp.ids-unique': parameter(/id="[^"]*"/, 'id="the-same"'),
  'mpp.size': post({
    challenge: (challenge) => {
      challenge.description = 'x'.repeat(9_000);
    },
  }),

  ...Object.fromEntries(refusedPayments.map((name) => [`payment.${name}`, trusting])),
  'payment.challenged-again': post({
    reply: (reply, { req }) => {
      if (req.headers['payment-signature'] !== undefined) delete reply.headers['PAYMENT-REQUIRED'];
    },
  }),
  ...Object.fromEntries(refusedCredentials.map((name) => [`credential.${name}`, crediting])),
  'credential.other-scheme': serving(({ req }) => req.headers.authorization?.startsWith('Bearer ')),
  'credential.problem-malformed-credential': problemAs('verification-failed'),
  'credential.problem-invalid-challenge': problemAs('malformed-credential'),
  'credential.no-store': post({
    reply: (reply, { req }) => {
      if (req.headers.authorization !== undefined) delete reply.headers['Cache-Control'];
    },
  }),
  'credential.not-repeated': post({
    reply: (reply, { req }) => {
      reply.body += req.headers.authorization ?? '';
    },
  }),

  'request.any-accept': post({
    reply: (reply, { req }) => {
      if (req.headers['user-agent']?.includes('Mozilla')) served(reply);
    },
  }),
  'request.vary': post({
    reply: (reply, { req }) => {
      reply.headers['Cache-Control'] = 'public, max-age=60';
      if (req.headers.accept?.includes('html')) reply.headers['Content-Type'] = 'text/html';
    },
  }),
  'request.head': get({
    reply: (reply, { method }) => {
      if (method === 'HEAD') reply.status = 200;
    },
  }),
  'request.method-not-allowed': post({
    reply: (reply) => {
      delete reply.headers.Allow;
    },
  }),
  ...Object.fromEntries(
    bodies.map((name) => [
      `request.body-${name}`,
      failing(
        ({ body, req }) =>
          String(req.headers['content-type']).includes('x-seller-check') ||
          !body.toString().includes('one two'),
      ),
    ]),
  ),
  'request.null-in-path': failing(({ url }) => url.pathname.includes('%00')),
  'request.long-url': post({
    reply: (reply, { url }) => {
      if (url.href.length > 4_000) reply.status = 414;
    },
  }),
  'request.accept-payment': post({
    reply: (reply, { req }) => {
      if (req.headers['accept-payment'] !== undefined)
        reply.headers['WWW-Authenticate'] =
          'Payment id="1", realm="a", method="evm", intent="charge", request="e30"';
    },
  }),

  'browser.exposes-challenge': post({
    reply: (reply) => {
      delete reply.headers['Access-Control-Expose-Headers'];
    },
  }),
  'browser.preflight': preflights((reply) => {
    reply.status = 402;
  }),
  'browser.allows-payment': preflights((reply) => {
    reply.headers['Access-Control-Allow-Headers'] = '*';
  }),
  'browser.allows-method': preflights((reply) => {
    reply.headers['Access-Control-Allow-Methods'] = 'POST';
  }, 'DELETE'),

  'openapi.media-type': typed('/openapi.json', 'text/plain'),
  'openapi.fields': inDocument('/openapi.json', ({ info: _, ...others }: { info: unknown }) => others),
  'openapi.valid': inOperation((operation) => {
    operation.responses = [];
  }),
  'openapi.has-call': inDocument('/openapi.json', (document: object) => ({ ...document, paths: {} })),
  'openapi.payment-info': inOperation((operation) => {
    delete operation['x-payment-info'];
  }),
  'openapi.offers': inOperation((operation) => {
    operation['x-payment-info'] = { offers: [{ method: 'evm', intent: 'charge', amount: '01' }] };
  }),
  'openapi.declares-402': inOperation((operation) => {
    operation.responses = { 200: { description: 'Words' } };
  }),
  'openapi.price': inOperation((operation) => {
    operation['x-payment-info'] = { method: 'evm', intent: 'charge', amount: '2', currency: 'usd' };
  }),
  'openapi.input': inOperation((operation) => {
    delete operation.requestBody;
  }),

  'document.llms-txt': inDocument('/llms.txt', () => 'Counts words.'),
  'document.api-catalog': typed('/.well-known/api-catalog', 'application/json'),
  'document.api-catalog-links': inDocument('/.well-known/api-catalog', () => ({
    linkset: [{ anchor: 'https://words.example', item: { href: 'https://words.example/words' } }],
  })),
  'document.api-catalog-head': post({
    reply: (reply) => {
      delete reply.headers.Link;
    },
  }),
  'document.robots': typed('/robots.txt', 'application/json'),
  'document.jwks': inKeys({ kty: undefined }),
  'document.jwks-public': inKeys({ d: 'nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A' }),
  'document.did': inDocument('/.well-known/did.json', () => ({ id: 'words.example' })),
};
