import { x402Client } from '@x402/core/client';
import { ExactEvmScheme } from '@x402/evm';
import { decodePaymentResponseHeader, wrapFetchWithPayment } from '@x402/fetch';
import { ExactSvmScheme } from '@x402/svm';
import { Receipt } from 'mppx';
import type { PrivateKeyAccount } from 'viem/accounts';
import { rpcCall } from '@/local/json-rpc';
import { type Behaviour, type Facilitator, startFacilitator } from '../support/facilitator';
import { aFile } from '../support/files';
import { expectLogged } from '../support/logged';
import { mppClient } from '../support/mpp-buyer';
import { listUntil, loseRequest } from '../support/rpc-proxy';
import { newSafe } from '../support/safe-wallets';
import { evmNetworkNames, network, networkNames } from '../support/stack';
import { expectSettled, sendsNothingAnd, settlesAnd } from './faults/facilitator-lies';
import { expect, test as recoveryTest } from './fixtures';
import type { NetworkName } from './rig/chains';
import { callsOf, transfersOf, untilState, uploadsOf } from './rig/found';
import { fund } from './rig/hostile-wallets';
import { ask, persist, type SignedRequest, sign, signMpp } from './rig/requests';
import { everyNetwork, type Rig, startRig, type Wallet } from './rig/rig';
import { until } from './rig/waiting';

/** A server without a settlement key: a remote facilitator settles every network for it. */
let shop: { rig: Rig; facilitator: Facilitator };

const test = recoveryTest.extend<{ rig: Rig; facilitator: Facilitator }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the pattern
  facilitator: async ({}, use) => {
    await use(shop.facilitator);
    shop.facilitator.heal();
  },
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the pattern
  rig: async ({}, use) => {
    const { rig, facilitator } = shop;
    await rig.start(settings(facilitator));
    await use(rig);
    rig.clearWays();
  },
});

// In one worker: others would start servers of their own.
test.describe.configure({ mode: 'default' });

test.beforeAll(async () => {
  const rig = await startRig({ networks: everyNetwork, hasOwnSolana: true });
  const facilitator = await startFacilitator({
    evm: {
      base: rig.chainUrl('base'),
      polygon: rig.chainUrl('polygon'),
      arbitrum: rig.chainUrl('arbitrum'),
    },
    solana: { url: rig.chainUrl('solana-mainnet'), feePayerKey: await rig.newSolanaFeePayer() },
  });
  shop = { rig, facilitator };
});

test.afterAll(async () => {
  await shop.rig.close();
  await shop.facilitator.close();
});

function settings({ url, token }: Pick<Facilitator, 'url' | 'token'>): Record<string, string> {
  return {
    SETTLEMENT_KEYS_EVM: '',
    SETTLEMENT_KEY_SOLANA: '',
    // The other two networks use the value without a network.
    FACILITATOR_URL: `base=${url},solana=${url},${url}`,
    FACILITATOR_KEY: token,
  };
}

const newPayer = (rig: Rig, on: NetworkName): Promise<Wallet> =>
  on === 'solana-mainnet' ? rig.newSolanaPayer() : rig.newEvmPayer();

async function expectPaidAndDeliveredOnce(rig: Rig, { payer, network: on }: SignedRequest): Promise<string> {
  const transfers = await until('a transfer', async () => {
    const found = await transfersOf(rig, payer, on);
    return found.length > 0 && found;
  });
  expect(transfers).toHaveLength(1);
  expect(await uploadsOf(rig, payer)).toHaveLength(1);
  const [call] = await callsOf(rig, payer);
  expect(call).toMatchObject({ state: 'delivered', transaction_hash: transfers[0] });
  expect(await rig.audit()).toEqual([]);
  return transfers[0] ?? '';
}

async function expectUnpaid(rig: Rig, { payer, network: on }: SignedRequest): Promise<void> {
  expect(await transfersOf(rig, payer, on)).toEqual([]);
  expect(await uploadsOf(rig, payer)).toEqual([]);
  expect(await rig.audit()).toEqual([]);
}

