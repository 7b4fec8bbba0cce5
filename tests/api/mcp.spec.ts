import { remoteTools } from '@/lib/discovery/remote-tools';
import { accountWith, fromAnywhere } from '../support/accounts';
import { balanceOf } from '../support/balances';
import { paymentHeader, type Wallet } from '../support/buyer';
import { callsOf } from '../support/database';
import { exactOnly } from '../support/expectations';
import { aFile } from '../support/files';
import {
  callMessage,
  callTool,
  connectMcp,
  connectStatelessMcp,
  paidBy,
  paymentFor,
  postMcp,
} from '../support/mcp';
import { payingMcpClient } from '../support/mpp-buyer';
import { newEvmPayer, newSolanaPayer } from '../support/payers';
import { stack, type TestNetwork } from '../support/stack';
import { uploadsUrl } from '../support/uploads';
import { expect, test } from '../support/without-browser';

const startAtomic = 10_000_000n;
const priceAtomic = 5_000n;

const clients = {
  'the official client for sessions': () => connectMcp(),
  'the official client of the stateless revision': () => connectStatelessMcp(),
} as const;

async function expectChargedOnce(wallet: Wallet, on: TestNetwork['name']): Promise<void> {
  expect(await balanceOf(wallet, on)).toBe(startAtomic - priceAtomic);
  expect(await callsOf(wallet.address)).toBe(1);
}

async function expectNothingCharged(wallet: Wallet, on: TestNetwork['name']): Promise<void> {
  expect(await balanceOf(wallet, on)).toBe(startAtomic);
  expect(await callsOf(wallet.address)).toBe(0);
}

for (const [name, connect] of Object.entries(clients)) {
  test(`${name} lists every tool, and gets the document of a free one`, async () => {
    const client = await connect();
    const { tools } = await client.listTools();
    expect(tools.map((tool) => tool.name)).toEqual(remoteTools().map((tool) => tool.name));
    const { structuredContent, content, isError } = await callTool(client, 'tools_prices');
    const overHttp = await (await fetch(`${stack().apiUrl}/v1/tools/prices`)).json();
    expect(isError).toBeUndefined();
    expect(structuredContent).toEqual(overHttp);
    expect(JSON.parse(content[0]?.text ?? '')).toEqual(overHttp);
    await client.close();
  });

  for (const on of ['base', 'solana-mainnet'] as const) {
    test(`${name} pays on ${on} over x402, and the same payment gets the same result and is not charged again`, async () => {
      const client = await connect();
      const wallet = on === 'base' ? await newEvmPayer() : await newSolanaPayer();
      const { announcement } = aFile();
      const payment = await paymentFor(client, 'uploads_create', announcement, wallet, on);
      const first = await callTool(client, 'uploads_create', announcement, paidBy(payment));
      expect(first.structuredContent).toMatchObject({ uploadMethod: 'PUT' });
      expect(first._meta['x402/payment-response']).toMatchObject({ success: true, payer: wallet.address });
      const again = await callTool(client, 'uploads_create', announcement, paidBy(payment));
      expect(again.content).toEqual(first.content);
      expect(again._meta['tuppence/replayed']).toBe('true');
      expect(again._meta['x402/payment-response']).toEqual(first._meta['x402/payment-response']);
      await expectChargedOnce(wallet, on);
      await client.close();
    });
  }

  test(`${name} pays with the official MPP client, and gets a receipt`, async () => {
    const client = await connect();
    const wallet = await newEvmPayer();
    const { announcement } = aFile();
    // The wrapper's type is for the older client. Both clients have the method that it replaces.
    const paying = payingMcpClient(client as Awaited<ReturnType<typeof connectMcp>>, wallet, 'base');
    const { structuredContent, _meta } = await callTool(paying, 'uploads_create', announcement);
    expect(structuredContent).toMatchObject({ uploadMethod: 'PUT' });
    expect(_meta['org.paymentauth/receipt']).toMatchObject({
      method: 'evm',
      status: 'success',
      challengeId: expect.any(String),
      reference: expect.stringMatching(/^0x[0-9a-f]{64}$/),
    });
    await expectChargedOnce(wallet, 'base');
    await client.close();
  });
}

