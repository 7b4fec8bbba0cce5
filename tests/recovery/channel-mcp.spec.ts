import type { PaymentRequired, SettleResponse } from '@x402/core/types';
import type { x402Client } from '@x402/fetch';
import { aFile } from '../support/files';
import { callTool, connectMcp, paidBy, type ToolAnswer } from '../support/mcp';
import { expect, test } from './fixtures';
import { buy, channelClient, channelOf, startChannelRig } from './rig/channels';
import type { Rig } from './rig/rig';

// Tools are paid with vouchers just like calls. The x402 payment is in `_meta`, and so is its receipt.

const mismatch = 'invalid_batch_settlement_evm_cumulative_amount_mismatch';

let rig: Rig;
let mcp: Awaited<ReturnType<typeof connectMcp>>;
test.beforeAll(async () => {
  rig = await startChannelRig();
  mcp = await connectMcp(rig.apiUrl);
});
test.afterAll(async () => {
  await mcp.close();
  await rig.close();
});

const tool = 'uploads_create';

type Arguments = ReturnType<typeof aFile>['announcement'];

/** The payment that the official client signs for a tool call through its channel. */
async function payFor(client: x402Client, args: Arguments) {
  const { structuredContent } = await callTool(mcp, tool, args);
  return client.createPaymentPayload(structuredContent as PaymentRequired);
}

/** Tells the client its payment's outcome, as HTTP clients do from response headers. */
async function tellClient(
  client: x402Client,
  paymentPayload: Awaited<ReturnType<typeof payFor>>,
  { structuredContent, _meta }: ToolAnswer,
): Promise<boolean> {
  const settleResponse: SettleResponse | undefined = _meta?.['x402/payment-response'];
  const paymentRequired: PaymentRequired | undefined = structuredContent.x402Version && structuredContent;
  const { accepted: requirements } = paymentPayload;
  const told = await client.handlePaymentResponse({
    paymentPayload,
    requirements,
    settleResponse,
    paymentRequired,
  });
  return told?.recovered === true;
}

/** A paid tool call, repeated once if the client's record of its channel was wrong. */
async function buyByTool(client: x402Client, args: Arguments = aFile().announcement): Promise<ToolAnswer> {
  const payment = await payFor(client, args);
  const answer = await callTool(mcp, tool, args, paidBy(payment));
  if (!(await tellClient(client, payment, answer))) return answer;
  const next = await payFor(client, args);
  const corrected = await callTool(mcp, tool, args, paidBy(next));
  await tellClient(client, next, corrected);
  return corrected;
}

test('a tool is paid by a deposit first and by vouchers then, each with its receipt', async () => {
  const payer = await rig.newEvmPayer();
  const { client } = channelClient(rig, payer);
  const first = await buyByTool(client);
  expect(first.structuredContent).toMatchObject({ uploadMethod: 'PUT' });
  expect(first._meta['x402/payment-response'].transaction).toMatch(/^0x[0-9a-f]{64}$/);
  const second = await buyByTool(client);
  expect(second._meta['x402/payment-response']).toMatchObject({ success: true, transaction: '' });
  expect(second.structuredContent.id).not.toBe(first.structuredContent.id);
  expect(await channelOf(rig, payer)).toMatchObject({ charged: 10_000, balance: 1_000_000 });
  expect(await rig.audit()).toEqual([]);
});

test('a tool call that is repeated with its voucher gets its answer again, and one with other arguments buys nothing', async () => {
  const payer = await rig.newEvmPayer();
  const { client } = channelClient(rig, payer);
  await buyByTool(client);
  const args = aFile().announcement;
  const payment = await payFor(client, args);
  const first = await callTool(mcp, tool, args, paidBy(payment));
  const again = await callTool(mcp, tool, args, paidBy(payment));
  expect(again.content).toEqual(first.content);
  expect(again._meta['tuppence/replayed']).toBe('true');
  const other = await callTool(mcp, tool, { ...args, filename: 'other.txt' }, paidBy(payment));
  expect([other.isError, other.structuredContent.error]).toEqual([true, mismatch]);
  expect(await channelOf(rig, payer)).toMatchObject({ charged: 10_000 });
});

test('one channel pays for tools and for calls, and a client that has lost count is told where it stands', async () => {
  const payer = await rig.newEvmPayer();
  const { client } = channelClient(rig, payer);
  await buyByTool(client);
  await buy(rig, channelClient(rig, payer).fetch, 2);
  // The other client has spent two calls that this one does not know about.
  const answer = await buyByTool(client);
  expect(answer.structuredContent).toMatchObject({ uploadMethod: 'PUT' });
  expect(await channelOf(rig, payer)).toMatchObject({ charged: 20_000, balance: 1_000_000 });
  expect(await rig.audit()).toEqual([]);
});
