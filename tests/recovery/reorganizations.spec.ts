import { expect } from '@playwright/test';
import { contradictions } from './history/contradictions';
import { History } from './history/history';
import { transfersOf, untilState, uploadsOf } from './rig/found';
import { blockNumber, reorganize, test } from './rig/own-chain';
import { ask, persist, sign } from './rig/requests';
import type { Rig } from './rig/rig';
import { submitAsStranger } from './rig/strangers';
import { until } from './rig/waiting';

/** The moves of the rig's one call since its first delivery. */
async function movesOf(rig: Rig): Promise<string[]> {
  const rows = await rig.query<{ to_state: string }>('SELECT to_state::text FROM paid_call_move ORDER BY id');
  const states = rows.map(({ to_state }) => to_state);
  return states.slice(states.indexOf('delivered'));
}

/** The balance of each account of the payer's call, from the postings, without accounts at zero. */
async function balances(rig: Rig): Promise<string[]> {
  const rows = await rig.query<{ account: string; amount: string }>(`
    SELECT account, sum(amount)::text AS amount FROM (
      SELECT credit_account AS account, amount_atomic AS amount FROM posting WHERE unit = 'usdc'
      UNION ALL SELECT debit_account, -amount_atomic FROM posting WHERE unit = 'usdc') entries
    GROUP BY account HAVING sum(amount) <> 0 ORDER BY account`);
  return rows.map(({ account, amount }) => `${account} ${amount}`);
}

test('a settlement removed by a reorganization is sent again, and the call keeps its response', async ({
  rig,
}) => {
  await rig.start();
  const wallet = await rig.newEvmPayer();
  const request = await sign(rig, wallet);
  const before = await blockNumber(rig);
  const first = await ask(request);
  expect(first.status).toBe(200);
  rig.base.on('eth_sendRawTransaction', async () => ({ fault: 'close' }));
  await reorganize(rig, before);
  expect(await transfersOf(rig, wallet.address)).toEqual([]);
  await until('the fall back', async () => (await movesOf(rig)).includes('unknown'));
  rig.clearWays();
  await untilState(rig, wallet.address, 'delivered', 60_000);
  expect(await transfersOf(rig, wallet.address)).toHaveLength(1);
  expect(await uploadsOf(rig, wallet.address)).toHaveLength(1);
  expect((await persist(request)).body).toEqual(first.body);
  expect((await movesOf(rig)).slice(0, 2)).toEqual(['delivered', 'unknown']);
  expect(await balances(rig)).toEqual(['chain:base:treasury -5000', 'revenue:uploads.create 5000']);
  expect(await rig.audit()).toEqual([]);
});

test('the comparison of clients, chains and ledger accepts another transaction than was told after a reorganization, and only then', async ({
  rig,
}) => {
  await rig.start();
  const history = new History();
  const wallet = await rig.newEvmPayer();
  const request = await sign(rig, wallet);
  const before = await blockNumber(rig);
  expect((await history.ask(request)).status).toBe(200);
  const told = await transfersOf(rig, wallet.address);
  rig.base.on('eth_sendRawTransaction', async () => ({ fault: 'close' }));
  await reorganize(rig, before);
  await until('the fall back', async () => (await movesOf(rig)).includes('unknown'));
  await submitAsStranger(rig, request);
  rig.clearWays();
  await untilState(rig, wallet.address, 'delivered', 60_000);
  expect((await history.persist(request)).status).toBe(200);
  expect(await contradictions(rig, history, undefined, true)).toEqual([]);
  expect((await contradictions(rig, history)).join('\n')).toContain(`told of transaction ${told}`);
});
