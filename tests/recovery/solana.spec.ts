import { rpcCall } from '@/local/json-rpc';
import { lockTable } from '../support/database-lock';
import {
  breakAnswer,
  claimFailure,
  loseAnswer,
  loseRequest,
  repeatRequest,
  startRpcProxy,
} from '../support/rpc-proxy';
import { promptNodeTimings } from '../support/timings';
import { expect, test } from './fixtures';
import { callsOf, transfersOf, untilState, uploadsOf } from './rig/found';
import { ask, persist, sign } from './rig/requests';
import type { Rig } from './rig/rig';
import { until } from './rig/waiting';

test.setTimeout(180_000);

const broadcast = 'sendTransaction';
const status = 'getSignatureStatuses';

const solanaOf = (rig: Rig) => rig.proxy('solana-mainnet');

async function expectPaidAndDeliveredOnce(rig: Rig, payer: string): Promise<void> {
  await until('one confirmed transfer', async () => (await transfersOf(rig, payer)).length === 1, 5_000);
  expect(await uploadsOf(rig, payer)).toHaveLength(1);
  expect(await rig.audit()).toEqual([]);
}

interface Stop {
  readonly at: string;
  block(rig: Rig): Promise<{ reached: () => Promise<unknown>; clear: () => Promise<void> | void }>;
}

function stopRpc(method: string, when: 'before' | 'after'): Stop['block'] {
  return async (rig) => {
    const held = solanaOf(rig).hold(method, when);
    return { reached: () => held.reached, clear: () => held.abandon() };
  };
}

const stops: readonly Stop[] = [
  { at: 'prepared and not broadcast', block: stopRpc(broadcast, 'before') },
  { at: 'broadcast without an acknowledgement', block: stopRpc(broadcast, 'after') },
  { at: 'broadcast without a status', block: stopRpc(status, 'after') },
  {
    at: 'settled without an effect',
    async block(rig) {
      const lock = await lockTable(rig.databaseUrl, 'upload', 'INSERT INTO');
      return { reached: () => lock.reached(), clear: () => lock.abandon() };
    },
  },
];

async function killAt(stop: Stop, rig: Rig, meanwhile: () => Promise<unknown>) {
  const wallet = await rig.newSolanaPayer();
  const request = await sign(rig, wallet);
  const blocked = await stop.block(rig);
  const first = ask(request).catch(() => null);
  await blocked.reached();
  await rig.kill();
  await blocked.clear();
  expect(await first).toBeNull();
  await meanwhile();
  await rig.start();
  return { request, payer: wallet.address as string };
}

/** A payer and their request. The server was killed before or after the node got the transaction. */
async function killAtBroadcast(rig: Rig, when: 'before' | 'after') {
  const wallet = await rig.newSolanaPayer();
  const request = await sign(rig, wallet);
  const held = solanaOf(rig).hold(broadcast, when);
  const first = ask(request).catch(() => null);
  await held.reached;
  await rig.kill();
  held.abandon();
  await first;
  return { wallet, request };
}

for (const stop of stops) {
  test(`on Solana, killed at "${stop.at}", recovery delivers within 30 s and the same request gets it`, async ({
    rig,
  }) => {
    // At one of the stops, recovery waits for as long as a silent server counts as alive.
    const isWaiting = stop.at === 'prepared and not broadcast';
    const { request, payer } = await killAt(stop, rig, async () => isWaiting || rig.passTakeoverTime());
    await untilState(rig, payer, 'delivered', 30_000);
    const answer = await persist(request);
    expect(answer.status).toBe(200);
    expect([answer.body.id]).toEqual(await uploadsOf(rig, payer));
    await expectPaidAndDeliveredOnce(rig, payer);
  });
}

const broadcasts = [
  { what: 'is accepted, but its answer is lost', action: loseAnswer },
  { what: 'is accepted, but answered with an error', action: claimFailure('Node is behind by 42 slots') },
  { what: 'never arrives', action: loseRequest },
  { what: 'arrives twice', action: repeatRequest },
];

