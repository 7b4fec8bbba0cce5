import { expect, test } from '../support/without-browser';
import { openProcess } from './evm/one-process';
import { newCall } from './stores/journal-rows';

/** What the simulation has found, each told on its own. */

test('a payment is found in an earlier block than the newest one when it was accepted, where a reorganization put it', async () => {
  const { time, chain, settler, payment, submitAlone } = await openProcess(['https://node']);
  const accepted = chain.head.number;
  const hash = submitAlone();
  chain.mine();
  chain.reorganize(4);
  expect(chain.blocks.blockOf(hash, chain.head)?.number).toBeLessThan(accepted);
  const trace = { sinceHeight: BigInt(accepted), transactionHash: null };
  const outcome = await time.finish(settler.resolveOutcome(payment, trace), 60_000);
  expect(outcome).toMatchObject({ kind: 'settled', transactionHash: hash });
});

test('a transaction in a block is followed, and its gas is booked, however long a node of several is behind', async () => {
  const { world, time, chain, nodes, settler, payment, gasKey } = await openProcess([
    'https://one',
    'https://other',
  ]);
  chain.start();
  await world.insert('paidCall', newCall('call', { ...payment, payment: null }));
  nodes[1]?.stick();
  const outcome = settler.settle({ paidCallId: 'call', payment });
  await time.pass(60_000);
  expect(await outcome).toMatchObject({ kind: 'unknown' });
  expect(await world.all('settlementTransaction')).toMatchObject([{ state: 'prepared' }]);
  nodes[1]?.follow();
  await time.pass(5_000);
  expect(await world.all('settlementTransaction')).toMatchObject([
    { state: 'confirmed', feeAtomic: 10n ** 18n - chain.gasOf(gasKey) },
  ]);
});
