import { rpcCall } from '@/local/json-rpc';
import { expect, test } from './fixtures';
import { transfersOf, untilState, uploadsOf } from './rig/found';
import { test as onOwnChain, pendingCount, stopMining } from './rig/own-chain';
import { ask, sign } from './rig/requests';
import type { Rig } from './rig/rig';
import { until } from './rig/waiting';

/**
 * Leaves the payer's one call as after a long stall: its outcome was checked eight times in vain, the next attempt is
 * minutes away, and no process follows its transaction.
 */
async function putOffForMinutes(rig: Rig, payer: string): Promise<void> {
  await rig.query(
    `WITH moved AS (
       UPDATE paid_call SET state = 'unknown', moved_at = now(), worked_by = NULL, attempts = 8,
         attempt_at = now() + interval '5 minutes'
       WHERE payer = $1 AND state = 'settling' RETURNING settlement_id
     )
     UPDATE settlement_transaction SET created_at = now() - interval '1 minute'
     FROM moved WHERE settlement_transaction.id = settlement_id`,
    [payer],
  );
}

async function expectDeliveredAtOnce(rig: Rig, payer: string): Promise<void> {
  await untilState(rig, payer, 'delivered');
  const [row] = await rig.query<{ seconds: number; failures: number }>(
    `SELECT EXTRACT(epoch FROM delivered.at - settled.at)::float AS seconds, attempts AS failures
     FROM paid_call JOIN paid_call_move settled ON settled.paid_call_id = paid_call.id AND settled.to_state = 'settled'
     JOIN paid_call_move delivered ON delivered.paid_call_id = paid_call.id AND delivered.to_state = 'delivered'
     WHERE payer = $1`,
    [payer],
  );
  expect(row?.failures).toBe(0);
  expect(row?.seconds).toBeLessThan(5);
  expect(await transfersOf(rig, payer)).toHaveLength(1);
  expect(await uploadsOf(rig, payer)).toHaveLength(1);
  expect(await rig.audit()).toEqual([]);
}

onOwnChain(
  'a call whose next check is minutes away is delivered as soon as its transaction is in a block',
  async ({ rig }) => {
    await rig.start();
    const wallet = await rig.newEvmPayer();
    await stopMining(rig);
    const first = ask(await sign(rig, wallet)).catch(() => null);
    await until('a waiting transaction', async () => (await pendingCount(rig)) === 1);
    await rig.kill();
    await first;
    await putOffForMinutes(rig, wallet.address);
    await rig.passTakeoverTime();
    await rig.start();
    await rpcCall(rig.chainUrl('base'), 'evm_mine');
    await expectDeliveredAtOnce(rig, wallet.address);
  },
);

test('a Solana call whose next check is minutes away is delivered as soon as its signature is found', async ({
  rig,
}) => {
  const wallet = await rig.newSolanaPayer();
  const held = rig.proxy('solana-mainnet').hold('sendTransaction', 'after');
  const first = ask(await sign(rig, wallet)).catch(() => null);
  await held.reached;
  await rig.kill();
  held.abandon();
  await first;
  await putOffForMinutes(rig, wallet.address);
  await rig.passTakeoverTime();
  await rig.start();
  await expectDeliveredAtOnce(rig, wallet.address);
});
