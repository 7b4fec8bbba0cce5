import { isApiError } from '@/lib/catalog/errors/api-error';
import type { Payment } from '@/lib/payments/payment';
import { productionTimings } from '@/lib/platform/timings';
import { expect, test } from '../support/without-browser';
import { type SentRequest, SimulatedServer } from './calls/simulated-server';
import { TinyChain } from './calls/tiny-chain';
import { wordCounter } from './calls/word-count';
import { memoryCalls } from './stores/memory-calls';
import { MemoryDatabase } from './stores/memory-database';
import { MemoryProcess } from './stores/memory-process';
import { VirtualTime } from './virtual-clock';

// The whole life of paid calls in this process: several servers, one database in memory, one chain.

const timings = productionTimings;
const minuteMs = 60_000;

function open() {
  const time = new VirtualTime();
  const database = new MemoryDatabase(time.createClock());
  const chain = new TinyChain();
  const counter = wordCounter();
  const start = async (id: string) => {
    const clock = time.createClock();
    const process = new MemoryProcess(database, clock, {
      id,
      settles: ['base'],
      timings,
      latencyMs: () => 5,
    });
    await time.finish(process.beat(), minuteMs);
    const settler = chain.settler(clock);
    const payments = {
      settlerOf: () => settler,
      openSettlerOf: () => settler,
      watch: { isWithdrawnAfter: async () => false },
    };
    const calls = memoryCalls(process);
    const server = new SimulatedServer({
      calls,
      payments,
      services: [counter.service(clock)],
      clock,
      timings,
    });
    return { process, server };
  };
  const callStates = () => database.tables.paidCall.all().map(({ state }) => state);
  const kinds = () => database.tables.posting.all().map(({ kind }) => kind);
  return { time, chain, counter, start, callStates, kinds };
}

function request(time: VirtualTime, name = 'one'): SentRequest {
  const payer = `0x${'12'.repeat(20)}` as const;
  const to = `0x${'34'.repeat(20)}` as const;
  const nonce = `0x${Buffer.from(name).toString('hex').padStart(64, '0')}` as const;
  const validBefore = new Date(time.nowMs + 5 * minuteMs);
  const payment: Payment = {
    network: 'base',
    asset: 'USDC',
    payer,
    authorization: nonce,
    amountAtomic: 5_000n,
    payTo: to,
    validBefore,
    signed: {
      family: 'evm',
      signer: 'key',
      signature: `0x${'56'.repeat(65)}`,
      authorization: { from: payer, to, value: '5000', validAfter: '0', validBefore: '9', nonce },
    },
  };
  return { payment, input: { text: 'Hello, simulated world' }, idempotencyKey: `key ${name}` };
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
  const { time, chain, start, callStates, kinds } = open();
  const { server } = await start('one');
  const sent = request(time);
  expect(await time.finish(server.buy(sent), minuteMs)).toMatchObject(answered(false));
  expect(await time.finish(server.buy(sent), minuteMs)).toMatchObject(answered(true));
  const again = { ...request(time, 'another payment'), idempotencyKey: 'key one' };
  expect(await time.finish(server.buy(again), minuteMs)).toMatchObject(answered(true));
  expect(chain.submissions).toEqual([sent.payment.authorization]);
  expect(callStates()).toEqual(['delivered']);
  expect(kinds()).toEqual(['settled', 'delivered']);
});

test('two servers that get the same request at once charge it once and give the same answer', async () => {
  const { time, chain, start, callStates } = open();
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
    const { time, chain, counter, start, callStates, kinds } = open();
    const dying = await start('one');
    const sent = request(time);
    void dying.server.buy(sent);
    await time.pass(atMs);
    dying.process.kill();
    const { server, process } = await start('other');
    for (let ticks = 0; ticks < 30; ticks += 1) {
      await time.finish(Promise.all([process.beat(), server.recover()]), minuteMs);
      await time.pass(1_000);
    }
    const isClaimed = moment !== 'before the claim';
    expect(callStates()).toEqual(isClaimed ? ['delivered'] : []);
    expect(await time.finish(server.buy(sent), minuteMs)).toMatchObject(answered(isClaimed));
    expect(chain.paid).toEqual([sent.payment.authorization]);
    expect(counter.delivered.size).toBe(1);
    expect(kinds()).toEqual(['settled', 'delivered']);
  });
}

test('the same payment under another key is refused without an answer', async () => {
  const { time, chain, start } = open();
  const { server } = await start('one');
  const sent = request(time);
  await time.finish(server.buy(sent), minuteMs);
  const refused = server.buy({ ...sent, idempotencyKey: 'another key' }).catch((error: unknown) => error);
  const error = await time.finish(refused, minuteMs);
  expect(isApiError(error) && error.code).toBe('idempotency_conflict');
  expect(chain.submissions).toHaveLength(1);
});
