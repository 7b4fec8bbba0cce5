import { McpError } from '@modelcontextprotocol/sdk/types.js';
import { fromAnywhere, openAccount } from '../support/accounts';
import { callMessage as call, connectLaterMcp, connectMcp, postMcp } from '../support/mcp';
import { stack } from '../support/stack';
import { expect, test } from '../support/without-browser';

/** Messages to the remote MCP server that none of our clients would send. */

const list = { jsonrpc: '2.0', id: 7, method: 'tools/list' };
const env = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};
const modern = (method: string, version = '2026-07-28') => ({
  'MCP-Protocol-Version': version,
  'Mcp-Method': method,
});
const withMeta = (meta: object) => ({ ...list, params: { _meta: meta } });

/** Messages that are refused, with the HTTP status, the JSON-RPC code and the field that the error names. */
const refused: readonly [string, unknown, Record<string, string>, number, number, string][] = [
  ['no JSON', '{"jsonrpc"', {}, 200, -32700, 'body'],
  ['a batch', [list, list], {}, 200, -32600, 'body'],
  ['an empty batch', [], {}, 200, -32600, 'body'],
  ['a text', '"tools/list"', {}, 200, -32600, 'body'],
  ['a response', { jsonrpc: '2.0', id: 7, result: {} }, {}, 200, -32600, 'method'],
  ['another version of JSON-RPC', { ...list, jsonrpc: '1.0' }, {}, 200, -32600, 'jsonrpc'],
  ['an object as its ID', { ...list, id: {} }, {}, 200, -32600, 'id'],
  ['null as its ID', { ...list, id: null }, {}, 200, -32600, 'id'],
  ['a fraction as its ID', { ...list, id: 1.5 }, {}, 200, -32600, 'id'],
  ['a list of parameters', { ...list, params: [] }, {}, 200, -32600, 'params'],
  ['a million levels', '['.repeat(1_000_000), {}, 200, -32600, 'body'],
  ['too many values', `[${'0,'.repeat(300_000)}0]`, {}, 200, -32600, 'body'],
  ['no tool', call(undefined, {}), {}, 200, -32602, 'params.name'],
  ['an unknown tool', call('uploads_steal', {}), {}, 200, -32602, 'params.name'],
  ['the name of a prototype', call('__proto__', {}), {}, 200, -32602, 'params.name'],
  ['a number as a tool', call(5, {}), {}, 200, -32602, 'params.name'],
  ['a text as arguments', call('health', 'x'), {}, 200, -32602, 'params.arguments'],
  ['a list as _meta', call('health', {}, []), {}, 200, -32602, 'params._meta'],
  ['a cursor', { ...list, params: { cursor: 'x' } }, {}, 200, -32602, 'params.cursor'],
  [
    'a text as a payment',
    call('uploads_create', {}, { 'x402/payment': 'x' }),
    {},
    200,
    -32602,
    'params._meta["x402/payment"]',
  ],
  [
    'no credential as a credential',
    call('uploads_create', {}, { 'org.paymentauth/credential': { challenge: { __proto__: 1 } } }),
    {},
    200,
    -32602,
    'params._meta["org.paymentauth/credential"]',
  ],
  [
    'two payments',
    call('uploads_create', {}, { 'x402/payment': {}, 'org.paymentauth/credential': {} }),
    {},
    200,
    -32602,
    'params._meta["org.paymentauth/credential"]',
  ],
  [
    'a payment and a token',
    call('uploads_create', {}, { 'x402/payment': {} }),
    { Authorization: 'Bearer x' },
    200,
    -32602,
    'Authorization',
  ],
  [
    'an unknown version in its header',
    list,
    { 'MCP-Protocol-Version': '1999-01-01' },
    400,
    -32022,
    'MCP-Protocol-Version',
  ],
  [
    'an unknown version',
    withMeta({ ...env, 'io.modelcontextprotocol/protocolVersion': '2030-01-01' }),
    modern('tools/list', '2030-01-01'),
    400,
    -32022,
    'MCP-Protocol-Version',
  ],
  [
    'another version in its header',
    withMeta(env),
    modern('tools/list', '2025-11-25'),
    400,
    -32020,
    'MCP-Protocol-Version',
  ],
  ['another method in its header', withMeta(env), modern('tools/call'), 400, -32020, 'Mcp-Method'],
  [
    'another tool in its header',
    call('health', {}, env),
    { ...modern('tools/call'), 'Mcp-Name': 'tools_prices' },
    400,
    -32020,
    'Mcp-Name',
  ],
  [
    'no version in its body',
    list,
    modern('tools/list'),
    400,
    -32602,
    'params._meta.io.modelcontextprotocol/protocolVersion',
  ],
  [
    'no client',
    withMeta({ ...env, 'io.modelcontextprotocol/clientInfo': 1 }),
    modern('tools/list'),
    400,
    -32602,
    'params._meta.io.modelcontextprotocol/clientInfo',
  ],
  [
    'an unknown tool, in the stateless revision',
    call('uploads_steal', {}, env),
    { ...modern('tools/call'), 'Mcp-Name': 'uploads_steal' },
    400,
    -32602,
    'params.name',
  ],
  [
    'a list as arguments, in the stateless revision',
    call('health', [], env),
    { ...modern('tools/call'), 'Mcp-Name': 'health' },
    400,
    -32602,
    'params.arguments',
  ],
  [
    'a list as parameters and no ID',
    { jsonrpc: '2.0', method: 'ping', params: [] },
    {},
    400,
    -32600,
    'params',
  ],
  ['a list as arguments', call('health', []), {}, 200, -32602, 'params.arguments'],
  ['no parameters', { ...list, method: 'tools/call' }, {}, 200, -32602, 'params.name'],
  ['another media type', list, { 'Content-Type': 'text/plain' }, 415, -32000, 'Content-Type'],
  ['the origin of files', list, { Origin: 'FILES' }, 403, -32000, 'Origin'],
  ['an origin that is none', list, { Origin: 'x y' }, 403, -32000, 'Origin'],
];

