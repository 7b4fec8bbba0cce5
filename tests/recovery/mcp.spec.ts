import { aFile } from '../support/files';
import { callTool, connectMcp, mppPaymentFor, paidBy, paymentFor, postMcp } from '../support/mcp';
import { expect, test } from './fixtures';
import { fundedAccount } from './rig/accounts';
import { lockDelivery } from './rig/delivery-lock';
import { expectPaidAndDeliveredOnce, untilState, uploadsOf } from './rig/found';
import { type Rig, startRig } from './rig/rig';
import { until } from './rig/waiting';

test.setTimeout(180_000);

interface ToolRequest {
  readonly args: Record<string, unknown>;
  readonly meta?: Record<string, unknown>;
  readonly headers?: Record<string, string>;
}

let lastId = 0;

/** Sends a tool call once, under a new ID, as clients do after losing an answer. Rejects if there is no answer. */
async function ask(rig: Pick<Rig, 'apiUrl'>, { args, meta, headers }: ToolRequest, signal?: AbortSignal) {
  lastId += 1;
  const message = {
    jsonrpc: '2.0',
    id: lastId,
    method: 'tools/call',
    params: { name: 'uploads_create', arguments: args, ...(meta ? { _meta: meta } : {}) },
  };
  const answer = await postMcp(message, headers, rig.apiUrl, signal);
  return (await answer.json()).result;
}

/** Sends the same call until it gets its result. No answer before that may ask for another payment. */
async function persist(rig: Pick<Rig, 'apiUrl'>, request: ToolRequest) {
  return until(
    'a result',
    async () => {
      const result = await ask(rig, request).catch(() => null);
      if (!result) return null;
      expect(result.structuredContent.x402Version, 'no answer asks for a payment again').toBeUndefined();
      expect(result._meta?.['org.paymentauth/payment-required']).toBeUndefined();
      return result.isError ? null : result;
    },
    45_000,
  );
}

const rails = ['x402', 'mpp'] as const;

/** A tool call with a payment signed for it, by a new wallet. */
async function paidUpload(
  rig: Rig,
  rail: (typeof rails)[number] = 'x402',
): Promise<{ request: ToolRequest; payer: string }> {
  const wallet = await rig.newEvmPayer();
  const { announcement: args } = aFile();
  const sign = async () => {
    if (rail === 'mpp') return mppPaymentFor('uploads_create', args, wallet, 'base', rig.apiUrl);
    const client = await connectMcp(rig.apiUrl);
    const payment = await paymentFor(client, 'uploads_create', args, wallet, 'base');
    await client.close();
    return paidBy(payment);
  };
  return { request: { args, meta: await sign() }, payer: wallet.address };
}

test('killed before the x402 payment of a tool call is broadcast, the same call ends with the one upload it paid for', async ({
  rig,
}) => {
  const { request, payer } = await paidUpload(rig);
  const held = rig.base.hold('eth_sendRawTransaction', 'before');
  const first = ask(rig, request).catch(() => null);
  await held.reached;
  await rig.kill();
  held.abandon();
  await rig.passTakeoverTime();
  expect(await first, 'the first call has no answer').toBeNull();
  await rig.start();
  const { structuredContent } = await persist(rig, request);
  expect([structuredContent.id]).toEqual(await uploadsOf(rig, payer));
  await expectPaidAndDeliveredOnce(rig, payer);
});

/** Kills the server after a call is paid but before it is delivered, and starts it again. */
async function killBeforeDelivery(rig: Rig, request: ToolRequest, payer: string): Promise<void> {
  const lock = await lockDelivery(rig, payer);
  const first = ask(rig, request).catch(() => null);
  await lock.reached();
  await rig.kill();
  await lock.abandon();
  await rig.passTakeoverTime();
  expect(await first).toBeNull();
  await rig.start();
}

test('the same tool call, sent to two instances at once many times, is charged once and has one result', async ({
  rig,
}) => {
  const other = await startRig({ beside: rig });
  try {
    await other.start();
    for (const rail of rails) {
      const { request, payer } = await paidUpload(rig, rail);
      const results = await Promise.all(
        Array.from({ length: 20 }, (_, index) => persist(index % 2 === 0 ? rig : other, request)),
      );
      expect(new Set(results.map(({ structuredContent }) => structuredContent.id)).size).toBe(1);
      expect(results.filter(({ _meta }) => _meta['tuppence/replayed'] === undefined)).toHaveLength(1);
      expect([results[0].structuredContent.id]).toEqual(await uploadsOf(rig, payer));
      await expectPaidAndDeliveredOnce(rig, payer);
    }
  } finally {
    await other.close();
  }
});

test('a client that cancels a paid call and leaves gets the result later, and paid once', async ({ rig }) => {
  const { request, payer } = await paidUpload(rig);
  const client = await connectMcp(rig.apiUrl);
  const held = rig.base.hold('eth_sendRawTransaction', 'after');
  const caller = new AbortController();
  const { args: arguments_, meta: _meta } = request;
  // Sends notifications/cancelled, and closes its connection.
  const first = client
    .callTool({ name: 'uploads_create', arguments: arguments_, _meta }, undefined, { signal: caller.signal })
    .catch(() => null);
  await held.reached;
  caller.abort();
  expect(await first).toBeNull();
  await client.close();
  held.release();
  await untilState(rig, payer, 'delivered');
  const { structuredContent } = await persist(rig, request);
  expect([structuredContent.id]).toEqual(await uploadsOf(rig, payer));
  await expectPaidAndDeliveredOnce(rig, payer);
});

test('killed while an account pays for a tool call, the same key is charged once', async ({ rig }) => {
  const { token, accountId } = await fundedAccount(rig);
  const args = { ...aFile().announcement, idempotencyKey: 'the-same-for-every-retry' };
  const request = { args, headers: { Authorization: `Bearer ${token}` } };
  await killBeforeDelivery(rig, request, accountId);
  const { structuredContent } = await persist(rig, request);
  expect([structuredContent.id]).toEqual(await uploadsOf(rig, accountId));
  const client = await connectMcp(rig.apiUrl, token);
  expect((await callTool(client, 'account_get')).structuredContent.balance).toBe('0.995');
  await client.close();
});
