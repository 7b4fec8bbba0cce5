import { pad } from 'viem';
import {
  type Action,
  claimFailure,
  delayAnswer,
  falsify,
  loseRequest,
  type RpcProxy,
  startRpcProxy,
} from '../support/rpc-proxy';
import { shortTimings } from '../support/timings';
import { expect, test as recoveryTest } from './fixtures';
import { expectPaidAndDeliveredOnce } from './rig/found';
import { ask, type SignedRequest, sign } from './rig/requests';
import { type Rig, startRig } from './rig/rig';

/** A server whose node answers `eth_sendRawTransactionSync` with the receipt. */
const test = recoveryTest.extend<{ rig: Rig }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the pattern
  rig: async ({}, use) => {
    await keptRig.ready();
    await use(keptRig);
    keptRig.clearWays();
  },
});

// One rig for the file. It is not a worker fixture, because tests with different ones need separate workers.
test.describe.configure({ mode: 'default' });
let keptRig: Rig;
test.beforeAll(async () => {
  keptRig = await startRig({ networks: ['base'], sendsSynchronously: true });
});
test.afterAll(() => keptRig.close());

const synchronous = 'eth_sendRawTransactionSync';
const usual = 'eth_sendRawTransaction';
const receipts = 'eth_getTransactionReceipt';

/** How often each of these methods was called, since the returned function was created. */
function counted(proxy: RpcProxy) {
  const methods = [synchronous, usual, receipts];
  const before = methods.map((method) => proxy.count(method));
  return () => methods.map((method, index) => proxy.count(method) - (before[index] ?? 0));
}

test('a buyer alone gets the response after one request to the node, which sends the receipt', async ({
  rig,
}) => {
  const wallet = await rig.newEvmPayer();
  const request = await sign(rig, wallet);
  const asked = counted(rig.base);
  expect((await ask(request)).status).toBe(200);
  expect(asked()).toEqual([1, 0, 0]);
  await expectPaidAndDeliveredOnce(rig, wallet.address);
});

test('a node without the method is sent transactions as usual', async ({ rig }) => {
  const without = await startRpcProxy(rig.chainUrl('base'));
  await rig.restart({ BASE_RPC_URL: without.url });
  const wallet = await rig.newEvmPayer();
  const asked = counted(without);
  expect((await ask(await sign(rig, wallet))).status).toBe(200);
  const [synchronousSends, usualSends] = asked();
  expect([synchronousSends, usualSends]).toEqual([0, 1]);
  await expectPaidAndDeliveredOnce(rig, wallet.address);
  await without.close();
  await rig.restart();
});

test('payments at the same time are paid once each', async ({ rig }) => {
  const wallets = await Promise.all(Array.from({ length: 6 }, () => rig.newEvmPayer()));
  const requests = await Promise.all(wallets.map((wallet) => sign(rig, wallet)));
  const answers = await Promise.all(requests.map((request) => ask(request)));
  expect(answers.map(({ status }) => status)).toEqual(requests.map(() => 200));
  for (const { address } of wallets) await expectPaidAndDeliveredOnce(rig, address);
});

const faults = [
  { what: 'is accepted, but answered with an error', action: claimFailure('nonce too low') },
  { what: 'is accepted, and answered too late', action: delayAnswer(3_000) },
  { what: 'never arrives', action: loseRequest },
  { what: 'is answered with nothing', action: falsify(() => null) },
  {
    what: 'is answered with its hash only',
    action: falsify((receipt) => (receipt as { transactionHash: string }).transactionHash),
  },
  {
    what: 'is answered with the receipt of another transaction',
    action: falsify((receipt) => ({ ...(receipt as object), transactionHash: pad('0x05') })),
  },
  {
    what: 'is answered before there is a block',
    action: falsify((receipt) => ({ ...(receipt as object), blockHash: pad('0x00') })),
  },
];

for (const { what, action } of faults) {
  test(`a payment whose synchronous send ${what} is made once and delivered in the first response`, async ({
    rig,
  }) => {
    const wallet = await rig.newEvmPayer();
    const request = await sign(rig, wallet);
    const sentBefore = await rig.query('SELECT id FROM settlement_transaction');
    const asked = counted(rig.base);
    const rule = rig.base.on(synchronous, action, { times: 2 });
    const answer = await ask(request);
    rule.remove();
    expect(rule.hits).toBeGreaterThan(0);
    expect(answer.status).toBe(200);
    const [, , receiptsAsked] = asked();
    expect(receiptsAsked).toBeGreaterThan(0);
    expect(await rig.query('SELECT id FROM settlement_transaction')).toHaveLength(sentBefore.length + 1);
    await expectPaidAndDeliveredOnce(rig, wallet.address);
    // A node whose probe failed is probed again with the next check.
    await rig.restart();
  });
}

/** What a node may say to a transaction whose predecessor it does not know, or when it lets no more requests wait. */
const refusals = [
  { what: 'as a nonce gap', error: { code: -32_000, message: 'nonce too high' } },
  { what: 'as if it waited', error: { code: 4, message: 'not yet mined' } },
  { what: 'as one too many', error: { code: -32_005, message: 'limit exceeded' } },
];

for (const { what, error } of refusals) {
  test(`a transaction that overtakes another and is refused ${what} is broadcast at once, and the method stays in use`, async ({
    rig,
  }) => {
    // Nothing is sent again in time.
    const { evm } = shortTimings;
    await rig.restart({}, { ...shortTimings, evm: { ...evm, maintainMs: 60_000, synchronousMs: 4_000 } });
    const wallets = await Promise.all([1, 2, 3].map(() => rig.newEvmPayer()));
    const requests = await Promise.all(wallets.map((wallet) => sign(rig, wallet)));
    const askFor = (index: number) => ask(requests[index] as SignedRequest);
    const asked = counted(rig.base);
    const overtaken = rig.base.hold(synchronous, 'before', { times: 1 });
    const firstAnswer = askFor(0);
    await overtaken.reached;
    const refuse: Action = async () => ({ error });
    const refused = rig.base.on(synchronous, refuse, { times: 1 });
    const broadcast = rig.base.on(usual, (_, forward) => forward(), { times: 1 });
    const secondAnswer = askFor(1);
    await broadcast.reached;
    expect(refused.hits).toBe(1);
    overtaken.release();
    expect((await firstAnswer).status).toBe(200);
    expect((await secondAnswer).status).toBe(200);
    expect((await askFor(2)).status).toBe(200);
    expect(asked().slice(0, 2)).toEqual([3, 1]);
    for (const { address } of wallets) await expectPaidAndDeliveredOnce(rig, address);
    await rig.restart();
  });
}

test('a receipt that one of two nodes sends counts once the other has it', async ({ rig }) => {
  const second = await startRpcProxy(rig.chainUrl('base'));
  await rig.restart({ BASE_RPC_URL: `${rig.base.url},${second.url}` });
  const lag = second.on(receipts, async () => ({ result: null }), { times: 3 });
  const wallet = await rig.newEvmPayer();
  const request = await sign(rig, wallet);
  expect((await ask(request)).status).toBe(200);
  expect(lag.hits).toBe(3);
  await expectPaidAndDeliveredOnce(rig, wallet.address);
  await second.close();
  await rig.restart();
});
