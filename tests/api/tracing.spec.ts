import path from 'node:path';
import { type Rig, startRig } from '../recovery/rig/rig';
import { until } from '../recovery/rig/waiting';
import { envelopeFor, paymentHeader } from '../support/buyer';
import { type HttpRequest, startHttpProxy } from '../support/http-proxy';
import { type CollectedSpan, type OtlpCollector, startCollector } from '../support/otlp-collector';
import { startServer, type TestServer } from '../support/server';
import { stack } from '../support/stack';
import { shortTimings } from '../support/timings';
import { expect, test } from '../support/without-browser';

/** Traces of paid calls (docs/tracing.md), as a collector gets them, and entries of the access log. */

const caller = { trace: '4bf92f3577b34da6a3ce929d0e0e4736', span: '00f067aa0ba902b7' };
const ours = `00-${caller.trace}-${caller.span}-00`;
const secretQuery = 'a query that nobody else may read';
const body = JSON.stringify({ query: secretQuery });

let rig: Rig;
/** Where Exa's sandbox is. */
let exa: string;
let collector: OtlpCollector;
let provider: Awaited<ReturnType<typeof startHttpProxy>>;
let server: TestServer;
const sentToProvider: HttpRequest[] = [];

const envWith = (settings: Record<string, string>) => ({
  ...rig.serverEnv,
  EXA_BASE_URL: provider.url + new URL(exa).pathname,
  NODE_OPTIONS: `--require ${path.resolve('tests/support/tell-packages.cjs')}`,
  ...settings,
});

test.beforeAll(async () => {
  rig = await startRig();
  exa = stack().serverEnv.EXA_BASE_URL ?? '';
  collector = await startCollector();
  provider = await startHttpProxy(exa);
  provider.intercept((request) => {
    sentToProvider.push(request);
    return null;
  });
  const settings = {
    ACCESS_LOG: 'true',
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_HEADERS: 'X-Team=two%20pence',
    OTEL_SERVICE_NAME: 'shop',
  };
  server = await startServer(envWith(settings), { timings: shortTimings });
});
test.afterAll(async () => {
  await server?.kill();
  await Promise.all([collector?.close(), provider?.close()]);
  await rig?.close();
});

/** Sends a paid search, or the same one again. */
async function buySearch(apiUrl: string, headers: Record<string, string>, payment?: Record<string, string>) {
  const url = `${apiUrl}/v1/neural/search`;
  const paid = payment ?? paymentHeader(await envelopeFor(url, await rig.newEvmPayer(), 'base'));
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...paid, ...headers },
    body,
  });
  return { response, payment: paid, requestId: response.headers.get('request-id') ?? '' };
}

/** All spans of the trace that the request with this id is in. */
async function traceOf(requestId: string): Promise<readonly CollectedSpan[]> {
  const isRequest = ({ attributes }: CollectedSpan) => attributes['tuppence.request.id'] === requestId;
  const request = await until('the trace of a request', async () => collector.spans.find(isRequest));
  // Its span ended last.
  return collector.spans.filter(({ traceId }) => traceId === request.traceId);
}