for (const { what, action } of broadcasts) {
  test(`a Solana payment whose broadcast ${what} is made once and delivered in the first response`, async ({
    rig,
  }) => {
    const wallet = await rig.newSolanaPayer();
    const request = await sign(rig, wallet);
    const rule = solanaOf(rig).on(broadcast, action, { times: 1 });
    const answer = await ask(request);
    expect(rule.hits).toBe(1);
    expect(answer.status).toBe(200);
    await expectPaidAndDeliveredOnce(rig, wallet.address);
  });
}

test('the status of a Solana payment is requested again until a response arrives', async ({ rig }) => {
  const wallet = await rig.newSolanaPayer();
  const request = await sign(rig, wallet);
  const rule = solanaOf(rig).on(status, loseAnswer, { times: 8 });
  const answer = await ask(request);
  expect(rule.hits).toBe(8);
  expect(answer.status).toBe(200);
  await expectPaidAndDeliveredOnce(rig, wallet.address);
});

test('a Solana node that does not respond is asked again, and the payment is delivered', async ({ rig }) => {
  const wallet = await rig.newSolanaPayer();
  const request = await sign(rig, wallet);
  // The request waits for longer than the node may take.
  const solana = { ...promptNodeTimings.solana, answerWithinMs: 20_000 };
  await rig.restart({}, { ...promptNodeTimings, solana });
  solanaOf(rig).hold(status, 'before', { times: 1 });
  expect((await ask(request)).status).toBe(200);
  await expectPaidAndDeliveredOnce(rig, wallet.address);
  await rig.kill();
});

test('Solana payments of one account are sent in parallel while its balance covers them; the rest cost no fee', async ({
  rig,
}) => {
  const wallet = await rig.newSolanaPayer(10_000n);
  const [one, another, tooMuch] = [
    await sign(rig, wallet),
    await sign(rig, wallet),
    await sign(rig, wallet),
  ] as const;
  const asked = solanaOf(rig).count('getTokenAccountBalance');
  // A transaction that is slow to land is sent again.
  const sent = new Set<unknown>();
  let release: () => void = () => undefined;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const held = solanaOf(rig).on(broadcast, async ({ params: [transaction] }, forward) => {
    sent.add(transaction);
    await released;
    return forward();
  });
  const first = ask(one);
  await held.reached;
  expect(solanaOf(rig).count('getTokenAccountBalance')).toBe(asked);
  const second = ask(another);
  await until('two broadcasts', async () => sent.size === 2);
  const third = ask(tooMuch);
  await until('a look at the balance', async () => solanaOf(rig).count('getTokenAccountBalance') > asked + 1);
  release();
  expect([(await first).status, (await second).status]).toEqual([200, 200]);
  const refused = await third;
  held.remove();
  expect(refused.status).toBe(402);
  expect(refused.body.error).toBe('insufficient_funds');
  expect(sent.size).toBe(2);
  expect(await transfersOf(rig, wallet.address)).toHaveLength(2);
  expect(await uploadsOf(rig, wallet.address)).toHaveLength(2);
  expect(await rig.audit()).toEqual([]);
});

test('a Solana payment whose broadcast is lost until its blockhash expires gets 402 and is never charged', async ({
  solanaRig: rig,
}) => {
  const wallet = await rig.newSolanaPayer();
  const request = await sign(rig, wallet);
  const rule = solanaOf(rig).on(broadcast, loseRequest);
  const first = ask(request);
  await rule.reached;
  await rpcCall(rig.chainUrl('solana-mainnet'), 'tuppence_advanceSlots', [250]);
  expect((await first).status).toBe(503);
  const call = await untilState(rig, wallet.address, 'refused');
  expect(call.refusal_reason).toBe('transaction_expired_unused');
  rule.remove();
  const last = await ask(request);
  expect(last.status).toBe(402);
  expect(last.body.error).toBe('transaction_expired_unused');
  expect(await transfersOf(rig, wallet.address)).toEqual([]);
  expect(await uploadsOf(rig, wallet.address)).toEqual([]);
  expect(await rig.audit()).toEqual([]);
});

