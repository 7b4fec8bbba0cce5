import { EvmChain } from '@/lib/payments/evm/evm-chain';
import { configuredOffers, isEvmOffer, isSolanaOffer } from '@/lib/payments/network-offers';
import { RpcNodes } from '@/lib/payments/rpc/network-rpcs';
import type { SendToRpc } from '@/lib/payments/rpc/send-to-rpc';
import { connectToAny, connectToEach } from '@/lib/payments/solana/solana-connections';
import { VirtualTime } from '../simulation/virtual-clock';
import { testPlatform } from '../support/platform';
import { expect, test } from '../support/without-browser';

interface Call {
  readonly id: number | string;
  readonly method: string;
}

/** An RPC in this process. `undefined` stands for no answer. */
function answering(answer: (method: string) => unknown): { send: SendToRpc; asked: string[] } {
  const asked: string[] = [];
  const send: SendToRpc = (url, body, signal) =>
    new Promise((resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason));
      const parsed = JSON.parse(body) as Call | Call[];
      const answers = [parsed].flat().map(({ id, method }) => {
        asked.push(`${url} ${method}`);
        return { jsonrpc: '2.0', id, ...(answer(method) as object | undefined) };
      });
      if (answers.every((one) => Object.keys(one).length > 2))
        resolve(Array.isArray(parsed) ? answers : answers[0]);
    });
  return { send, asked };
}

const PAY_TO_SOLANA = '11111111111111111111111111111112';

function openOffers(clock = new VirtualTime().createClock()) {
  const app = testPlatform(
    { BASE_RPC_URL: 'http://one,http://other', SOLANA_RPC_URL: 'http://third', PAY_TO_SOLANA },
    clock,
  );
  const offers = configuredOffers(app.settings);
  const [evm] = offers.filter(isEvmOffer);
  const [solana] = offers.filter(isSolanaOffer);
  if (!evm || !solana) throw new Error('a network is not configured');
  return { app, evm, solana };
}

test('everything that is asked of an EVM chain goes through the function that is passed in', async () => {
  const { app, evm } = openOffers();
  const { send, asked } = answering((method) => {
    if (method === 'eth_getTransactionReceipt') return { result: null };
    if (method.startsWith('eth_sendRaw')) return { error: { code: -32_602, message: 'no transaction' } };
    return { result: '0x2105' };
  });
  const chain = new EvmChain(app, evm, new RpcNodes(app, evm, send));
  expect(await chain.client.getChainId()).toBe(8453);
  expect(await chain.chainIds()).toEqual([8453, 8453]);
  expect(await chain.agreedReceipt(`0x${'11'.repeat(32)}`)).toBeNull();
  await chain.probe();
  expect(chain.sendsSynchronously).toBe(true);
  expect(asked.toSorted()).toEqual([
    'http://one eth_chainId',
    'http://one eth_chainId',
    'http://one eth_getTransactionReceipt',
    'http://one eth_sendRawTransaction',
    'http://one eth_sendRawTransactionSync',
    'http://other eth_chainId',
    'http://other eth_getTransactionReceipt',
  ]);
});

test('everything that is asked of Solana goes through the function that is passed in', async () => {
  const { app, solana } = openOffers();
  const { send, asked } = answering(() => ({ result: 7 }));
  const rpcs = new RpcNodes(app, solana, send);
  expect(await connectToAny(app, rpcs).getSlot()).toBe(7);
  expect(await Promise.all(connectToEach(app, rpcs).map((one) => one.getSlot()))).toEqual([7]);
  expect(asked).toEqual(['http://third getSlot', 'http://third getSlot']);
});

test('a transaction that is sent synchronously is waited for by the clock of the app', async () => {
  const time = new VirtualTime();
  const { app, evm } = openOffers(time.createClock());
  let isSilent = false;
  const { send } = answering((method) => {
    if (!method.startsWith('eth_sendRaw')) return { result: '0x2105' };
    return isSilent ? undefined : { error: { code: -32_602, message: 'no transaction' } };
  });
  const chain = new EvmChain(app, evm, new RpcNodes(app, evm, send));
  await chain.probe();
  isSilent = true;
  let result: unknown = null;
  const sending = chain.sendSynchronously({ raw: '0x02', hash: `0x${'11'.repeat(32)}` }).then((how) => {
    result = how;
  });
  await time.pass(app.timings.evm.synchronousMs - 1);
  expect(result).toBeNull();
  await time.pass(1);
  await sending;
  // The node answers other requests, so it waits for the block.
  expect(result).toBe('waiting');
});
