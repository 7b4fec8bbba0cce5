import { expect, test } from '../support/without-browser';
import { minuteMs, openService, recoverFor, request, timings } from './calls/paid-service';

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
