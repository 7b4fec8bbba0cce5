import { isApiError } from '@/lib/catalog/errors/api-error';
import { expect, test } from '../support/without-browser';
import { minuteMs, openService, recoverFor, request } from './calls/paid-service';

// The whole life of paid calls in this process: several servers, one database in memory, one chain.

/** The calls and postings that a service has. */
function openWithRows() {
  const opened = openService();
  const { paidCall, posting } = opened.database.tables;
  const callStates = () => paidCall.all().map(({ state }) => state);
  const kinds = () => posting.all().map(({ kind }) => kind);
  return { ...opened, callStates, kinds };
}

const answered = (isReplay: boolean) => ({
  kind: 'called',
  isReplay,
  result: {
    kind: 'answered',
    isFirst: !isReplay,
    answer: { status: 200, body: '{"words":3}', receipt: expect.stringContaining('pc_') },
  },
});

test('a buyer pays once, and a retry gets the stored answer', async () => {
  const { time, chain, start, callStates, kinds } = openWithRows();
  const { server } = await start('one');
  const sent = request(time);
  expect(await time.finish(server.buy(sent), minuteMs)).toMatchObject(answered(false));
  expect(await time.finish(server.buy(sent), minuteMs)).toMatchObject(answered(true));
  const again = { ...request(time, 'another payment'), idempotencyKey: 'one' };
  expect(await time.finish(server.buy(again), minuteMs)).toMatchObject(answered(true));
  expect(chain.submissions).toEqual([sent.payment.authorization]);
  expect(callStates()).toEqual(['delivered']);
  expect(kinds()).toEqual(['settled', 'delivered']);
});

test('two servers that get the same request at once charge it once and give the same answer', async () => {
  const { time, chain, start, callStates } = openWithRows();
  const { server: one } = await start('one');
  const { server: other } = await start('other');
  const sent = request(time);
  const both = await time.finish(Promise.all([one.buy(sent), other.buy(sent)]), minuteMs);
  expect(both.filter((bought) => bought.kind === 'called' && bought.isReplay)).toHaveLength(1);
  for (const bought of both) expect(bought).toMatchObject({ result: { answer: { body: '{"words":3}' } } });
  expect(chain.submissions).toHaveLength(1);
  expect(callStates()).toEqual(['delivered']);
});

// A message to the database takes 5 ms, the charge two seconds, and the delivery one.
for (const [moment, atMs] of [
  ['before the claim', 3],
  ['between the claim and the charge', 17],
  ['while it waits for the charge', 1_000],
  ['between the charge and the delivery', 2_500],
  ['between the delivery and its record', 3_033],
  ['before it learns that the answer is stored', 3_037],
] as const) {
  test(`another server finishes a call whose server dies ${moment}, and charges it once`, async () => {
    const opened = openWithRows();
    const { time, chain, counter, start, callStates, kinds } = opened;
    const dying = await start('one');
    const sent = request(time);
    void dying.server.buy(sent);
    await time.pass(atMs);
    dying.process.kill();
    const other = await start('other');
    const { server } = other;
    await recoverFor(opened, other, 30_000);
    const isClaimed = moment !== 'before the claim';
    expect(callStates()).toEqual(isClaimed ? ['delivered'] : []);
    expect(await time.finish(server.buy(sent), minuteMs)).toMatchObject(answered(isClaimed));
    expect(chain.paid).toEqual([sent.payment.authorization]);
    expect(counter.delivered.size).toBe(1);
    expect(kinds()).toEqual(['settled', 'delivered']);
  });
}

test('the same payment under another key is refused without an answer', async () => {
  const { time, chain, start } = openWithRows();
  const { server } = await start('one');
  const sent = request(time);
  await time.finish(server.buy(sent), minuteMs);
  const refused = server.buy({ ...sent, idempotencyKey: 'another key' }).catch((error: unknown) => error);
  const error = await time.finish(refused, minuteMs);
  expect(isApiError(error) && error.code).toBe('idempotency_conflict');
  expect(chain.submissions).toHaveLength(1);
});

test('a third party that was unreachable, and then called by a server that died, is called again only for its client', async () => {
  let isReachable = false;
  const service = openService({ callsThirdParty: true, isReachable: () => isReachable });
  const { time, start, events, onlyCall } = service;
  const asked = () => events.filter((event) => event === 'delivered').length;
  const dying = await start('one');
  const sent = request(time);
  expect(await time.finish(dying.server.buy(sent), minuteMs)).toMatchObject({
    result: { kind: 'undelivered', reason: 'provider_unreachable' },
  });
  isReachable = true;
  await time.pass(10_000);
  void dying.server.recover();
  await time.pass(500);
  expect(asked()).toBe(1);
  dying.process.kill();
  const other = await start('other');
  await recoverFor(service, other, 30_000);
  expect([asked(), onlyCall().state]).toEqual([1, 'settled']);
  expect(await time.finish(other.server.buy(sent), minuteMs)).toMatchObject({ result: { kind: 'answered' } });
  expect([asked(), onlyCall().state]).toEqual([2, 'delivered']);
});
