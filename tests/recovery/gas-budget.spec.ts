import type { EvmWallet } from '../support/paying-wallets';
import { expect, test } from './fixtures';
import { newCodeWallet } from './rig/hostile-wallets';
import { type Answer, ask, sign } from './rig/requests';
import { type Rig, startRig } from './rig/rig';
import { bookedFor, expectNothingOpen, forgetWastedGas, settlementsSince } from './rig/settlements';
import { delegate, deploy, flip, newDelegatedPayer, wallets } from './rig/wallets-with-code';

/** Payers with code whose payments fail in a block, and the hourly limit on the gas that they waste. */

// Gas that other tests on the same rig have wasted would count, because all of them come from one address.
test.beforeEach(({ rig }) => forgetWastedGas(rig));

/** Makes a payer with code pay, and flips its wallet between the last simulation and the block. */
async function failInBlock(rig: Rig, payer: EvmWallet): Promise<Answer> {
  const request = await sign(rig, payer);
  const held = rig.base.hold('eth_sendRawTransaction', 'before', {
    params: ([raw]) => String(raw).includes(payer.address.slice(2).toLowerCase()),
  });
  const answer = ask(request);
  // If the payer is refused before anything is sent, the hold is never reached.
  const isSent = await Promise.race([held.reached.then(() => true), answer.then(() => false)]);
  if (isSent) await flip(rig, payer);
  held.release();
  const result = await answer;
  await flip(rig, payer, 0);
  return result;
}

test('a wallet that changes its code between simulation and block wastes only its own gas, which counts against it and its code, and is refused for good', async ({
  rig,
}) => {
  const since = new Date();
  const to = await deploy(rig, wallets.storageFlip);
  const payer = await newDelegatedPayer(rig, 'storageFlip', to);
  const answer = await failInBlock(rig, payer);
  expect([answer.status, answer.body.error]).toEqual([402, expect.stringContaining('invalid_exact_evm')]);
  const [booked] = await bookedFor(rig, payer.address);
  expect(booked?.code).toBe(to.toLowerCase());
  expect(booked?.gas).toBeGreaterThan(200_000);
  expect(booked?.gas).toBeLessThan(340_000);
  const [posting] = await rig.query<{ amount: string; gas: string }>(
    `SELECT in_vain.amount_atomic AS amount, gas.amount_atomic AS gas FROM posting in_vain
     JOIN gas_in_vain spent USING (settlement_id) JOIN posting gas USING (settlement_id)
     WHERE spent.payer = $1 AND in_vain.kind = 'gas_in_vain' AND gas.kind = 'gas'`,
    [payer.address],
  );
  expect(posting?.amount).toBe(posting?.gas);
  expect(Number(posting?.amount)).toBeGreaterThan(0);
  await expectNothingOpen(rig, since);
});

test('over its hourly budget a payer gets Retry-After before anything is sent, also from another process and after a restart', async ({
  rig,
}) => {
  const since = new Date();
  const payer = await newDelegatedPayer(rig, 'storageFlip');
  const answers: Answer[] = [];
  for (let tries = 0; tries < 8 && answers.at(-1)?.status !== 429; tries += 1) {
    answers.push(await failInBlock(rig, payer));
  }
  const refused = answers.at(-1) as Answer;
  const sent = await settlementsSince(rig, since);
  expect(sent.length).toBeLessThanOrEqual(4);
  expect(sent.reduce((sum, { gas }) => sum + gas, 0)).toBeLessThan(1_300_000);
  const expectOver = ({ status, headers, body }: Answer) => {
    expect([status, body.error?.code, body.error?.reason, body.error?.payment, body.error?.retry]).toEqual([
      429,
      'too_many_failed_settlements',
      'gas_budget_exceeded',
      'none',
      'later',
    ]);
    const retryAfter = Number(headers.get('retry-after'));
    expect(retryAfter).toBeGreaterThan(3_000);
    expect(retryAfter).toBeLessThanOrEqual(3_600);
  };
  expectOver(refused);
  // Neither changing the wallet nor ending the delegation helps: the payer itself is known.
  await delegate(rig, payer, await deploy(rig, wallets.accept));
  expectOver(await ask(await sign(rig, payer)));
  const other = await startRig({ beside: rig });
  await other.start();
  expectOver(await ask(await sign(other, payer)));
  await other.close();
  await rig.restart();
  expectOver(await ask(await sign(rig, payer)));
  // The hour passes.
  await rig.query("UPDATE gas_in_vain SET at = at - interval '61 minutes' WHERE payer = $1", [payer.address]);
  expect((await ask(await sign(rig, payer))).status).toBe(200);
  expect((await settlementsSince(rig, since)).length).toBe(sent.length + 1);
  await expectNothingOpen(rig, since);
});

test('over its hourly budget a contract wallet is told when to come again, and pays when the hour has passed', async ({
  rig,
}) => {
  const since = new Date();
  const wallet = await newCodeWallet(rig, wallets.storageFlip);
  const failed = await failInBlock(rig, wallet);
  expect([failed.status, failed.body.error]).toEqual([402, expect.stringContaining('invalid_exact_evm')]);
  await rig.query('UPDATE gas_in_vain SET gas = 1000000 WHERE payer = $1', [wallet.address]);
  const { status, headers, body } = await ask(await sign(rig, wallet));
  expect([status, body.error.code, body.error.payment]).toEqual([429, 'too_many_failed_settlements', 'none']);
  expect(Number(headers.get('retry-after'))).toBeGreaterThan(3_000);
  expect(await settlementsSince(rig, since)).toHaveLength(1);
  await rig.query("UPDATE gas_in_vain SET at = at - interval '61 minutes' WHERE payer = $1", [
    wallet.address,
  ]);
  expect((await ask(await sign(rig, wallet))).status).toBe(200);
  await expectNothingOpen(rig, since);
});
