import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { encodePaymentRequiredHeader } from '@x402/core/http';
import { Challenge } from 'mppx';
import { portOf } from '@/local/http-server';

const usdc = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913';
const payee = '0x209693Bc6afc0C5328bA36FaF03C514EF312287C';
const secretKey = 'a secret of the shop, long enough';

/** A request as the shop sees it. */
export interface Visit {
  readonly method: string;
  readonly url: URL;
  readonly req: IncomingMessage;
  readonly body: Buffer;
}

/** An answer of the shop. */
export interface Reply {
  status: number;
  headers: Record<string, string | string[]>;
  body: string;
}

/** The challenge of x402, which faults change into anything. */
type Required = ReturnType<typeof requiredFor>;

/** A challenge of MPP before it is signed. */
interface Terms {
  readonly realm: string;
  readonly intent: string;
  readonly method: string;
  readonly meta: Record<string, string>;
  readonly request: Record<string, unknown>;
  expires?: string;
  digest?: string;
  description?: string;
}

/** What the shop does wrong. */
export interface Fault {
  /** Changes the challenge of x402. */
  readonly required?: (required: Required) => unknown;
  /** Changes `PAYMENT-REQUIRED`. */
  readonly header?: (header: string) => string;
  /** Changes the first challenge of MPP before it is signed. */
  readonly challenge?: (challenge: Terms) => void;
  /** Changes `WWW-Authenticate`. */
  readonly authenticate?: (header: string) => string;
  /** Changes any answer. */
  readonly reply?: (reply: Reply, visit: Visit) => void;
  /** Changes a document. */
  readonly document?: readonly [path: string, change: (document: unknown) => unknown];
}

function requiredFor({ url, method }: Visit) {
  return {
    x402Version: 2,
    error: 'Payment required',
    resource: { url: url.origin + url.pathname, description: 'Count words', mimeType: 'application/json' },
    accepts: [
      {
        scheme: 'exact',
        network: 'eip155:8453',
        amount: '1000',
        asset: usdc,
        payTo: payee,
        maxTimeoutSeconds: 300,
        extra: { name: 'USD Coin', version: '2' },
      },
      {
        scheme: 'exact',
        network: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp',
        amount: '1000',
        asset: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
        payTo: '2wKupLR9q6wXYppw8Gr2NvWxKBUqm4PPJKkQfoxHDBg4',
        maxTimeoutSeconds: 300,
        extra: { feePayer: 'EwWqGE4ZFKLofuestmU4LDdK7XM1N4ALgdZccwYugwGd' },
      },
    ],
    extensions: {
      bazaar: {
        info: {
          input:
            method === 'POST'
              ? { type: 'http', method, bodyType: 'json', body: { text: 'one two' } }
              : { type: 'http', method },
        },
        schema: {
          $schema: 'https://json-schema.org/draft/2020-12/schema',
          type: 'object',
          properties: {
            input: {
              type: 'object',
              properties: {
                type: { type: 'string', const: 'http' },
                method: { type: 'string', enum: [method] },
                bodyType: { type: 'string' },
                body: { type: 'object' },
              },
              required: ['type', 'method'],
            },
          },
          required: ['input'],
        },
        routeTemplate: '/words',
      },
    },
  };
}

let issued = 0;

function challengesFor({ body, method }: Visit, fault: Fault): string[] {
  // Each challenge of a shop expires at another millisecond, so that no two are the same.
  issued += 1;
  const shared = {
    realm: '127.0.0.1',
    intent: 'charge',
    expires: new Date(Date.now() + 300_000 + issued).toISOString(),
    meta: { route: 'words' },
    ...(method === 'POST'
      ? { digest: `sha-256=:${createHash('sha256').update(body).digest('base64')}:` }
      : {}),
  };
  const evm: Terms = {
    ...shared,
    method: 'evm',
    request: {
      amount: '1000',
      currency: usdc,
      recipient: payee,
      methodDetails: { chainId: 8453, credentialTypes: ['authorization'] },
    },
  };
  const card: Terms = { ...shared, method: 'stripe', request: { amount: '1', currency: 'usd' } };
  fault.challenge?.(evm);
  return [evm, card].map((terms) => Challenge.serialize(Challenge.from({ ...terms, secretKey })));
}

const problemOf = (kind: string) => ({
  type: `https://paymentauth.org/problems/${kind}`,
  title: 'Payment Required',
  status: 402,
});

/** Why the shop refuses the payment of a request, if it has one. */
function refusalOf({ req }: Visit): { status: number; kind: string } {
  const raw = req.rawHeaders.filter((name, index) => index % 2 === 0 && /^authorization$/i.test(name));
  if (raw.length > 1) return { status: 400, kind: 'malformed-credential' };
  const [, token] = /^Payment (.*)$/.exec(req.headers.authorization ?? '') ?? [];
  if (token === undefined) return { status: 402, kind: 'payment-required' };
  try {
    const { challenge, payload } = JSON.parse(Buffer.from(token, 'base64url').toString('utf8'));
    if (typeof payload !== 'object') throw new Error('no payload');
    const { request, ...rest } = challenge;
    const terms = { ...rest, request: JSON.parse(Buffer.from(request, 'base64url').toString('utf8')) };
    const isOurs = Challenge.verify(Challenge.Schema.parse(terms) as Challenge.Challenge, { secretKey });
    return { status: 402, kind: isOurs ? 'verification-failed' : 'invalid-challenge' };
  } catch {
    return { status: 402, kind: 'malformed-credential' };
  }
}

