import { encodeAbiParameters, type Hex, numberToHex, pad, parseAbiParameters, toEventSelector } from 'viem';
import { privateKeyToAddress } from 'viem/accounts';
import { rpcCall } from '@/local/json-rpc';
import { authorizationOf } from '../support/lies';
import { breakAnswer, falsify } from '../support/rpc-proxy';
import { network } from '../support/stack';
import { collectingTimings } from '../support/timings';
import { expect, test } from './fixtures';
import { buy, channelClient, startChannelRig } from './rig/channels';
import { callsOf, transfersOf, uploadsOf } from './rig/found';
import { ask, persist, sign } from './rig/requests';
import { until } from './rig/waiting';

test.setTimeout(180_000);

test('without gas money for the settlement key, payments get 503 before anything is stored, and the same payment works later', async ({
  rig,
}) => {
  const wallet = await rig.newEvmPayer();
  const request = await sign(rig, wallet);
  const sender = privateKeyToAddress(rig.serverEnv.SETTLEMENT_KEYS_EVM as Hex);
  const setGas = (wei: bigint) =>
    rpcCall(rig.chainUrl('base'), 'anvil_setBalance', [sender, numberToHex(wei)]);
  await rig.kill();
  await setGas(0n);
  await rig.start();
  const refused = await ask(request);
  expect(refused.status).toBe(503);
  expect(refused.body.error).toMatchObject({ code: 'service_unavailable', payment: 'none', retry: 'later' });
  expect(await callsOf(rig, wallet.address)).toEqual([]);
  await rig.kill();
  await setGas(10n ** 20n);
  await rig.start();
  expect((await persist(request)).status).toBe(200);
  expect(await transfersOf(rig, wallet.address)).toHaveLength(1);
});

test('if a node accepts a payment whose payer has no money, settlement fails: 402, nothing delivered', async ({
  rig,
}) => {
  const wallet = await rig.newEvmPayer();
  const request = await sign(rig, wallet);
  await rig.drain(wallet);
  const good = encodeAbiParameters(
    parseAbiParameters('uint256, (bool success, uint256 gas, bytes returnData)[]'),
    [1n, [{ success: true, gas: 40_000n, returnData: '0x' }]],
  );
  const rule = rig.base.on(
    'eth_call',
    falsify(() => good),
    // The node is also asked whether the payer has code, by a call without `to`.
    { times: 1, params: ([call]) => (call as { to?: string }).to !== undefined },
  );
  const answer = await ask(request);
  expect(rule.hits).toBe(1);
  expect(answer.status).toBe(402);
  expect(answer.body.error).toBe('invalid_exact_evm_insufficient_balance');
  expect(await callsOf(rig, wallet.address)).toMatchObject([{ state: 'refused' }]);
  expect(await transfersOf(rig, wallet.address)).toEqual([]);
  expect(await uploadsOf(rig, wallet.address)).toEqual([]);
  expect(await rig.audit()).toEqual([]);
});

test('callers never see the messages or addresses of nodes', async ({ rig }) => {
  const request = await sign(rig, await rig.newEvmPayer());
  for (const fault of ['close', 'truncate', 'status-500'] as const) {
    const rule = rig.base.on('eth_call', breakAnswer(fault));
    const { status, body, headers } = await ask(request);
    rule.remove();
    expect(status).toBe(503);
    const told = JSON.stringify([body, [...headers]]);
    expect(told).not.toContain(new URL(rig.base.url).port);
    expect(told).not.toMatch(/eth_|ECONN|rpc|socket|stack|postgres|node_modules/i);
  }
});

test('a receipt that one of two nodes makes up delivers nothing', async ({ rig }) => {
  const wallet = await rig.newEvmPayer();
  const request = await sign(rig, wallet);
  const { from, to, value, nonce } = authorizationOf(request.envelope);
  const usdc = network('base').usdc;
  const log = (topics: Hex[], data: Hex, index: number, hash: unknown) => ({
    address: usdc,
    topics,
    data,
    blockNumber: '0x1',
    blockHash: pad('0x01'),
    transactionHash: hash,
    transactionIndex: '0x0',
    logIndex: numberToHex(index),
    removed: false,
  });
  await rig.restart({ BASE_RPC_URL: `${rig.base.url},${rig.chainUrl('base')}` });
  let sent: unknown;
  rig.base.on('eth_sendRawTransaction', async () => ({ result: pad('0x02') }));
  rig.base.on('eth_getTransactionReceipt', async ({ params }) => {
    [sent] = params;
    return {
      result: {
        transactionHash: sent,
        blockHash: pad('0x01'),
        blockNumber: '0x1',
        transactionIndex: '0x0',
        from,
        to: usdc,
        status: '0x1',
        type: '0x2',
        gasUsed: '0x1',
        cumulativeGasUsed: '0x1',
        effectiveGasPrice: '0x1',
        contractAddress: null,
        logsBloom: pad('0x00', { size: 256 }),
        logs: [
          log([toEventSelector('AuthorizationUsed(address,bytes32)'), pad(from), nonce], '0x', 0, sent),
          log(
            [toEventSelector('Transfer(address,address,uint256)'), pad(from), pad(to)],
            numberToHex(BigInt(value), { size: 32 }),
            1,
            sent,
          ),
        ],
      },
    };
  });
  const { status } = await ask(request);
  await rig.kill();
  expect(status).toBe(503);
  expect(await uploadsOf(rig, wallet.address)).toEqual([]);
});

interface EventLog {
  readonly topics: readonly Hex[];
  readonly data: Hex;
}

const claimedTopic = toEventSelector('Claimed(bytes32,address,uint128,uint128)');

/** What a lying node may change in the log of a claim while keeping its position: amount, channel and event. */
const changes: Readonly<Record<string, (log: EventLog) => EventLog>> = {
  amount: (log) => ({ ...log, data: `0x${log.data.slice(2, 65)}1${log.data.slice(66)}` }),
  channel: (log) => ({
    ...log,
    topics: log.topics.map((topic, index) => (index === 1 ? pad('0x01') : topic)),
  }),
  name: ({ topics, data }) => ({
    topics: [toEventSelector('Deposited(bytes32,address,uint128,uint128)'), ...topics.slice(1)],
    data,
  }),
};

for (const [field, change] of Object.entries(changes)) {
  test(`a claim of which the first of two nodes alters the ${field} is not booked before they agree`, async () => {
    const rig = await startChannelRig({ hasOwnBase: true, timings: collectingTimings });
    try {
      await rig.restart({ BASE_RPC_URL: `${rig.base.url},${rig.chainUrl('base')}` });
      const lie = rig.base.on(
        'eth_getLogs',
        falsify((logs) =>
          (logs as EventLog[]).map((log) =>
            log.topics[0] === claimedTopic ? { ...log, ...change(log) } : log,
          ),
        ),
      );
      await buy(rig, channelClient(rig, await rig.newEvmPayer()).fetch, 2);
      const claims = () =>
        rig.query("SELECT amount_atomic::int AS amount FROM channel_event WHERE name = 'Claimed'");
      await until('the disagreement', async () =>
        rig.server().output().includes('the RPCs of base disagree about the events of channels'),
      );
      expect(await claims()).toEqual([]);
      lie.remove();
      await until('the claim', async () => (await claims()).length > 0);
      expect(await claims()).toEqual([{ amount: 10_000 }]);
      expect(await rig.audit()).toEqual([]);
    } finally {
      await rig.close();
    }
  });
}