test('a Solana payment is not refused because a node that lags behind has no status of it', async ({
  solanaRig: rig,
}) => {
  const { wallet, request } = await killAtBroadcast(rig, 'after');
  await until('a confirmed transfer', async () => (await transfersOf(rig, wallet.address)).length === 1);
  const paidIn = (await rpcCall(rig.chainUrl('solana-mainnet'), 'getSlot', [])) as number;
  await rpcCall(rig.chainUrl('solana-mainnet'), 'tuppence_advanceSlots', [250]);
  const lagging = solanaOf(rig).on(status, async ({ params: [signatures] }) => ({
    result: { context: { slot: paidIn - 10 }, value: (signatures as string[]).map(() => null) },
  }));
  await rig.passTakeoverTime();
  await rig.start();
  const answer = ask(request);
  await until('a look at the status', async () => lagging.hits > 2);
  expect((await answer).status).toBe(503);
  expect(await callsOf(rig, wallet.address)).not.toMatchObject([{ state: 'refused' }]);
  lagging.remove();
  expect((await persist(request)).status).toBe(200);
  await expectPaidAndDeliveredOnce(rig, wallet.address);
});

test('a Solana payment that was made is found although no node tells whether its blockhash is valid', async ({
  solanaRig: rig,
}) => {
  const { wallet, request } = await killAtBroadcast(rig, 'after');
  await until('a confirmed transfer', async () => (await transfersOf(rig, wallet.address)).length === 1);
  await rpcCall(rig.chainUrl('solana-mainnet'), 'tuppence_advanceSlots', [250]);
  const limited = solanaOf(rig).on('isBlockhashValid', loseRequest);
  await rig.passTakeoverTime();
  await rig.start();
  expect((await persist(request)).status).toBe(200);
  limited.remove();
  await expectPaidAndDeliveredOnce(rig, wallet.address);
});

test('a Solana payment that was never made is refused although the nodes of an address are a few slots apart', async ({
  solanaRig: rig,
}) => {
  const { wallet, request } = await killAtBroadcast(rig, 'before');
  await rpcCall(rig.chainUrl('solana-mainnet'), 'tuppence_advanceSlots', [250]);
  const behind = solanaOf(rig).on(status, async (_, forward) => {
    const answer = (await forward()) as { result: { context: { slot: number } } };
    answer.result.context.slot -= 4;
    return answer;
  });
  await rig.passTakeoverTime();
  await rig.start();
  expect((await persist(request)).status).toBe(402);
  behind.remove();
  expect(await transfersOf(rig, wallet.address)).toEqual([]);
});

test('a Solana payment is not refused while its blockhash is valid, however far behind the node was that verified it', async ({
  solanaRig: rig,
}) => {
  const behind = solanaOf(rig).on('getEpochInfo', async (_, forward) => {
    const { result } = (await forward()) as { result: object };
    return { result: { ...result, blockHeight: 100 } };
  });
  const { wallet, request } = await killAtBroadcast(rig, 'before');
  behind.remove();
  const valid = solanaOf(rig).on('isBlockhashValid', async (_, forward) => forward());
  await rig.passTakeoverTime();
  await rig.start();
  const answer = ask(request);
  await until('a question whether it is valid', async () => valid.hits > 0);
  expect((await answer).status).not.toBe(402);
  expect((await persist(request)).status).toBe(200);
  await expectPaidAndDeliveredOnce(rig, wallet.address);
});

test('a Solana payment of a killed server is not refused before its blockhash expires', async ({
  solanaRig: rig,
}) => {
  const { wallet, request } = await killAtBroadcast(rig, 'before');
  // The blockhash has used up much of its 150 slots but is still valid, so the transaction could still land.
  await rpcCall(rig.chainUrl('solana-mainnet'), 'tuppence_advanceSlots', [80]);
  await rig.passTakeoverTime();
  await rig.start();
  const answer = await persist(request);
  expect(answer.status).toBe(200);
  expect(await callsOf(rig, wallet.address)).toMatchObject([{ state: 'delivered' }]);
  await expectPaidAndDeliveredOnce(rig, wallet.address);
});