for (const [what, message, headers, status, code, path] of refused) {
  test(`a message with ${what} is refused, and the error names the field`, async () => {
    const sent = headers.Origin === 'FILES' ? { Origin: stack().filesUrl } : headers;
    const answer = await postMcp(message, { ...fromAnywhere(), ...sent });
    const { jsonrpc, error } = await answer.json();
    expect([jsonrpc, answer.status, error.code, error.data.issues[0].path]).toEqual([
      '2.0',
      status,
      code,
      path,
    ]);
    expect(error.data).toMatchObject({ payment: 'none', requestId: answer.headers.get('request-id') });
  });
}

test('methods that the server does not have are unknown, with 404 where clients expect it', async () => {
  const earlier = await postMcp({ ...list, method: 'resources/list' });
  const { error } = await earlier.json();
  expect([earlier.status, error.code, error.data.code]).toEqual([200, -32601, 'not_found']);
  expect(error.data.message).toContain('has no such method');
  const stateless = await postMcp({ ...withMeta(env), method: 'resources/list' }, modern('resources/list'));
  expect([stateless.status, (await stateless.json()).error.code]).toEqual([404, -32601]);
});

for (const version of ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05', '2024-10-07']) {
  test(`revision ${version} is accepted as the client asked for it`, async () => {
    const params = { protocolVersion: version, capabilities: {}, clientInfo: { name: 'test', version: '1' } };
    const begun = await postMcp({ ...list, method: 'initialize', params });
    expect((await begun.json()).result.protocolVersion).toBe(version);
    const listed = await postMcp(list, { 'MCP-Protocol-Version': version });
    expect([listed.status, Object.keys(await listed.json())]).toEqual([200, ['jsonrpc', 'id', 'result']]);
  });
}

test('parameters, arguments and _meta that are null are the same as left out', async () => {
  for (const message of [
    { ...list, params: null },
    { ...list, params: { cursor: null, _meta: null } },
    { ...list, method: 'tools/call', params: { name: 'health', arguments: null, _meta: null } },
  ]) {
    const { result } = await (await postMcp(message)).json();
    expect(result.isError).toBeUndefined();
    expect(result.tools ?? result.content).toEqual(expect.any(Array));
  }
});

test('a call that an account would pay is told everything that is wrong at once, the input first', async () => {
  const { token } = await openAccount();
  const wrong = { query: 5, unknown: true };
  const answer = await postMcp(call('airports_search', wrong), { Authorization: `Bearer ${token}` });
  const { error } = (await answer.json()).result.structuredContent;
  expect(error.code).toBe('invalid_input');
  expect(error.issues.map(({ path }: { path: string }) => path)).toEqual([
    'query',
    'unknown',
    'idempotencyKey',
  ]);
  const overHttp = await fetch(`${stack().apiUrl}/v1/account/airports/search`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}` },
    body: JSON.stringify(wrong),
  });
  expect((await overHttp.json()).error.issues.map(({ path }: { path: string }) => path)).toEqual([
    'query',
    'unknown',
    'Idempotency-Key',
  ]);
});

test('the official clients see protocol errors with the wrong field, and unknown methods', async () => {
  const client = await connectMcp();
  const unknown = await client.callTool({ name: 'uploads_steal', arguments: {} }).catch((error) => error);
  expect(unknown).toBeInstanceOf(McpError);
  expect(unknown).toMatchObject({
    code: -32602,
    data: { issues: [{ path: 'params.name' }], payment: 'none' },
  });
  const method = await client.listResources().catch((error) => error);
  expect(method).toMatchObject({ code: -32601 });
  await client.close();

  const later = await connectLaterMcp();
  const refusedByLater = await later
    .callTool({ name: 'uploads_steal', arguments: {} })
    .catch((error) => error);
  expect(refusedByLater).toMatchObject({ code: -32602, data: { issues: [{ path: 'params.name' }] } });
  await later.close();
});

test('a message that is too large is refused before it is read', async () => {
  const answer = await postMcp(call('health', { padding: 'x'.repeat(8_000_000) }), fromAnywhere());
  expect(answer.status).toBe(413);
  expect((await answer.json()).error.data).toMatchObject({ code: 'body_too_large', payment: 'none' });
});

test('notifications and cancellations are taken and change nothing', async () => {
  for (const method of ['notifications/initialized', 'notifications/cancelled', 'tools/call']) {
    const answer = await postMcp({ jsonrpc: '2.0', method, params: { requestId: 7 } });
    expect([answer.status, await answer.text()]).toEqual([202, '']);
  }
});

test('there is no stream and no session: only POST is supported, from every origin', async () => {
  const url = `${stack().apiUrl}/mcp`;
  for (const method of ['GET', 'DELETE', 'PUT']) {
    const answer = await fetch(url, { method, headers: { Accept: 'text/event-stream' } });
    expect([method, answer.status, answer.headers.get('allow')]).toEqual([method, 405, 'OPTIONS, POST']);
  }
  const asked = await fetch(url, { method: 'OPTIONS', headers: { Origin: 'https://agent.example' } });
  expect(asked.status).toBe(204);
  expect(asked.headers.get('access-control-allow-origin')).toBe('*');
  expect(asked.headers.get('access-control-allow-headers')).toContain('Mcp-Method');
  const answer = await postMcp(list, { Origin: 'https://agent.example' });
  expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([200, '*']);
});
