import { expect } from '@playwright/test';
import { numberToHex, pad, toEventSelector } from 'viem';
import { runOperatorProgram } from '../support/operator-program';
import { falsify, loseRequest, type RpcProxy, startRpcProxy } from '../support/rpc-proxy';
import { callsOf, transfersOf, untilState, uploadsOf } from './rig/found';
import { test as onOwnChain } from './rig/own-chain';
import { ask, sign, type X402Request } from './rig/requests';
import type { Rig } from './rig/rig';

/** A server that uses two RPC nodes of one chain: `rig.base` first, then `second`. */
const test = onOwnChain.extend<{ second: RpcProxy }>({
  second: async ({ rig }, use) => {
    const second = await startRpcProxy(rig.chainUrl('base'));
    await rig.start({ BASE_RPC_URL: `${rig.base.url},${second.url}` });
    await use(second);
    await second.close();
  },
});

const receipts = 'eth_getTransactionReceipt';
const usdc = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913';

/** The receipt of a settlement that never happened, with everything as it would be in a real one. */
function forgedReceipt(rig: Rig, { payer, authorization, priceAtomic }: X402Request, hash: unknown) {
  const word = (address: string) => pad(address as `0x${string}`, { size: 32 });
  const log = (topics: string[], data: string, index: number) => ({
    ...{ address: usdc, topics, data, blockNumber: '0x5', blockHash: word('0x05'), transactionHash: hash },
    ...{ transactionIndex: '0x0', logIndex: numberToHex(index), removed: false },
  });
  const used = [toEventSelector('AuthorizationUsed(address,bytes32)'), word(payer), authorization];
  const moved = [toEventSelector('Transfer(address,address,uint256)'), word(payer), word(rig.payTo.evm)];
  return {
    ...{ transactionHash: hash, transactionIndex: '0x0', blockHash: word('0x05'), blockNumber: '0x5' },
    ...{ from: payer, to: usdc, status: '0x1', type: '0x2', gasUsed: '0x1', cumulativeGasUsed: '0x1' },
    ...{ effectiveGasPrice: '0x1', contractAddress: null, logsBloom: `0x${'00'.repeat(256)}` },
    logs: [log(used, '0x', 0), log(moved, numberToHex(priceAtomic, { size: 32 }), 1)],
  };
}

test('a payment that only one of two RPCs has seen is not delivered until both agree', async ({
  rig,
  second,
}) => {
  const wallet = await rig.newEvmPayer();
  const request = await sign(rig, wallet);
  const sends = [rig.base, second].map((proxy) =>
    proxy.on('eth_sendRawTransaction', async () => ({ fault: 'close' })),
  );
  const lie = rig.base.on(receipts, async ({ params: [hash] }) => ({
    result: forgedReceipt(rig, request, hash),
  }));
  const answer = await ask(request);
  expect(answer.status).toBe(503);
  expect(answer.body.error).toMatchObject({ code: 'settlement_unknown', payment: 'unknown' });
  expect(lie.hits).toBeGreaterThan(0);
  expect(second.count(receipts)).toBeGreaterThan(0);
  expect(await uploadsOf(rig, wallet.address)).toEqual([]);
  lie.remove();
  for (const send of sends) send.remove();
  await untilState(rig, wallet.address, 'delivered', 60_000);
  expect(await transfersOf(rig, wallet.address)).toHaveLength(1);
  expect(await rig.audit()).toEqual([]);
});

test('an RPC that lags behind the other is waited for', async ({ rig, second }) => {
  const wallet = await rig.newEvmPayer();
  const request = await sign(rig, wallet);
  const lag = second.on(receipts, async () => ({ result: null }), { times: 4 });
  expect((await ask(request)).status).toBe(200);
  expect(lag.hits).toBe(4);
  expect(await callsOf(rig, wallet.address)).toMatchObject([{ state: 'delivered' }]);
  expect(await rig.audit()).toEqual([]);
});

test('an RPC that does not answer at all stops nothing', async ({ rig, second }) => {
  const wallet = await rig.newEvmPayer();
  const request = await sign(rig, wallet);
  await second.close();
  expect((await ask(request)).status).toBe(200);
  expect(await transfersOf(rig, wallet.address)).toHaveLength(1);
});

test('the audit asks every RPC: one that hides transfers is reported, and one that fails is left out', async ({
  rig,
  second,
}) => {
  const wallet = await rig.newEvmPayer();
  expect((await ask(await sign(rig, wallet))).status).toBe(200);
  const env = { ...rig.operatorSettings, BASE_RPC_URL: `${rig.base.url},${second.url}` };
  const audit = () => runOperatorProgram(env, 'audit', '--from-block', String(rig.firstBlock));
  const hidden = rig.base.on(
    'eth_getLogs',
    falsify(() => []),
  );
  const reported = await audit();
  expect(reported).toMatchObject({ exitCode: 1, errors: '' });
  expect(reported.output).toMatch(
    new RegExp(
      `^broken: the nodes of a network have the same transfers \\(base ${wallet.address} 0x[0-9a-f]{64} 5000 in 0x[0-9a-f]{64}: only RPC 2 of 2\\)\n1 finding\n$`,
    ),
  );
  expect(hidden.hits).toBeGreaterThan(0);
  hidden.remove();
  const failing = rig.base.on('*', loseRequest);
  expect(await audit()).toMatchObject({
    exitCode: 0,
    output: 'The ledger and the chains agree.\n',
    errors: 'base: RPC 1 of 2 did not answer and is left out\n',
  });
  expect(failing.hits).toBeGreaterThan(0);
  second.on('*', loseRequest);
  expect(await audit()).toMatchObject({ exitCode: 1, output: '' });
});
