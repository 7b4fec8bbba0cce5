import { HttpRequestError } from 'viem';
import { EvmChain } from '@/lib/payments/evm/evm-chain';
import { configuredOffers, isEvmOffer } from '@/lib/payments/network-offers';
import { RpcNodes } from '@/lib/payments/rpc/network-rpcs';
import type { SendToRpc } from '@/lib/payments/rpc/send-to-rpc';
import { VirtualTime } from '../simulation/virtual-clock';
import { testPlatform } from '../support/platform';
import { expect, test } from '../support/without-browser';

const url = 'http://one';
const transaction = { raw: '0x02', hash: `0x${'11'.repeat(32)}` } as const;

const receipt = {
  ...{ transactionHash: transaction.hash, blockHash: `0x${'22'.repeat(32)}`, blockNumber: '0x1' },
  ...{ status: '0x1', gasUsed: '0x1', effectiveGasPrice: '0x1', logs: [] },
};

/** What a node says to a transaction: JSON-RPC, an HTTP status, or nothing for now. */
type Answer = { readonly result: unknown } | { readonly error: object } | { readonly status: number };

/** A chain with one node, whose answers to transactions the test gives, in their order. */
async function openChain() {
  const time = new VirtualTime();
  const app = testPlatform({ BASE_RPC_URL: url }, time.createClock());
  const [offer] = configuredOffers(app.settings).filter(isEvmOffer);
  if (!offer) throw new Error('Base is not configured');
  const open: ((answer: Answer) => void)[] = [];
  const send: SendToRpc = (_, body, signal) =>
    new Promise((resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason));
      const { id, method, params } = JSON.parse(body) as { id: number; method: string; params: unknown[] };
      const answer = (given: Answer) => {
        if ('status' in given) reject(new HttpRequestError({ url, ...given }));
        else resolve({ jsonrpc: '2.0', id, ...given });
      };
      if (!method.startsWith('eth_sendRaw')) answer({ result: '0x2105' });
      else if (params[0] === '0x00') answer({ error: { code: -32_602, message: 'no transaction' } });
      else open.push(answer);
    });
  const chain = new EvmChain(app, offer, new RpcNodes(app, offer, send));
  await chain.probe();
  return {
    ...{ time, app, chain },
    /** Sends this many transactions. */
    sendAll: (count: number) => Array.from({ length: count }, () => chain.sendSynchronously(transaction)),
    /** Answers the request that has been open for longest, or for shortest. */
    answer: (answer: Answer, which: 'first' | 'last' = 'first') => {
      const next = which === 'first' ? open.shift() : open.pop();
      if (!next) throw new Error('no request is open');
      next(answer);
    },
  };
}

const refusals: readonly { readonly what: string; readonly answer: Answer }[] = [
  { what: 'a nonce gap', answer: { error: { code: -32_000, message: 'nonce too high' } } },
  { what: 'too many open requests', answer: { error: { code: -32_005, message: 'limit exceeded' } } },
  { what: 'too many open requests by HTTP status', answer: { status: 429 } },
];

test('at most sixteen requests are open at a node at once', async () => {
  const { chain, sendAll, answer } = await openChain();
  const sent = sendAll(15);
  expect(chain.sendsSynchronously).toBe(true);
  sent.push(...sendAll(1));
  expect(chain.sendsSynchronously).toBe(false);
  answer({ result: receipt });
  expect(await sent[0]).toMatchObject({ transactionHash: transaction.hash });
  expect(chain.sendsSynchronously).toBe(true);
});

for (const { what, answer: refusal } of refusals) {
  test(`a node that refuses ${what} beside open requests gets as many as it has, and more after each answer`, async () => {
    const { chain, sendAll, answer } = await openChain();
    const sent = sendAll(3);
    answer(refusal, 'last');
    expect(await sent[2]).toBe('failed');
    // Two are open.
    expect(chain.sendsSynchronously).toBe(false);
    answer({ result: receipt });
    await sent[0];
    expect(chain.sendsSynchronously).toBe(true);
    const more = sendAll(2);
    expect(chain.sendsSynchronously).toBe(false);
    for (let one = 0; one < 3; one += 1) answer({ result: receipt });
    await Promise.all([sent[1], ...more]);
    expect(chain.sendsSynchronously).toBe(true);
  });

  test(`a node that refuses a lone transaction because of ${what} gets the next one, but no more after the third refusal in a row`, async () => {
    const { chain, sendAll, answer } = await openChain();
    const attempt = async (given: Answer) => {
      expect(chain.sendsSynchronously).toBe(true);
      const [sent] = sendAll(1);
      answer(given);
      return sent;
    };
    expect(await attempt(refusal)).toBe('failed');
    expect(await attempt(refusal)).toBe('failed');
    await attempt({ result: receipt });
    for (let one = 0; one < 3; one += 1) expect(await attempt(refusal)).toBe('failed');
    expect(chain.sendsSynchronously).toBe(false);
    await chain.probe();
    expect(chain.sendsSynchronously).toBe(true);
  });
}

test('a node that no longer has the method gets no transactions this way until it is probed', async () => {
  const { chain, sendAll, answer } = await openChain();
  const sent = sendAll(2);
  answer({ error: { code: -32_601, message: 'the method does not exist' } });
  expect(await sent[0]).toBe('failed');
  expect(chain.sendsSynchronously).toBe(false);
  await chain.probe();
  expect(chain.sendsSynchronously).toBe(true);
});

test('a node that leaves transactions without an answer gets no more of them until it is probed', async () => {
  const { time, app, chain, sendAll } = await openChain();
  for (let one = 0; one < 3; one += 1) {
    expect(chain.sendsSynchronously).toBe(true);
    const [sent] = sendAll(1);
    await time.pass(app.timings.evm.synchronousMs);
    expect(await sent).toBe('waiting');
  }
  expect(chain.sendsSynchronously).toBe(false);
});