for (const on of networkNames) {
  test(`the official x402 client buys an upload on ${on}, settled by a remote facilitator`, async ({
    rig,
    facilitator,
  }) => {
    const wallet = await newPayer(rig, on);
    const client = new x402Client((_, accepts) => {
      const wanted = accepts.find((one) => one.network === network(on).caip2);
      if (!wanted) throw new Error(`${on} is not offered`);
      return wanted;
    });
    if ('signTypedData' in wallet) client.register('eip155:*', new ExactEvmScheme(wallet));
    else client.register('solana:*', new ExactSvmScheme(wallet, { rpcUrl: rig.chainUrl(on) }));
    const settlements = facilitator.count('settle');
    const answer = await wrapFetchWithPayment(fetch, client)(`${rig.apiUrl}/v1/uploads`, {
      method: 'POST',
      body: aFile().body,
    });
    expect(answer.status, await answer.clone().text()).toBe(200);
    expect(facilitator.count('settle')).toBe(settlements + 1);
    const { transaction } = decodePaymentResponseHeader(answer.headers.get('payment-response') ?? '');
    expect(await transfersOf(rig, wallet.address, on)).toEqual([transaction]);
    expect(await rig.audit()).toEqual([]);
  });
}

for (const on of evmNetworkNames) {
  test(`the official MPP client buys an upload on ${on}, settled by a remote facilitator`, async ({
    rig,
    facilitator,
  }) => {
    const wallet = await rig.newEvmPayer();
    const settlements = facilitator.count('settle');
    const answer = await mppClient(wallet, on).fetch(`${rig.apiUrl}/v1/mpp/uploads`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: aFile().body,
    });
    expect(answer.status).toBe(200);
    expect(facilitator.count('settle')).toBe(settlements + 1);
    expect(await transfersOf(rig, wallet.address, on)).toEqual([Receipt.fromResponse(answer).reference]);
    expect(await rig.audit()).toEqual([]);
  });
}

test('a Safe of two owners pays through a facilitator, and the same payment gets the stored response', async ({
  rig,
  facilitator,
}) => {
  const safe = await fund(rig, await newSafe(rig.chainUrl('base'), 2, 2));
  await safe.deploy();
  const request = await sign(rig, safe);
  const settlements = facilitator.count('settle');
  const first = await ask(request);
  expect(first.status, JSON.stringify(first.body)).toBe(200);
  const again = await ask(request);
  expect([again.headers.get('idempotent-replayed'), again.body]).toEqual(['true', first.body]);
  expect(facilitator.count('settle')).toBe(settlements + 1);
  await expectPaidAndDeliveredOnce(rig, request);
});

for (const on of ['base', 'solana-mainnet'] as const) {
  for (const { what, behavior } of settlesAnd) {
    test(`on ${on}, if a facilitator settles and ${what}, the first response still delivers`, async ({
      rig,
      facilitator,
    }) => {
      const request = await sign(rig, await newPayer(rig, on), {}, on);
      facilitator.on('settle', behavior(on), 1);
      const answer = await ask(request);
      expect(answer.status, JSON.stringify(answer.body)).toBe(200);
      const transaction = await expectPaidAndDeliveredOnce(rig, request);
      const receipt = decodePaymentResponseHeader(answer.headers.get('payment-response') ?? '');
      expect(receipt.transaction).toBe(transaction);
    });
  }
}

for (const on of ['base', 'solana-mainnet'] as const) {
  for (const { what, behavior } of sendsNothingAnd) {
    test(`on ${on}, if a facilitator sends nothing and ${what}, nothing is delivered and no second payment is requested`, async ({
      rig,
      facilitator,
    }) => {
      const request = await sign(rig, await newPayer(rig, on), {}, on);
      facilitator.on('settle', behavior(on), 1);
      const first = await ask(request);
      expect(first.status, JSON.stringify(first.body)).toBe(503);
      expect(first.body.error).toMatchObject({
        code: 'settlement_unknown',
        payment: 'unknown',
        retry: 'same_request',
      });
      expect(await uploadsOf(rig, request.payer)).toEqual([]);
      // Nothing was sent, so the same payment can be settled again, and the same request is served.
      const answer = await persist(request);
      expect(answer.status).toBe(200);
      await expectPaidAndDeliveredOnce(rig, request);
    });
  }
}

