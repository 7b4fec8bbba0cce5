import { EventEmitter } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { expect, test } from '@playwright/test';
import { RefusalHistory, SignedWork } from '@/lib/http/signed-work';
import { Throttle } from '@/lib/http/throttle';
import type { Requester } from '@/lib/threads';
import { testPlatform } from '../support/platform';

const signed = (address: string, payer: string): Requester => ({ address, payer, priority: 'signed' });
const poor = signed('192.0.2.1', 'poor');

/** Records this many answers with a status to a payer's requests. */
async function note(
  standings: RefusalHistory,
  requester: Requester,
  status: number,
  times: number,
): Promise<void> {
  for (let index = 0; index < times; index += 1) await standings.note(requester, status);
}

test('a payer with many refused requests is doubtful; another at its address is not', async () => {
  const standings = new RefusalHistory(1);
  await note(standings, poor, 402, 20);
  expect(await standings.isDoubtful(poor)).toBe(false);
  await note(standings, poor, 402, 1);
  expect(await standings.isDoubtful(poor)).toBe(true);
  expect(await standings.isDoubtful(signed(poor.address, 'rich'))).toBe(false);
  expect(await standings.isDoubtful(signed('192.0.2.2', 'poor'))).toBe(false);
});

test('at an address with many refused wallets, all are doubtful except those served before', async () => {
  const standings = new RefusalHistory(1);
  await standings.note(signed(poor.address, 'rich'), 200);
  for (let index = 0; index <= 100; index += 1)
    await standings.note(signed(poor.address, `wallet ${index}`), 400);
  expect(await standings.isDoubtful(signed(poor.address, 'new'))).toBe(true);
  expect(await standings.isDoubtful(signed(poor.address, 'rich'))).toBe(false);
  expect(await standings.isDoubtful(signed('192.0.2.2', 'new'))).toBe(false);
});

test('refusals of those who only name a contract wallet count for their address, not for the wallet', async () => {
  const standings = new RefusalHistory(1);
  const named = { ...signed(poor.address, 'wallet'), isPayerProven: false };
  await note(standings, named, 402, 100);
  expect(await standings.isDoubtful(named)).toBe(false);
  await note(standings, named, 402, 1);
  expect(await standings.isDoubtful(named)).toBe(true);
  expect(await standings.isDoubtful({ ...named, address: '192.0.2.2' })).toBe(false);
  await standings.note(named, 200);
  expect(await standings.isDoubtful(named)).toBe(false);
});

test('our own failures make nobody doubtful', async () => {
  const standings = new RefusalHistory(1);
  await note(standings, poor, 503, 1_000);
  expect(await standings.isDoubtful(poor)).toBe(false);
});

test('under load, requests of a doubtful payer are handled one by one, those of others in parallel', async () => {
  const standings = new RefusalHistory(1);
  const throttle = new Throttle(testPlatform());
  const request = Object.assign(new EventEmitter(), {
    headers: {},
    socket: new EventEmitter(),
  }) as IncomingMessage;
  throttle.countAsPaying(request, new EventEmitter() as ServerResponse);
  await note(standings, poor, 402, 21);

  const [first, second] = [new SignedWork(standings, throttle), new SignedWork(standings, throttle)];
  await first.begin(poor);
  let isSecondBegun = false;
  const beginning = second.begin(poor).then(() => {
    isSecondBegun = true;
  });
  await new SignedWork(standings, throttle).begin(signed('192.0.2.2', 'rich'));
  expect(isSecondBegun).toBe(false);
  await first.end(402);
  await beginning;
});
