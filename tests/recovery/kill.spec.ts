import type { PrivateKeyAccount } from 'viem/accounts';
import { evmNetworks } from '@/local/networks';
import { cookieOf, enterToken, formTokenIn, operatorToken, sendToConsole } from '../support/console';
import { type DatabaseLock, lockPaidCalls } from '../support/database-lock';
import { askedIn, messageFor, signedHeader, signMessage } from '../support/wallet-sign-in';
import { expect, test } from './fixtures';
import { lockDelivery } from './rig/delivery-lock';
import { callsOf, expectPaidAndDeliveredOnce, transfersOf, untilState, uploadsOf } from './rig/found';
import { ask, persist, type SignedRequest, sign } from './rig/requests';
import type { Rig } from './rig/rig';
import { pause, until } from './rig/waiting';

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
  return { request, payer: wallet.address, wallet };
}

/** Repeats a request with nothing but the wallet, which signs in each time instead of paying, until it has what was bought. */
async function signInFor({ url, init: { body } }: SignedRequest, wallet: PrivateKeyAccount) {
  for (const _ of Array.from({ length: 60 })) {
    const unpaid = await fetch(url, { method: 'POST', body });
    const signed = signedHeader(await signMessage(messageFor(askedIn(unpaid), wallet), wallet));
    const answer = await fetch(url, { method: 'POST', body, headers: signed });
    if (answer.status === 200) return answer.json();
    const { error } = await answer.json();
    // Never 402, whose error is a text: it would have to pay again.
    expect(error).toMatchObject({ retry: 'same_request' });
    await pause(1_000);
  }
  throw new Error('the wallet did not get what it has bought');
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

for (const stop of [minedWithoutReceipt, doneWithoutAnswer])
  test(`killed at "${stop.at}", the wallet alone signs in and gets the one upload it paid for`, async ({
    rig,
  }) => {
    const { request, payer, wallet } = await killAt(stop, rig);
    const upload = await signInFor(request, wallet);
    expect([upload.id]).toEqual(await uploadsOf(rig, payer));
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

/** Blocks the server at a statement, before or after the database executes it. */
function blockStatement(
  rig: Rig,
  isMeant: (statement: string) => boolean,
  moment: 'before' | 'after',
): Blocked {
  let reach: () => void = () => undefined;
  const reached = new Promise<void>((resolve) => {
    reach = resolve;
  });
  rig.database.intercept((statement) => {
    if (!isMeant(statement)) return null;
    // Nothing is replied: the kill ends the connection.
    return async ({ forward }) => {
      if (moment === 'after') await forward();
      reach();
    };
  });
  return {
    reached: () => reached,
    async clear() {
      rig.database.intercept(null);
    },
  };
}

/** Requests a refund. The answer is that of the server, also when the sign-in is refused. */
async function requestRefund(rig: Rig, id: string, reason: string, headers: Record<string, string> = {}) {
  const url = `${rig.apiUrl}/v1/paid-calls/${id}/refund-request`;
  return fetch(url, {
    method: 'POST',
    body: JSON.stringify({ reason, message: 'A line is missing.' }),
    headers,
  });
}

/** Buys an upload. @returns the ID of the call */
async function buy(rig: Rig, wallet: PrivateKeyAccount): Promise<string> {
  expect((await persist(await sign(rig, wallet))).status).toBe(200);
  const [call] = await callsOf(rig, wallet.address);
  return call?.id ?? '';
}

const signedFor = async (unpaid: Response, wallet: PrivateKeyAccount) =>
  signedHeader(await signMessage(messageFor(askedIn(unpaid), wallet), wallet));

for (const [moment, table, stored] of [
  ['before', 'used_sign_in', 0],
  ['before', 'refund_request', 0],
  ['after', 'refund_request', 1],
] as const)
  test(`killed ${moment} a request for a refund is in ${table}, its wallet ends with one request`, async ({
    rig,
  }) => {
    const wallet = await rig.newEvmPayer();
    const id = await buy(rig, wallet);
    const rows = () => rig.query('SELECT reason FROM refund_request WHERE paid_call_id = $1', [id]);
    const signed = await signedFor(await requestRefund(rig, id, 'wrong_result'), wallet);
    const isInsert = (statement: string) => statement.includes(`INSERT INTO "public"."${table}"`);
    const blocked = blockStatement(rig, isInsert, moment);
    const first = requestRefund(rig, id, 'wrong_result', signed).catch(() => null);
    await blocked.reached();
    await rig.kill();
    await blocked.clear();
    expect(await first).toBeNull();
    expect(await rows()).toHaveLength(stored);
    await rig.start();

    const retry = await requestRefund(rig, id, 'wrong_result', signed);
    // A sign-in is used up before the request is stored. The refusal brings the next message.
    const isUsed = table !== 'used_sign_in';
    expect(retry.status).toBe(isUsed ? 401 : 200);
    const answer = isUsed
      ? await requestRefund(rig, id, 'wrong_result', await signedFor(retry, wallet))
      : retry;
    const open = await answer.json();
    expect([answer.status, open]).toMatchObject([
      200,
      { paidCallId: id, state: 'open', reason: 'wrong_result' },
    ]);
    const again = await signedFor(await requestRefund(rig, id, 'other'), wallet);
    expect(await (await requestRefund(rig, id, 'other', again)).json()).toEqual(open);
    expect(await rows()).toEqual([{ reason: 'wrong_result' }]);
    expect(await listedTimes(rig, id)).toBe(1);
  });

/** How often a call is on the worklist. */
async function listedTimes(rig: Rig, id: string): Promise<number> {
  const { output } = await rig.tuppence('worklist', '--json');
  return output.split('\n').filter((line) => line.includes(id)).length;
}

for (const moment of ['before', 'after'] as const)
  test(`killed ${moment} the commit of a decline in the console, the operator's form declines the request once`, async ({
    rig,
  }) => {
    const wallet = await rig.newEvmPayer();
    const id = await buy(rig, wallet);
    const signed = await signedFor(await requestRefund(rig, id, 'other'), wallet);
    expect((await requestRefund(rig, id, 'other', signed)).status).toBe(200);
    const page = `/operator/calls/${id}/decline`;
    const cookie = cookieOf(await enterToken(operatorToken(), {}, rig));
    const form = await formTokenIn(await sendToConsole(page, { cookie }, rig));
    const decline = () => sendToConsole(page, { cookie, fields: { form, note: 'No line is missing.' } }, rig);
    let isLogged = false;
    const isCommit = (statement: string) => {
      isLogged ||= statement.includes('INSERT INTO "public"."operator_action"');
      return isLogged && /^COMMIT/i.test(statement);
    };
    const blocked = blockStatement(rig, isCommit, moment);
    const first = decline().catch(() => null);
    await blocked.reached();
    await rig.kill();
    await blocked.clear();
    expect(await first).toBeNull();
    await rig.start();
    // When the first form was effective, the page says that the request is no longer open.
    expect((await decline()).status).toBe(moment === 'before' ? 303 : 409);
    expect((await decline()).status).toBe(409);
    const actions = await rig.query(
      `SELECT note FROM operator_action WHERE action = 'refund.decline' AND target_id = $1`,
      [id],
    );
    expect(actions).toEqual([{ note: 'No line is missing.' }]);
    const again = await signedFor(await requestRefund(rig, id, 'other'), wallet);
    const answer = await (await requestRefund(rig, id, 'other', again)).json();
    expect(answer).toMatchObject({ state: 'declined', answer: 'No line is missing.' });
    expect(await listedTimes(rig, id)).toBe(0);
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