test('one result asks for a payment over both protocols, and says what an assistant can do', async () => {
  const client = await connectMcp();
  const { isError, structuredContent, content, _meta } = await callTool(client, 'uploads_create');
  expect(isError).toBe(true);
  expect(structuredContent).toMatchObject({
    x402Version: 2,
    resource: { url: 'mcp://tool/uploads_create' },
    extensions: { 'payment-identifier': expect.anything() },
  });
  expect(exactOnly(structuredContent.accepts)).toHaveLength(4);
  expect(content).toEqual([
    { type: 'text', text: expect.stringMatching(/^This call costs 0\.005 USDC\. Nothing was charged\./) },
  ]);
  expect(_meta['org.paymentauth/payment-required'].challenges).toHaveLength(3);
  await client.close();
});

test('a model reads at most 40 KB of tools, and at most 4.5 KB of what an unpaid call answers', async () => {
  const listed = await postMcp({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
  expect(Buffer.byteLength(await listed.text())).toBeLessThan(40_000);
  for (const { name, operation } of remoteTools()) {
    if (!('price' in operation)) continue;
    const args = { ...operation.example.params, ...operation.example.body };
    const answer = await postMcp(callMessage(name, args));
    const text = await answer.text();
    expect(JSON.parse(text).result, name).toMatchObject({
      isError: true,
      structuredContent: { x402Version: 2 },
    });
    expect(Buffer.byteLength(text), name).toBeLessThan(4_500);
  }
});

test('a payment that is not accepted is told with the reason first', async () => {
  const client = await connectMcp();
  const { content, structuredContent } = await callTool(client, 'uploads_create', aFile().announcement, {
    'x402/payment': { x402Version: 2 },
  });
  expect(content[0]?.text).toContain('The payment was not accepted: ');
  expect(content[0]?.text).toContain(structuredContent.error);
  await client.close();
});

test('a call that was paid over MCP is the same call over HTTP', async () => {
  const client = await connectMcp();
  const wallet = await newEvmPayer();
  const { announcement, body } = aFile();
  const payment = await paymentFor(client, 'uploads_create', announcement, wallet, 'base');
  const { structuredContent } = await callTool(client, 'uploads_create', announcement, paidBy(payment));
  const overHttp = await fetch(uploadsUrl(), { method: 'POST', headers: paymentHeader(payment), body });
  expect(await overHttp.json()).toEqual(structuredContent);
  await expectChargedOnce(wallet, 'base');
  await client.close();
});

test('a new payment under the same idempotency key gets the first result and is not charged', async () => {
  const client = await connectMcp();
  const wallet = await newEvmPayer();
  const args = { ...aFile().announcement, idempotencyKey: 'a-key-of-the-caller' };
  const pay = async () =>
    callTool(client, 'uploads_create', args, {
      ...paidBy(await paymentFor(client, 'uploads_create', args, wallet, 'base')),
      'tuppence/idempotency-key': 'a-key-of-the-caller',
    });
  const first = await pay();
  expect(first.isError).toBeUndefined();
  expect((await pay()).content).toEqual(first.content);
  await expectChargedOnce(wallet, 'base');
  await client.close();
});

test('a payment buys one call of one tool, and nothing is asked for again once it is used', async () => {
  const client = await connectMcp();
  const wallet = await newEvmPayer();
  const { announcement } = aFile();
  const payment = await paymentFor(client, 'uploads_create', announcement, wallet, 'base');
  expect((await callTool(client, 'uploads_create', announcement, paidBy(payment))).isError).toBeUndefined();
  const other = await callTool(client, 'uploads_create', aFile().announcement, paidBy(payment));
  expect(other.isError).toBe(true);
  expect(other.structuredContent.error.code).toBe('idempotency_conflict');
  const { extensions, ...seenOnChain } = payment;
  const stranger = await callTool(client, 'uploads_create', announcement, { 'x402/payment': seenOnChain });
  expect(stranger.structuredContent.error.code).toBe('payment_already_used');
  await expectChargedOnce(wallet, 'base');
  await client.close();
});

test('invalid arguments cost nothing, and the result names them', async () => {
  const client = await connectMcp();
  const wallet = await newEvmPayer();
  const args = { ...aFile().announcement, sha256: 'no digest' };
  const payment = await paymentFor(client, 'uploads_create', args, wallet, 'base');
  const { isError, structuredContent } = await callTool(client, 'uploads_create', args, paidBy(payment));
  expect(isError).toBe(true);
  expect(structuredContent.error).toMatchObject({
    code: 'invalid_input',
    payment: 'none',
    issues: [{ path: 'sha256' }],
  });
  await expectNothingCharged(wallet, 'base');
  await client.close();
});

test('a payment that is refused asks for another, and costs nothing', async () => {
  const client = await connectMcp();
  const wallet = await newEvmPayer();
  const { announcement } = aFile();
  const payment = await paymentFor(client, 'airports_search', { query: 'LON' }, wallet, 'base');
  const { isError, structuredContent } = await callTool(
    client,
    'uploads_create',
    announcement,
    paidBy(payment),
  );
  expect(isError).toBe(true);
  expect(structuredContent).toMatchObject({ x402Version: 2, error: expect.stringContaining('value') });
  await expectNothingCharged(wallet, 'base');
  await client.close();
});

test('an account pays for tools with its bearer token: once for each idempotency key', async () => {
  const account = await accountWith('1');
  const client = await connectMcp(stack().apiUrl, account.token);
  const { announcement } = aFile();
  const without = await callTool(client, 'uploads_create', announcement);
  expect(without.structuredContent.error.issues[0].path).toBe('idempotencyKey');
  const args = { ...announcement, idempotencyKey: 'one' };
  const first = await callTool(client, 'uploads_create', args);
  expect(first.structuredContent).toMatchObject({ uploadMethod: 'PUT' });
  expect((await callTool(client, 'uploads_create', args)).content).toEqual(first.content);
  expect((await callTool(client, 'account_get')).structuredContent.balance).toBe('0.995');
  const { uploads } = (await callTool(client, 'account_uploads', { limit: 5 })).structuredContent;
  expect(uploads).toMatchObject([{ id: first.structuredContent.id }]);
  const removed = await callTool(client, 'account_delete_upload', { id: uploads[0].id });
  expect(removed.structuredContent.deleted).toBe(true);
  await client.close();
});

test('an empty account is told where to add money, and no client takes that for a challenge', async () => {
  const opened = await postMcp(callMessage('account_create', {}), fromAnywhere());
  const { token, depositUrl } = (await opened.json()).result.structuredContent;
  const client = await connectMcp(stack().apiUrl, token);
  const args = { ...aFile().announcement, idempotencyKey: 'one' };
  const { isError, structuredContent, _meta } = await callTool(client, 'uploads_create', args);
  expect(isError).toBe(true);
  expect(structuredContent.error).toMatchObject({ code: 'insufficient_balance', account: { depositUrl } });
  expect(_meta['org.paymentauth/payment-required']).toBeUndefined();
  await client.close();
});

test('only a token that was sent and is wrong gets a 401: clients then ask a person for another', async () => {
  const anonymous = await postMcp(callMessage('account_get', {}));
  expect(anonymous.status).toBe(200);
  expect((await anonymous.json()).result.structuredContent.error.code).toBe('account_token_required');
  const wrong = await postMcp(callMessage('account_get', {}), {
    Authorization: 'Bearer tpt_wrong',
    ...fromAnywhere(),
  });
  expect(wrong.status).toBe(401);
  expect(wrong.headers.get('www-authenticate')).toBe('Bearer');
  expect((await wrong.json()).error.data.code).toBe('account_token_wrong');
});

test('the responses to a form are read with its own token, as an argument', async () => {
  const { result } = await (
    await postMcp(callMessage('forms_responses', { id: 'fm_7Yd2kTq0BvXn4sWc9LzRj3Hp', readToken: 'wrong' }))
  ).json();
  expect(result.isError).toBe(true);
  expect(['form_not_found', 'read_token_wrong']).toContain(result.structuredContent.error.code);
});
