import { expect, test } from '../support/without-browser';
import { minuteMs, type OpenService, openService, recoverFor, request, timings } from './calls/paid-service';
import { expired } from './calls/payment-chain';

// The order in which a paid call is charged, recorded, delivered and answered, whatever else happens in between.

test('a call is charged, then delivered, then stored, and only then answered', async () => {
  const opened = openService();
  const { time, events, start } = opened;
  const { buy } = await start('one');
  await time.finish(buy(request(time)), minuteMs);
  expect(events).toEqual(['charged', 'delivered', 'answered: delivered']);
});

test('a third party is asked only once the settlement is recorded', async () => {
  const { time, chain, events, start } = openService({ callsThirdParty: true });
  chain.answer = 'before it is recorded';
  const { buy } = await start('one');
  await time.finish(buy(request(time)), minuteMs);
  expect(events).toEqual(['charged', 'recorded', 'delivered', 'answered: delivered']);
});

test('a call whose settlement is still being recorded is not answered before that', async () => {
  const { time, chain, events, start } = openService();
  chain.answer = 'before it is recorded';
  const { buy } = await start('one');
  await time.finish(buy(request(time)), minuteMs);
  expect(events).toEqual(['charged', 'delivered', 'recorded', 'answered: delivered']);
});

test('a call with an unknown outcome is neither refused nor delivered, and is finished later with one charge', async () => {
  const opened = openService();
  const { time, chain, events, start, onlyCall } = opened;
  chain.answer = 'nothing yet';
  const one = await start('one');
  const bought = await time.finish(one.buy(request(time)), minuteMs);
  expect(bought).toMatchObject({ kind: 'called', result: { kind: 'unknown' } });
  expect(events).toEqual(['charged', 'answered: unknown']);
  expect(onlyCall().workedBy).toBeNull();
  expect(onlyCall().attemptAt.getTime()).toBeGreaterThan(time.nowMs);
  await time.pass(3_000);
  await recoverFor(opened, one, 15_000);
  expect(events).toEqual(['charged', 'answered: unknown', 'delivered']);
  expect(onlyCall().state).toBe('delivered');
});

test('a lost payment is charged again only when no process follows a transaction with it', async () => {
  const opened = openService();
  const { time, chain, events, start, onlyCall } = opened;
  Object.assign(chain, { answer: 'nothing yet', losesPayments: true, isFollowed: true });
  const one = await start('one');
  await time.finish(one.buy(request(time)), minuteMs);
  await recoverFor(opened, one, 15_000);
  expect(events).toEqual(['charged', 'answered: unknown']);
  Object.assign(chain, { answer: 'in a block', losesPayments: false, isFollowed: false });
  await recoverFor(opened, one, minuteMs);
  expect(events).toEqual(['charged', 'answered: unknown', 'charged', 'delivered']);
  expect(onlyCall().state).toBe('delivered');
});

// A message to the database takes 5 ms, and the charge two seconds.
for (const [moment, afterMs] of [
  ['at the same moment', 0],
  ['while it is claimed', 12],
  ['while it is charged', 1_000],
  ['while it is delivered', 2_500],
] as const) {
  test(`a request that arrives at another server ${moment} waits for the first, and charges and delivers nothing`, async () => {
    const { time, events, start } = openService();
    const [one, other] = [await start('one'), await start('other')];
    const sent = request(time);
    const first = one.buy(sent);
    await time.pass(afterMs);
    const both = await time.finish(Promise.all([first, other.buy(sent)]), minuteMs);
    for (const bought of both) expect(bought).toMatchObject({ result: { answer: { body: '{"words":3}' } } });
    const done = events.filter((event) => !event.startsWith('answered'));
    expect(done).toEqual(['charged', 'delivered']);
  });
}

for (const [what, isAway] of [
  ['finds its payment used', false],
  ['fails', true],
] as const) {
  test(`a request whose verification ${what}, because another server was faster, gets the answer of that`, async () => {
    const { time, chain, events, start } = openService();
    const [one, other] = [await start('one'), await start('other')];
    const sent = request(time);
    const clock = time.createClock();
    chain.beforeVerification = async () => {
      chain.beforeVerification = null;
      await clock.sleep(10_000);
      if (isAway) throw new Error('the node does not answer');
    };
    const slow = one.buy(sent);
    await time.pass(1_000);
    const both = await time.finish(Promise.all([slow, other.buy(sent)]), minuteMs);
    for (const bought of both) expect(bought).toMatchObject({ result: { answer: { body: '{"words":3}' } } });
    expect(events.filter((event) => !event.startsWith('answered'))).toEqual(['charged', 'delivered']);
  });
}

test('a server whose preparation fails after another server has charged the call does not say that nothing was charged', async () => {
  let isFirst = true;
  const { time, events, start } = openService({
    prepare: async (clock) => {
      if (!isFirst) return 'prepared';
      isFirst = false;
      await clock.sleep(timings.instance.aliveForMs + 5_000);
      throw new Error('nothing can be prepared');
    },
  });
  const slow = await start('one');
  const sent = request(time);
  const first = slow.server.buy(sent).catch((error: unknown) => error);
  await time.pass(timings.instance.aliveForMs + 1_000);
  const other = await start('other');
  const second = await time.finish(other.server.buy(sent), minuteMs);
  expect(second).toMatchObject({ result: { kind: 'answered' } });
  expect(await time.finish(first, minuteMs)).toMatchObject({ result: { kind: 'unknown' } });
  expect(events.filter((event) => !event.startsWith('answered'))).toEqual(['charged', 'delivered']);
});