test('a Solana payment sent under an earlier settlement key is resolved after the key was changed', async ({
  rig,
}) => {
  const { wallet } = await killAtBroadcast(rig, 'after');
  await rig.start({ SETTLEMENT_KEY_SOLANA: await rig.newSolanaFeePayer() });
  try {
    await untilState(rig, wallet.address, 'delivered');
    await expectPaidAndDeliveredOnce(rig, wallet.address);
    // The transaction is booked and becomes final like those of the current key.
    await until('the record of its block', async () => {
      const open = await rig.query("SELECT FROM settlement_transaction WHERE state <> 'confirmed'");
      return open.length === 0;
    });
  } finally {
    await rig.kill();
  }
});

test('if the Solana node cannot be asked to verify a payment, the call gets 503, and nothing is stored or charged', async ({
  rig,
}) => {
  for (const fault of ['status-500', 'close', 'truncate'] as const) {
    const wallet = await rig.newSolanaPayer();
    const request = await sign(rig, wallet);
    const rule = solanaOf(rig).on('simulateTransaction', breakAnswer(fault));
    const first = await ask(request);
    rule.remove();
    expect(first.status).toBe(503);
    expect(first.body.error).toMatchObject({ code: 'service_unavailable', payment: 'none', retry: 'later' });
    expect(await callsOf(rig, wallet.address)).toEqual([]);
    expect((await persist(request)).status).toBe(200);
    await expectPaidAndDeliveredOnce(rig, wallet.address);
  }
});

test('a Solana payment that only one of two nodes still knows is neither refused nor reopened', async ({
  solanaRig: rig,
}) => {
  const chainUrl = rig.chainUrl('solana-mainnet');
  const { wallet } = await killAtBroadcast(rig, 'after');
  await until('a confirmed transfer', async () => (await transfersOf(rig, wallet.address)).length === 1);
  // Its blockhash expires, so a transaction that has not landed by now never will.
  await rpcCall(chainUrl, 'tuppence_advanceSlots', [250]);
  const second = await startRpcProxy(chainUrl);
  const knowsNothing = async () => ({ result: { context: { slot: 1 }, value: [null] } });
  const forgetful = second.on(status, knowsNothing);
  await rig.passTakeoverTime();
  await rig.start({ SOLANA_RPC_URL: `${solanaOf(rig).url},${second.url}` });
  try {
    const open = await untilState(rig, wallet.address, 'unknown');
    expect(open.refusal_reason).toBeNull();
    forgetful.remove();
    const { transaction_hash } = await untilState(rig, wallet.address, 'delivered');
    const isMined = "SELECT 1 FROM settlement_transaction WHERE hash = $1 AND state = 'confirmed'";
    await until('its block', async () => (await rig.query(isMined, [transaction_hash])).length === 1);
    // Transactions that are not final yet are checked with the nodes again and again.
    const lapse = second.on(status, knowsNothing);
    const blocks = second.on('getBlock', loseRequest);
    const hasEnded = 'SELECT 1 FROM settlement_transaction WHERE hash = $1 AND final_at IS NOT NULL';
    // Killed, because a check in progress has the earlier answers of both nodes.
    await rig.kill();
    await rig.query('UPDATE settlement_transaction SET final_at = NULL WHERE hash = $1', [transaction_hash]);
    await rig.passTakeoverTime();
    await rig.start({ SOLANA_RPC_URL: `${solanaOf(rig).url},${second.url}` });
    await until('two looks at the settlement', async () => lapse.hits > 1);
    expect(await rig.query(hasEnded, [transaction_hash])).toEqual([]);
    blocks.remove();
    await until('its final block', async () => (await rig.query(hasEnded, [transaction_hash])).length === 1);
    expect(await callsOf(rig, wallet.address)).toMatchObject([{ state: 'delivered' }]);
    await expectPaidAndDeliveredOnce(rig, wallet.address);
  } finally {
    await rig.kill();
    await second.close();
  }
});