test('a Solana payment that a facilitator made is found after the operator has changed to a key of their own', async ({
  rig,
  facilitator,
}) => {
  const request = await sign(rig, await rig.newSolanaPayer());
  const chain = rig.proxy('solana-mainnet');
  facilitator.on(
    'settle',
    async (settle) => {
      // The server sees neither the facilitator's answer nor the chain, which it checks when the facilitator is slow.
      chain.on('*', loseRequest);
      await expectSettled(settle());
      return 'close';
    },
    1,
  );
  expect((await ask(request)).status).toBe(503);
  await rig.kill();
  chain.clear();
  // The blockhash has expired, so a payment that has not been made can no longer be made.
  await rpcCall(rig.chainUrl('solana-mainnet'), 'tuppence_advanceSlots', [250]);
  await rig.passTakeoverTime();
  await rig.start();
  try {
    expect((await persist(request)).status).toBe(200);
    await expectPaidAndDeliveredOnce(rig, request);
  } finally {
    // The tests that follow need the facilitator again.
    await rig.kill();
  }
});

test('a Solana payment that a facilitator made is not refused because a node that lags behind lists no transaction', async ({
  rig,
  facilitator,
}) => {
  const request = await sign(rig, await rig.newSolanaPayer());
  const chain = rig.proxy('solana-mainnet');
  facilitator.on('settle', async (settle) => {
    await settle().catch(() => undefined);
    return 'close';
  });
  const slot = (await rpcCall(rig.chainUrl('solana-mainnet'), 'getSlot', [])) as number;
  const lagging = listUntil(chain, slot);
  expect((await ask(request)).status).toBe(503);
  // From here on nobody can tell but the chain.
  facilitator.on('verify', async () => 'close');
  await rpcCall(rig.chainUrl('solana-mainnet'), 'tuppence_advanceSlots', [400]);
  const { hits } = lagging;
  await until('a search that ends with the lag', async () => lagging.hits > hits + 1);
  expect(await callsOf(rig, request.payer)).not.toMatchObject([{ state: 'refused' }]);
  lagging.remove();
  expect((await persist(request)).status).toBe(200);
  await expectPaidAndDeliveredOnce(rig, request);
});

test('over MPP an unknown outcome gets settlement_pending, and the same credential is served later', async ({
  rig,
  facilitator,
}) => {
  const request = await signMpp(rig, await rig.newEvmPayer());
  facilitator.on('settle', async () => 'close', 1);
  const first = await ask(request);
  expect(first.status).toBe(503);
  expect(first.body.error).toMatchObject({ code: 'settlement_pending', payment: 'unknown' });
  expect((await persist(request)).status).toBe(200);
  await expectPaidAndDeliveredOnce(rig, request);
});

test('a wallet emptied before the facilitator settles gets 402, uncharged', async ({ rig, facilitator }) => {
  const wallet = await rig.newEvmPayer();
  const request = await sign(rig, wallet);
  facilitator.on(
    'settle',
    async (settle) => {
      await rig.drain(wallet as PrivateKeyAccount);
      return { status: 200, body: await settle() };
    },
    1,
  );
  const answer = await ask(request);
  expect(answer.status).toBe(402);
  expect(answer.body.error).toBe('invalid_exact_evm_insufficient_balance');
  const [call] = await callsOf(rig, wallet.address);
  expect(call).toMatchObject({ state: 'refused', transaction_hash: null });
  await expectUnpaid(rig, request);
});

test('on Solana, a payment that was never sent is refused once its blockhash has expired, not earlier', async ({
  rig,
  facilitator,
}) => {
  const request = await sign(rig, await rig.newSolanaPayer());
  facilitator.on('settle', async () => 'close');
  expect((await ask(request)).status).toBe(503);
  // From here on nobody can tell but the chain.
  facilitator.on('verify', async () => 'close');
  expect((await ask(request)).status).toBe(503);
  await rpcCall(rig.chainUrl('solana-mainnet'), 'tuppence_advanceSlots', [400]);
  await untilState(rig, request.payer, 'refused');
  const answer = await persist(request);
  expect(answer.status).toBe(402);
  await expectUnpaid(rig, request);
});

test('on Solana, a payment that was never sent is refused also if the node that lists transactions is always a few slots behind', async ({
  rig,
  facilitator,
}) => {
  const request = await sign(rig, await rig.newSolanaPayer());
  const chainUrl = rig.chainUrl('solana-mainnet');
  facilitator.on('settle', async () => 'close');
  expect((await ask(request)).status).toBe(503);
  facilitator.on('verify', async () => 'close');
  rig.proxy('solana-mainnet').on('getSignaturesForAddress', async ({ params: [, config] }, forward) => {
    const slot = (await rpcCall(chainUrl, 'getSlot', [{ commitment: 'confirmed' }])) as number;
    const { minContextSlot = 0 } = config as { minContextSlot?: number };
    const isBehind = minContextSlot > slot - 5;
    return isBehind
      ? { error: { code: -32016, message: 'Minimum context slot has not been reached' } }
      : forward();
  });
  await rpcCall(chainUrl, 'tuppence_advanceSlots', [400]);
  await untilState(rig, request.payer, 'refused');
  await expectUnpaid(rig, request);
});