function challengeReply(visit: Visit, fault: Fault): Reply {
  const required = requiredFor(visit);
  const changed = fault.required ? (fault.required(required) ?? required) : required;
  const header = encodePaymentRequiredHeader(changed as Parameters<typeof encodePaymentRequiredHeader>[0]);
  const { status, kind } = refusalOf(visit);
  const accepted = String(visit.req.headers['accept-payment'] ?? '');
  const challenges = challengesFor(visit, fault)
    .map((challenge, index) =>
      index === 0 && fault.authenticate ? fault.authenticate(challenge) : challenge,
    )
    .filter((challenge) => !accepted.includes('evm/charge;q=0') || !challenge.includes('method="evm"'));
  return {
    status,
    headers: {
      'Cache-Control': 'no-store',
      'Content-Type': 'application/problem+json',
      'PAYMENT-REQUIRED': fault.header ? fault.header(header) : header,
      'WWW-Authenticate': challenges,
    },
    body: JSON.stringify({ ...problemOf(kind), status }),
  };
}

const operation = {
  'x-payment-info': {
    offers: [{ intent: 'charge', method: 'evm', amount: '1000', currency: usdc }],
  },
  requestBody: { content: { 'application/json': { schema: { type: 'object' } } } },
  responses: { 200: { description: 'Words' }, 402: { description: 'Payment Required' } },
};

const { requestBody: _, ...withoutBody } = operation;

/** The documents of the shop: what they contain, and their media types. */
const documents: Readonly<Record<string, readonly [type: string, content: unknown]>> = {
  '/openapi.json': [
    'application/json',
    {
      openapi: '3.1.0',
      info: { title: 'Words', version: '1' },
      paths: { '/words': { post: operation, get: withoutBody, delete: withoutBody } },
    },
  ],
  '/llms.txt': ['text/plain', '# Words\n\nCounts words.\n'],
  '/robots.txt': ['text/plain', 'User-agent: *\nAllow: /\n'],
  '/.well-known/api-catalog': [
    'application/linkset+json',
    { linkset: [{ anchor: 'https://words.example', item: [{ href: 'https://words.example/words' }] }] },
  ],
  '/.well-known/jwks.json': [
    'application/json',
    { keys: [{ kty: 'OKP', crv: 'Ed25519', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' }] },
  ],
  '/.well-known/did.json': ['application/json', { id: 'did:web:words.example' }],
};

function documentReply({ url, method }: Visit, fault: Fault): Reply | undefined {
  const found = documents[url.pathname];
  if (found === undefined || !['GET', 'HEAD'].includes(method)) return undefined;
  const [type, content] = found;
  const [changedPath, change] = fault.document ?? [];
  const copy = structuredClone(content);
  const body = change && changedPath === url.pathname ? (change(copy) ?? copy) : content;
  return {
    status: 200,
    headers: { 'Content-Type': type, Link: '</.well-known/api-catalog>; rel="api-catalog"' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  };
}

const browserHeaders = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': 'PAYMENT-REQUIRED, PAYMENT-RESPONSE, WWW-Authenticate, Payment-Receipt',
};

function replyTo(visit: Visit, fault: Fault): Reply {
  const { method, url } = visit;
  // Node takes a second Host, which HTTP does not allow.
  if ((visit.req.headersDistinct.host ?? []).length > 1) return { status: 400, headers: {}, body: '' };
  const document = documentReply(visit, fault);
  if (document) return document;
  if (url.pathname !== '/words') return { status: 404, headers: {}, body: '' };
  if (method === 'OPTIONS')
    return {
      status: 204,
      headers: {
        'Access-Control-Allow-Headers': 'Authorization, Content-Type, PAYMENT-SIGNATURE',
        'Access-Control-Allow-Methods': 'DELETE, GET, POST',
      },
      body: '',
    };
  if (!['POST', 'GET', 'HEAD', 'DELETE'].includes(method))
    return { status: 405, headers: { Allow: 'DELETE, GET, HEAD, POST, OPTIONS' }, body: '' };
  return challengeReply(visit, fault);
}

async function answer(req: IncomingMessage, res: ServerResponse, origin: string, fault: Fault) {
  const method = req.method ?? '';
  const visit = (body: Buffer): Visit => ({ method, url: new URL(req.url ?? '/', origin), req, body });
  const isLarge = Number(req.headers['content-length'] ?? 0) > 10 ** 6;
  const chunks: Buffer[] = [];
  if (!isLarge) for await (const chunk of req) chunks.push(chunk as Buffer);
  const seen = visit(Buffer.concat(chunks));
  const reply: Reply = isLarge
    ? { status: 413, headers: { Connection: 'close' }, body: '' }
    : replyTo(seen, fault);
  Object.assign(reply.headers, browserHeaders);
  fault.reply?.(reply, seen);
  res.writeHead(reply.status, reply.headers);
  res.end(reply.body);
}

/** A seller that keeps every rule, except for its fault. It refuses every payment. */
export async function openShop(fault: Fault = {}): Promise<{ url: URL; close: () => Promise<void> }> {
  let origin = '';
  // Larger than what cases send, so that the shop and not Node answers them.
  const server = createServer({ maxHeaderSize: 2 ** 16 }, (req, res) => {
    answer(req, res, origin, fault).catch(() => res.destroy());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  origin = `http://127.0.0.1:${portOf(server)}`;
  return {
    url: new URL('/words', origin),
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
