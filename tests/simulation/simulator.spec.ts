import { type FaultName, faultNames, faults } from '@/simulator/faults';
import { Session } from '@/simulator/session';
import { expect, test } from '../support/without-browser';

/** The simulator of the site (/simulator) without its page. */

async function buy(): Promise<Session> {
  const session = await Session.open();
  session.buy();
  return session;
}

/** Steps until nothing is under way. @returns how many steps that took */
async function stepToEnd(session: Session): Promise<number> {
  for (let steps = 0; steps < 200; steps += 1) {
    if (session.isOver) return steps;
    await session.step();
  }
  throw new Error('the call does not come to its end');
}

const paidAndDelivered = {
  ...{ isKept: true, paid: 1, delivered: 1, broken: [] },
  headline: 'Paid once, delivered once',
};

test('a simulated call without faults is paid once and delivered once', async () => {
  const session = await buy();
  expect(await stepToEnd(session)).toBeGreaterThan(8);
  expect(session.judge()).toEqual(paidAndDelivered);
  expect(session.requests).toMatchObject([{ outcome: { status: 200, code: null, isReplay: false } }]);
  expect(session.balances).toEqual({ payer: 990_000n, seller: 10_000n });
  expect(session.server).toMatchObject({ isServerUp: true, state: 'delivered' });
});

test('the same acts at the same steps of the simulator have the same events', async () => {
  const run = async () => {
    const session = await buy();
    for (let step = 0; step < 4; step += 1) await session.step();
    await session.toggle('server');
    await session.runToEnd();
    return session.events;
  };
  expect(await run()).toEqual(await run());
});

/** Begins a fault after some steps, lets some more pass, and ends it. */
async function buyDuring(fault: FaultName, before: number, during: number): Promise<Session> {
  const session = await buy();
  for (let step = 0; step < before; step += 1) await session.step();
  await session.toggle(fault);
  for (let step = 0; step < during && !session.isOver; step += 1) await session.step();
  await session.runToEnd();
  return session;
}

for (const fault of faultNames) {
  test(`the promises hold when a visitor of the simulator presses “${faults[fault].label}” at any step`, async () => {
    const steps = await stepToEnd(await buy());
    const wrong: unknown[] = [];
    for (let before = 0; before < steps; before += 1) {
      // For a moment only, or while more happens.
      const during = before % 2 === 0 ? 0 : 3;
      const session = await buyDuring(fault, before, during);
      const judgement = session.judge();
      if (judgement.headline !== paidAndDelivered.headline)
        wrong.push({ before, during, judgement, events: session.events });
    }
    expect(wrong).toEqual([]);
  });
}

test('a transaction whose block is replaced is followed until another block has it, and its postings are reversed meanwhile', async () => {
  const session = await buy();
  const state = () => session.server.state;
  while (state() !== 'delivered') await session.step();
  await session.toggle('reorganization');
  while (state() !== 'unknown') await session.step();
  expect(session.balances.seller).toBe(0n);
  const kinds = () => session.server.postings.map(({ kind }) => kind);
  expect(kinds()).toContain('delivered_reversed');
  await session.runToEnd();
  expect(session.judge()).toEqual(paidAndDelivered);
  expect(kinds().filter((kind) => kind === 'delivered')).toHaveLength(2);
});

test('a client whose payment expires while the node hangs is told that nothing was charged, and nothing is', async () => {
  const session = await buy();
  await session.toggle('node');
  while (session.nowMs < 400_000) await session.step();
  await session.runToEnd();
  expect(session.judge()).toMatchObject({ isKept: true, paid: 0, delivered: 0 });
  expect(session.requests.at(-1)).toMatchObject({ outcome: { status: 402 } });
});