test('a paid call continues the trace of its caller, with a span for each phase and for the provider', async () => {
  const key = 'key-of-this-caller';
  const { response, requestId, payment } = await buySearch(server.apiUrl, {
    'Idempotency-Key': key,
    traceparent: ours,
    tracestate: 'vendor=of-the-caller',
    baggage: 'user=alice',
  });
  expect(response.status, await response.clone().text()).toBe(200);
  const spans = await traceOf(requestId);
  const [request] = spans.filter(({ kind }) => kind === 2);
  expect(request).toMatchObject({
    name: 'POST /v1/neural/search',
    traceId: caller.trace,
    parentSpanId: caller.span,
    traceState: 'vendor=of-the-caller',
    status: { code: 0 },
    attributes: {
      'http.request.method': 'POST',
      'http.route': '/v1/neural/search',
      'http.response.status_code': 200,
      'tuppence.operation': 'neural.search',
      'tuppence.rail': 'x402',
      'tuppence.network': 'base',
      'tuppence.result': 'delivered',
      'tuppence.paid_call.id': response.headers.get('paid-call-id'),
      'tuppence.request.id': requestId,
    },
    resource: { 'service.name': 'shop', 'service.version': expect.any(String) },
  });
  const phases = spans.filter(({ parentSpanId }) => parentSpanId === request?.spanId);
  expect(phases.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['look_up', 'verify', 'claim', 'settle', 'deliver', 'record']),
  );
  for (const phase of phases) {
    expect(phase.startTimeUnixNano >= (request?.startTimeUnixNano ?? 0n), phase.name).toBe(true);
    expect(phase.endTimeUnixNano <= (request?.endTimeUnixNano ?? 0n), phase.name).toBe(true);
  }
  const toExa = spans.find(({ kind }) => kind === 3);
  expect(toExa).toMatchObject({
    name: 'request to exa',
    parentSpanId: phases.find(({ name }) => name === 'deliver')?.spanId,
    attributes: { 'tuppence.provider': 'exa', 'http.response.status_code': 200 },
  });
  // The provider learns the trace, and nothing that the caller said about it.
  expect(sentToProvider).toHaveLength(1);
  const { traceparent, tracestate, baggage } = sentToProvider[0]?.headers ?? {};
  expect([traceparent, tracestate, baggage]).toEqual([
    `00-${caller.trace}-${toExa?.spanId}-01`,
    undefined,
    undefined,
  ]);
  expect(collector.headers()).toMatchObject({ 'content-type': 'application/json', 'x-team': 'two pence' });
  const { payload } = JSON.parse(Buffer.from(payment['PAYMENT-SIGNATURE'] ?? '', 'base64').toString());
  const secrets = [
    secretQuery,
    key,
    payload.signature,
    payload.authorization.from,
    rig.serverEnv.EXA_API_KEY,
  ];
  for (const secret of secrets.filter(Boolean))
    expect(collector.text().toLowerCase()).not.toContain(String(secret).toLowerCase());
  expect(server.output()).toContain('loads @opentelemetry/sdk-trace');
});

test('a call with an invalid trace context begins a trace of its own, and nothing of it reaches the collector', async () => {
  const first = await buySearch(server.apiUrl, {});
  const [own] = (await traceOf(first.requestId)).filter(({ kind }) => kind === 2);
  expect(own?.parentSpanId).toBeUndefined();
  const hostile = [
    ...[
      '',
      'x'.repeat(8_000),
      ours.toUpperCase(),
      `${ours}-extra`,
      `${ours}, ${ours}`,
      ours.replace('00-', 'ff-'),
    ],
    ...[ours.replace(caller.trace, '0'.repeat(32)), ours.replace(caller.span, '0'.repeat(16))],
    ...[ours.replace('4bf9', '4bf'), `${ours}\u00e9`, "00-'; DROP TABLE posting;---01"],
  ];
  for (const traceparent of hostile) {
    const { response, requestId } = await buySearch(server.apiUrl, { traceparent }, first.payment);
    expect([traceparent, response.status]).toEqual([traceparent, 200]);
    const [request, ...others] = (await traceOf(requestId)).filter(({ kind }) => kind === 2);
    expect([traceparent, request?.parentSpanId, others]).toEqual([traceparent, undefined, []]);
    expect(request?.traceId).not.toBe(caller.trace);
    expect(request?.attributes).toMatchObject({ 'tuppence.replayed': true });
  }
  for (const tracestate of [`a=${'b'.repeat(8_000)}`, '=,=;\t', 'UPPER=case']) {
    const { response, requestId } = await buySearch(
      server.apiUrl,
      { traceparent: ours, tracestate },
      first.payment,
    );
    expect(response.status).toBe(200);
    for (const { traceState = '' } of await traceOf(requestId))
      expect(traceState).toMatch(/^(vendor=of-the-caller)?$/);
  }
});

