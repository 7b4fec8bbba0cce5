import { evmNetworks } from '@/local/networks';
import { type DatabaseLock, lockPaidCalls } from '../support/database-lock';
import { expect, test } from './fixtures';
import { lockDelivery } from './rig/delivery-lock';
import { callsOf, expectPaidAndDeliveredOnce, transfersOf, untilState, uploadsOf } from './rig/found';
import { ask, persist, sign } from './rig/requests';
import type { Rig } from './rig/rig';
import { until } from './rig/waiting';

test.setTimeout(180_000);

/** A point at which the server can be stopped. */
interface Stop {
  readonly at: string;
  /** Blocks the payer's next call at this point. */
  block(rig: Rig, payer: string): Promise<Blocked>;
}

interface Blocked {
  /** Waits until the server is blocked. */
  reached(): Promise<void>;
  /** Removes the block after the server is dead. */
  clear(): Promise<void>;
}

const verification = {
  params: ([call]: readonly unknown[]) =>
    (call as { to?: string } | undefined)?.to?.toLowerCase() ===
    evmNetworks[0].interfaceMulticall.toLowerCase(),
};

function blockRpc(rig: Rig, method: string, at: 'before' | 'after', when = {}): Blocked {
  const held = rig.base.hold(method, at, when);
  return {
    async reached() {
      await held.reached;
    },
    async clear() {
      held.abandon();
    },
  };
}

/** Until the operation has its effect and its answer is about to be stored. */
const doneWithoutAnswer: Stop = {
  at: 'done without a stored answer',
  async block(rig, payer) {
    const before = await lockDelivery(rig, payer);
    let after: DatabaseLock | undefined;
    return {
      async reached() {
        await before.reached();
        after = await lockPaidCalls(rig.databaseUrl, payer);
        await before.release();
        await after.reached();
        expect(await uploadsOf(rig, payer)).toHaveLength(1);
      },
      async clear() {
        await after?.abandon();
      },
    };
  },
};

const minedWithoutReceipt: Stop = {
  at: 'mined without a receipt',
  async block(rig, payer) {
    const held = blockRpc(rig, 'eth_getTransactionReceipt', 'after');
    return {
      ...held,
      async reached() {
        await held.reached();
        await until('a transfer', async () => (await transfersOf(rig, payer)).length > 0);
      },
    };
  },
};

/** Sends a signed request and kills the server at the stop. The rig is then restarted with nothing blocked. */
async function killAt(stop: Stop, rig: Rig, meanwhile?: () => Promise<unknown>) {
  const wallet = await rig.newEvmPayer();
  const request = await sign(rig, wallet);
  const blocked = await stop.block(rig, wallet.address);
  const first = ask(request).catch(() => null);
  await blocked.reached();
  await rig.kill();
  await blocked.clear();
  await meanwhile?.();
  expect(await first, 'the first request has no answer').toBeNull();
  await rig.start();
  return { request, payer: wallet.address };
}

// tests/recovery/crash-points.spec.ts kills at every message.
for (const stop of [minedWithoutReceipt, doneWithoutAnswer])
  test(`killed at "${stop.at}", the same request ends with the one upload it paid for`, async ({ rig }) => {
    const { request, payer } = await killAt(stop, rig, () => rig.passTakeoverTime());
    const answer = await persist(request);
    expect(answer.status).toBe(200);
    expect([answer.body.id]).toEqual(await uploadsOf(rig, payer));
    await expectPaidAndDeliveredOnce(rig, payer);
  });

test('killed at "broadcast without an acknowledgement", recovery delivers within 30 s though the client never returns', async ({
  rig,
}) => {
  const stop: Stop = {
    at: 'broadcast without an acknowledgement',
    block: async (on) => blockRpc(on, 'eth_sendRawTransaction', 'after'),
  };
  // Recovery waits for as long as a silent server counts as alive.
  const { payer } = await killAt(stop, rig);
  await untilState(rig, payer, 'delivered', 30_000);
  await expectPaidAndDeliveredOnce(rig, payer);
});

const verifying: Stop = {
  at: 'verifying, before anything is written',
  block: async (rig) => blockRpc(rig, 'eth_call', 'before', verification),
};

test('a server killed during verification has stored nothing, and the same request buys the upload', async ({
  rig,
}) => {
  const { request, payer } = await killAt(verifying, rig);
  expect(await callsOf(rig, payer)).toEqual([]);
  expect(await transfersOf(rig, payer)).toEqual([]);
  const answer = await persist(request);
  expect(answer.status).toBe(200);
  await expectPaidAndDeliveredOnce(rig, payer);
});

/** Makes the clock of a process an hour slow. */
const anHourSlow = `data:text/javascript,${encodeURIComponent(`
  const Right = Date;
  globalThis.Date = class extends Right {
    constructor(...at) { at.length > 0 ? super(...at) : super(Right.now() - 3_600_000); }
    static now() { return Right.now() - 3_600_000; }
    static UTC = Right.UTC;
  };`)}`;

test('a server with a slow clock counts as alive: its calls are not taken over while it works on them', async ({
  rig,
}) => {
  await rig.kill();
  await rig.passTakeoverTime();
  await rig.startProcess({ NODE_OPTIONS: `--import=${anHourSlow}` });
  const alive = await rig.query('SELECT id FROM instance WHERE alive_until > now()');
  await rig.kill();
  expect(alive).toHaveLength(1);
});

test('a server started where another was killed waits for nothing: it has the key and the calls of the dead one', async ({
  rig,
}) => {
  await rig.kill();
  await rig.passTakeoverTime();
  await rig.startProcess();
  expect((await ask(await sign(rig, await rig.newEvmPayer()))).status).toBe(200);
  const payer = await rig.newEvmPayer();
  const held = rig.base.hold('eth_sendRawTransaction', 'after');
  const interrupted = ask(await sign(rig, payer)).catch(() => null);
  await held.reached;
  await rig.kill();
  held.abandon();
  expect(await interrupted).toBeNull();

  await rig.startProcess();
  expect(await rig.query('SELECT id FROM instance WHERE alive_until > now()')).toHaveLength(1);
  // The dead server's heartbeat would have counted for longer than a response may take.
  expect((await ask(await sign(rig, await rig.newEvmPayer()))).status).toBe(200);
  await untilState(rig, payer.address, 'delivered');
  expect(await transfersOf(rig, payer.address)).toHaveLength(1);
  expect(await rig.audit()).toEqual([]);
  await rig.kill();
});