test('a payment that the facilitator finds invalid is refused with its reason, before anything is claimed', async ({
  rig,
  facilitator,
}) => {
  for (const status of [200, 400]) {
    const request = await sign(rig, await rig.newEvmPayer());
    facilitator.on('verify', async () => ({
      status,
      body: { isValid: false, invalidReason: 'blocked_by_policy: 0xabc is on a list' },
    }));
    const answer = await ask(request);
    facilitator.heal();
    expect(answer.status).toBe(402);
    expect(answer.body.error).toBe('blocked_by_policy');
    expect(await callsOf(rig, request.payer)).toEqual([]);
    await expectUnpaid(rig, request);
  }
});

test('if the facilitator is unreachable before the charge, the call gets 503 uncharged, and nothing is claimed', async ({
  rig,
  facilitator,
}) => {
  for (const behavior of [
    async () => 'close',
    async () => ({ status: 500, body: { isValid: false } }),
  ] as const) {
    const request = await sign(rig, await rig.newEvmPayer());
    // A busy service asks the facilitator again when it is the turn of the request.
    facilitator.on('verify', behavior as Behaviour);
    const answer = await ask(request);
    facilitator.heal();
    expect(answer.status).toBe(503);
    expect(answer.body.error).toMatchObject({ code: 'service_unavailable', payment: 'none' });
    expect(await callsOf(rig, request.payer)).toEqual([]);
    expect((await persist(request)).status).toBe(200);
    await expectPaidAndDeliveredOnce(rig, request);
  }
});

test('twelve simultaneous buyers are served through one facilitator, each charged once', async ({ rig }) => {
  const requests = await Promise.all(
    Array.from({ length: 12 }, async () => sign(rig, await rig.newEvmPayer())),
  );
  const answers = await Promise.all(requests.map((request) => persist(request)));
  expect(answers.map(({ status }) => status)).toEqual(Array(12).fill(200));
  for (const { payer } of requests) expect(await transfersOf(rig, payer)).toHaveLength(1);
  expect(await rig.audit()).toEqual([]);
});

test('twenty simultaneous identical requests are settled once through a facilitator', async ({
  rig,
  facilitator,
}) => {
  const request = await sign(rig, await rig.newEvmPayer());
  const settlements = facilitator.count('settle');
  const answers = await Promise.all(Array.from({ length: 20 }, () => persist(request)));
  expect(new Set(answers.map(({ status, body }) => `${status} ${body.id}`)).size).toBe(1);
  expect(facilitator.count('settle')).toBe(settlements + 1);
  await expectPaidAndDeliveredOnce(rig, request);
});

test('a killed server resolves the outcome of its facilitator after its restart', async ({
  rig,
  facilitator,
}) => {
  const request = await sign(rig, await rig.newEvmPayer());
  const settled = new Promise<void>((resolve) => {
    facilitator.on(
      'settle',
      async (settle) => {
        await expectSettled(settle());
        resolve();
        return 'hang';
      },
      1,
    );
  });
  const first = ask(request).catch(() => null);
  await settled;
  await rig.kill();
  await first;
  await rig.start(settings(facilitator));
  expect((await persist(request)).status).toBe(200);
  await expectPaidAndDeliveredOnce(rig, request);
});

test('without the right bearer token no network is offered and no challenge is issued', async ({
  rig,
  facilitator,
}) => {
  await rig.restart(settings({ url: facilitator.url, token: 'another' }));
  const answer = await fetch(`${rig.apiUrl}/v1/uploads`, { method: 'POST', body: aFile().body });
  expect(answer.status).toBe(503);
  expect((await answer.json()).error).toMatchObject({ code: 'service_unavailable', payment: 'none' });
  await expectLogged(rig.server(), 'this network is not offered');
  expect(rig.server().output()).not.toContain('another');
  await rig.kill();
});
