// A seller over x402 and MPP with one flaw, which FLAW names. Without one it verifies and settles through the facilitator, and
// remembers what it has answered.
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { Challenge } from 'mppx';

const { env } = process;
const flaw = env.FLAW ?? '';

const requirement = {
  scheme: 'exact',
  network: 'eip155:8453',
  amount: '2000',
  asset: env.USDC,
  payTo: env.PAY_TO,
  maxTimeoutSeconds: 60,
  extra: { name: 'USD Coin', version: '2' },
};

const encode = (value) => Buffer.from(JSON.stringify(value)).toString('base64');
const decode = (text) => JSON.parse(Buffer.from(text, 'base64').toString('utf8'));

/** What was answered, by payment. */
const answered = new Map();
/** Payers who have paid. */
const known = new Set();
/** Requests that are being worked on. */
let busy = 0;

async function facilitator(route, paymentPayload, paymentRequirements) {
  const patienceMs = flaw === 'does not wait for a slow settlement' ? 3_000 : 60_000;
  const response = await fetch(`${env.FACILITATOR_URL}/${route}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ x402Version: 2, paymentPayload, paymentRequirements }),
    signal: AbortSignal.timeout(patienceMs),
  });
  return response.json();
}

/** The work: its result is different each time. */
const deliver = (response, headers = {}) =>
  response.writeHead(200, { 'Content-Type': 'application/json', ...headers }).end(`{"id":"${randomUUID()}"}`);

function demand(response, digest, error) {
  const challenge = Challenge.from({
    id: randomUUID(),
    realm: 'careless',
    method: 'evm',
    intent: 'charge',
    expires: new Date(Date.now() + 60_000).toISOString(),
    digest,
    request: {
      amount: requirement.amount,
      currency: env.USDC,
      recipient: env.PAY_TO,
      methodDetails: { chainId: 8453, credentialTypes: ['authorization'], decimals: 6 },
    },
  });
  const required = {
    x402Version: 2,
    error,
    resource: { url: env.PUBLIC_URL },
    accepts: [requirement],
    extensions: { 'payment-identifier': { info: { required: false }, schema: { type: 'object' } } },
  };
  response
    .writeHead(402, {
      'PAYMENT-REQUIRED': encode(required),
      'WWW-Authenticate': Challenge.serialize(challenge),
      'Cache-Control': 'no-store',
    })
    .end('{}');
}

async function takePayment(payload, key, response) {
  const { authorization } = payload.payload;
  const wanted = flaw === 'trusts the requirements of the client' ? payload.accepted : requirement;
  const refuse = (error) => demand(response, undefined, error);
  const before = answered.get(authorization.nonce);
  if (before !== undefined) {
    if (flaw === 'serves again') return deliver(response);
    if (flaw === 'serves any request for a used payment' && before.key !== key) return deliver(response);
    if (before.key !== key) return refuse('used');
    return response.writeHead(200, before.headers).end(before.text);
  }
  if (flaw === 'serves one call' && known.size > 1) return refuse('closed');
  if (flaw === 'serves known payers' && known.has(authorization.from)) return deliver(response);
  if (wanted === requirement && encode(payload.accepted) !== encode(requirement))
    return refuse('other terms');
  try {
    const { isValid, invalidReason } = await facilitator('verify', payload, wanted);
    if (!isValid) return flaw === 'serves what was not verified' ? deliver(response) : refuse(invalidReason);
  } catch (error) {
    if (flaw === 'trusts when nothing answers') return deliver(response);
    return response.writeHead(502).end(String(error));
  }
  if (flaw === 'never settles') return deliver(response);
  if (flaw === 'serves before the settlement') {
    facilitator('settle', payload, wanted).catch(() => undefined);
    return deliver(response);
  }
  if (flaw === 'refuses and charges later') {
    sleep(4_000).then(() => facilitator('settle', payload, wanted));
    return refuse('not now');
  }
  let settled;
  try {
    settled = await facilitator('settle', payload, wanted);
  } catch (error) {
    if (flaw === 'trusts when nothing answers') return deliver(response);
    return response.writeHead(502).end(String(error));
  }
  if (flaw === 'charges and refuses') return refuse('unlucky');
  if (!settled.success && flaw !== 'serves although the settlement failed')
    return refuse(settled.errorReason);
  known.add(authorization.from);
  const told = {
    ...settled,
    ...(flaw === 'names another transaction' ? { transaction: `0x${'1'.repeat(64)}` } : {}),
    ...(flaw === 'names another network' ? { network: 'eip155:1' } : {}),
  };
  const headers = flaw === 'says nothing about the settlement' ? {} : { 'PAYMENT-RESPONSE': encode(told) };
  const text = `{"id":"${randomUUID()}"}`;
  if (flaw !== 'forgets') answered.set(authorization.nonce, { key, headers, text });
  return response.writeHead(200, headers).end(text);
}

createServer(async (request, response) => {
  busy += 1;
  try {
    const signed = request.headers['payment-signature'];
    const body = request.method === 'POST' ? await json(request).catch(() => null) : null;
    const isPaid = signed !== undefined || request.headers.authorization?.startsWith('Payment ');
    const digest = env.DIGEST === 'yes' ? `sha-256=:${Buffer.alloc(32, 1).toString('base64')}:` : undefined;
    if (!isPaid) return demand(response, digest);
    if (flaw === 'refuses under load' && busy > 4) return demand(response, undefined, 'busy');
    if (flaw === 'takes anything') {
      const headers = { 'Payment-Receipt': 'nonsense', 'PAYMENT-RESPONSE': 'nonsense' };
      if (body?.text === 'fail') return response.writeHead(500, headers).end();
      return deliver(response, headers);
    }
    if (signed === undefined) return demand(response, digest);
    const payload = decode(signed);
    if (typeof body?.text !== 'string') {
      if (flaw === 'charges for invalid input') await facilitator('settle', payload, requirement);
      return response.writeHead(400).end();
    }
    await takePayment(payload, `${request.url} ${JSON.stringify(body)}`, response);
  } catch (error) {
    response.writeHead(500).end(String(error));
  } finally {
    busy -= 1;
  }
}).listen(Number(env.PORT), '127.0.0.1');