test('a server whose charge is refused after another server has charged the call does not say that nothing was charged', async () => {
  const { time, chain, events, start } = openService();
  const slow = await start('one');
  const clock = time.createClock();
  const sent = request(time);
  chain.refusal = { kind: 'refused', reason: 'authorization_canceled', isReversible: true };
  chain.beforeOutcome = async () => {
    chain.beforeOutcome = null;
    await clock.sleep(timings.instance.aliveForMs + 5_000);
  };
  const first = slow.server.buy(sent);
  await time.pass(timings.instance.aliveForMs + 3_000);
  // A reorganization has removed the block with the cancellation.
  chain.refusal = null;
  const other = await start('other');
  const second = await time.finish(other.server.buy(sent), minuteMs);
  expect(second).toMatchObject({ result: { kind: 'answered' } });
  expect(await time.finish(first, minuteMs)).toMatchObject({ result: { kind: 'unknown' } });
  expect(events.filter((event) => event !== 'charged')).toEqual(['delivered']);
});

test('a payment that was used in time, and whose request comes too late, gets no 402, and is left to the operator', async () => {
  const { time, chain, database, start } = openService();
  const { server } = await start('one');
  const [used, unused] = [request(time, 'used'), request(time, 'unused')];
  chain.submit(used.payment, time.nowMs);
  chain.hasExpired = true;
  const ask = (sent: typeof used) =>
    time.finish(
      server.buy({ ...sent, refusal: expired }).catch((error: unknown) => error),
      minuteMs,
    );
  expect(await ask(used)).toMatchObject({ code: 'payment_already_used' });
  expect(await ask(unused)).toEqual({ kind: 'rejected', reason: expired });
  const found = database.tables.transferWithoutCall.all().map(({ authorization }) => authorization);
  expect(found).toEqual([used.payment.authorization]);
});

test('a server that takes over a call whose payment was made charges nothing', async () => {
  const opened = openService();
  const { time, events, start, onlyCall } = opened;
  const dying = await start('one');
  void dying.buy(request(time));
  await time.pass(1_000);
  dying.process.kill();
  await time.pass(timings.instance.aliveForMs + 1_000);
  await recoverFor(opened, await start('other'), 30_000);
  expect(events).toEqual(['charged', 'delivered']);
  expect(onlyCall().state).toBe('delivered');
});

test('a refusal is final only once no reorganization can make the payment possible', async () => {
  const { time, chain, start, onlyCall } = openService();
  const one = await start('one');
  const sent = request(time);
  const ask = async () => {
    expect(await time.finish(one.buy(sent), minuteMs)).toMatchObject({ result: { kind: 'refused' } });
    return onlyCall().refusalFinalAt !== null;
  };
  const canceled = { kind: 'refused', reason: 'authorization_canceled' } as const;
  chain.refusal = { ...canceled, isReversible: true };
  expect([await ask(), await ask()]).toEqual([false, false]);
  expect(onlyCall().idempotencyKeyHash).not.toBeNull();
  await time.pass(31 * minuteMs);
  await time.finish(one.server.closeRefusals(), minuteMs);
  expect(onlyCall().refusalFinalAt).toBeNull();
  chain.refusal = canceled;
  await time.finish(one.server.closeRefusals(), minuteMs);
  expect(onlyCall()).toMatchObject({ refusalFinalAt: expect.any(Date), idempotencyKeyHash: null });
});

/** A call whose payment was refused, as its payer had no money, and which can be made now. */
async function refuse() {
  const opened = openService();
  const { time, chain, start } = opened;
  const one = await start('one');
  const sent = request(time);
  chain.refusal = { kind: 'refused', reason: 'no_money', isReversible: true };
  const underItsKey = { ...request(time, 'another payment'), idempotencyKey: 'one' };
  // While the first can be made after all, no other one is charged.
  for (const asked of [sent, underItsKey])
    expect(await time.finish(one.buy(asked), minuteMs)).toMatchObject({ result: { kind: 'refused' } });
  expect(chain.submissions).toEqual([sent.payment.authorization]);
  chain.refusal = null;
  return { ...opened, one, sent, underItsKey, isAnswered: { result: { answer: { body: '{"words":3}' } } } };
}

test('a refused payment that somebody else submits buys its call, with or without another request', async () => {
  for (const asks of ['the same request', 'another payment under its key', 'nobody'] as const) {
    const { time, chain, one, sent, underItsKey, isAnswered, onlyCall } = await refuse();
    chain.submit(sent.payment, time.nowMs);
    if (asks === 'nobody') {
      await time.pass(31 * minuteMs);
      await time.finish(one.server.closeRefusals(), minuteMs);
      await recoverFor({ time } as OpenService, one, 10_000);
    } else {
      const asked = asks === 'the same request' ? sent : underItsKey;
      expect(await time.finish(one.buy(asked), minuteMs), asks).toMatchObject(isAnswered);
    }
    expect(onlyCall().state, asks).toBe('delivered');
    for (const again of [sent, underItsKey])
      expect(await time.finish(one.buy(again), minuteMs), asks).toMatchObject(isAnswered);
    expect(chain.submissions, asks).toEqual([sent.payment.authorization]);
  }
});

test('a refused payment is charged once when it can be made, and no other one under its key', async () => {
  const { time, chain, one, sent, underItsKey, isAnswered, onlyCall } = await refuse();
  const requests = [underItsKey, sent, sent, underItsKey, sent].map((asked) => one.buy(asked));
  for (const bought of await time.finish(Promise.all(requests), minuteMs))
    expect(bought).toMatchObject(isAnswered);
  const { authorization } = sent.payment;
  expect(chain.submissions).toEqual([authorization, authorization]);
  expect(onlyCall().state).toBe('delivered');
});
