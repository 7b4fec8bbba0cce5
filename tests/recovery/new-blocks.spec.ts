import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { expect } from '@playwright/test';
import type { Timings } from '@/lib/platform/timings';
import { shortTimings } from '../support/timings';
import { transfersOf } from './rig/found';
import { mine, pendingCount, stopMining, test } from './rig/own-chain';
import { type Answer, ask, sign } from './rig/requests';
import type { Rig } from './rig/rig';
import { until } from './rig/waiting';

function timingsWith(evm: Partial<Timings['evm']>): Timings {
  return { ...shortTimings, evm: { ...shortTimings.evm, subscribeFirstMs: 100, ...evm } };
}

/** Nobody gets a response in time by polling. */
const withoutPolls = timingsWith({
  pollFirstMs: 60_000,
  pollMaxAloneMs: 60_000,
  pollMaxMs: 60_000,
  pollMaxBesideBlocksMs: 60_000,
  answerWithinMs: 20_000,
});

/** A proxied connection to a WebSocket that the test can cut. */
async function startLine(target: string) {
  const { hostname, port } = new URL(target);
  const open = new Set<Socket>();
  let isCut = false;
  const server = createServer((socket) => {
    if (isCut) return void socket.destroy();
    const onward = connect(Number(port), hostname);
    for (const [one, other] of [
      [socket, onward],
      [onward, socket],
    ] as const) {
      open.add(one);
      one.on('error', () => undefined).on('close', () => other.destroy());
      one.pipe(other);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get isOpen() {
      return open.size > 0;
    },
    cut() {
      isCut = true;
      for (const socket of open) socket.destroy();
      open.clear();
    },
    restore() {
      isCut = false;
    },
    async close() {
      this.cut();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Pays, and mines one block once the transaction is pending, or blocks until there is a response. */
async function pay(rig: Rig, blocks: 'one' | 'many' = 'one'): Promise<Answer> {
  const wallet = await rig.newEvmPayer();
  const request = await sign(rig, wallet);
  await stopMining(rig);
  const answer = ask(request);
  let answered: Answer | undefined;
  answer.then((arrived) => {
    answered = arrived;
  });
  await until('a waiting transaction', async () => (await pendingCount(rig)) === 1);
  await mine(rig);
  if (blocks === 'many') await until('a response', async () => answered ?? mine(rig));
  const { status } = await answer;
  expect(await transfersOf(rig, wallet.address)).toHaveLength(status === 200 ? 1 : 0);
  return answer;
}

test('a receipt is asked for when the node tells a new block, without polling', async ({ rig }) => {
  const line = await startLine(rig.chainUrl('base'));
  await rig.start({ BASE_RPC_URL: `${line.url},${rig.base.url}` }, withoutPolls);
  // The connection is opened when a request waits for a block, not if the receipt is there at the first poll. The block of that
  // transaction itself may be missed.
  await until('a connection', async () => {
    expect((await pay(rig, 'many')).status).toBe(200);
    return line.isOpen;
  });
  const before = rig.base.count('eth_getTransactionReceipt');
  expect((await pay(rig)).status).toBe(200);
  // One poll when it is sent, and another one at its block unless that is there already.
  expect(rig.base.count('eth_getTransactionReceipt') - before).toBeLessThanOrEqual(2);
  expect(await rig.audit()).toEqual([]);
  await line.close();
});

test('while new blocks are not announced receipts are polled, and the connection is made again', async ({
  rig,
}) => {
  const line = await startLine(rig.chainUrl('base'));
  line.cut();
  const usualPolls = timingsWith({});
  await rig.start({ BASE_RPC_URL: `${rig.base.url},${line.url}` }, usualPolls);
  // If the receipt is there at the first poll, no request waits for a block, and no connection is made.
  await until('a connection that failed', async () => {
    expect((await pay(rig)).status).toBe(200);
    return rig.server().output().includes('new blocks are not announced');
  });
  line.restore();
  await until('a connection', async () => {
    expect((await pay(rig)).status).toBe(200);
    return rig.server().output().includes('over: new blocks are not announced');
  });
  line.cut();
  expect((await pay(rig)).status).toBe(200);
  expect(await rig.audit()).toEqual([]);
  await line.close();
});