test('the access log has an entry for each request, and nothing in it that its caller chose', async () => {
  const { response, requestId } = await buySearch(server.apiUrl, {});
  const secrets = ['fm_4fQm9WzR2sKx7LdTn0VbYcHj', 'a-secret-token', 'somebody@example.com', 'Mozilla/secret'];
  const [form = '', token = '', mail = '', agent = ''] = secrets;
  const asked: readonly (readonly [method: string, url: string, route: string])[] = [
    ['POST', `${server.apiUrl}/v1/neural/search?mail=${mail}`, '/v1/neural/search'],
    ['GET', `${server.apiUrl}/v1/paid-calls/${token}`, '/v1/paid-calls/{id}'],
    ['GET', `${server.apiUrl}/f/${form}?to=${mail}`, '/f/*'],
    ['GET', `${server.apiUrl}/report/${token}`, '/report/*'],
    ['GET', `${server.apiUrl}/${token}/${form}`, '(none)'],
    ['HEAD', `${server.apiUrl}/llms.txt`, '/llms.txt'],
    ['GET', `${server.filesUrl}/${token}/${mail}`, '(file)'],
  ];
  const entries = () =>
    server
      .output()
      .split('\n')
      .filter((line) => line.includes('"msg":"a request"'))
      .map((line) => JSON.parse(line));
  const entryOf = (id: string) =>
    until(`an entry for ${id}`, async () => entries().find((entry) => entry.requestId === id));
  const paid = await entryOf(requestId);
  expect(paid).toMatchObject({
    method: 'POST',
    route: '/v1/neural/search',
    status: 200,
    paidCallId: response.headers.get('paid-call-id'),
  });
  expect(paid.ms).toBeGreaterThan(0);
  expect(paid.bytes).toBeGreaterThan(Number(response.headers.get('content-length') ?? 0));
  for (const [method, url, route] of asked) {
    const answered = await fetch(url, {
      method,
      headers: { 'User-Agent': agent, Authorization: `Bearer ${token}` },
    });
    const entry = await entryOf(answered.headers.get('request-id') ?? '');
    expect([url, entry]).toMatchObject([url, { method, route, status: answered.status }]);
  }
  for (const secret of secrets) expect(JSON.stringify(entries())).not.toContain(secret);
});

test('without a collector nothing of tracing is loaded or sent on, and without the setting no request is logged', async () => {
  const plain = await startServer(envWith({}));
  try {
    sentToProvider.length = 0;
    const { response } = await buySearch(plain.apiUrl, { traceparent: ours });
    expect(response.status).toBe(200);
    expect(sentToProvider.map(({ headers }) => headers.traceparent)).toEqual([undefined]);
    // The framework looks for the interface alone.
    const loaded = plain.output().matchAll(/^loads (.*)$/gm);
    expect(
      [...new Set([...loaded].map(([, name]) => name))].filter((name) => name !== '@opentelemetry/api'),
    ).toEqual([]);
    expect(plain.output()).not.toContain('"msg":"a request"');
  } finally {
    await plain.stop();
  }
});

test('calls go on while the collector hangs or is gone, the log says so, and a stop does not wait for it', async () => {
  collector.behave('hang');
  const first = await buySearch(server.apiUrl, {});
  expect(first.response.status).toBe(200);
  await collector.close();
  const answers = await Promise.all(
    Array.from({ length: 5 }, () => buySearch(server.apiUrl, {}, first.payment)),
  );
  expect(answers.map(({ response }) => response.status)).toEqual([200, 200, 200, 200, 200]);
  await until('the log says so', async () => server.output().includes('the collector took no traces'));
  expect(server.output()).not.toContain(collector.url);
  const stoppedAt = Date.now();
  await server.stop();
  expect(Date.now() - stoppedAt).toBeLessThan(10_000);
});
