import { test as bare, expect } from '@playwright/test';
import { randomNumbers } from '../support/random';
import { transfersOf } from './rig/found';
import { type Answer, persist, sign } from './rig/requests';
import { type Rig, startRig, type Wallet } from './rig/rig';
import { pause, until } from './rig/waiting';

const kills = 20;
const healingMs = 60_000;

const test = bare.extend<{ rig: Rig }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the pattern
  rig: async ({}, use) => {
    const rig = await startRig({ networks: ['base', 'solana-mainnet'] });
    await rig.start();
    await use(rig);
    await rig.close();
  },
});

test.setTimeout(240_000);

/** A wallet that creates, renews and deletes uploads, one after another, and insists on every answer. */
async function buyer(rig: Rig, wallet: Wallet, isOver: () => boolean) {
  const ended: { answer: Answer; path: string }[] = [];
  const buy = async (path?: string, method?: string) => {
    // A server that is just being started gives no price yet.
    const request = await until('a price', () => sign(rig, wallet, { path, method }).catch(() => null));
    const answer = await persist(request, healingMs + 60_000);
    ended.push({ answer, path: path ?? '' });
    return answer.status === 200 ? (answer.body.id as string) : null;
  };
  while (!isOver()) {
    const id = await buy();
    if (id) await buy(`/uploads/${id}/renew`);
    if (id) await buy(`/uploads/${id}`, 'DELETE');
  }
  return { wallet, ended };
}

test(`${kills} kills at random moments of a mixed load: all is delivered or proven unpaid within 60 s, nobody pays twice`, {
  tag: '@sweep',
}, async ({ rig }) => {
  const seed = Number(process.env.RECOVERY_SEED ?? Date.now() % 1_000_000);
  console.log(`random kills: RECOVERY_SEED=${seed}`);
  const next = randomNumbers(seed);
  const wallets: Wallet[] = [
    ...(await Promise.all(Array.from({ length: 4 }, () => rig.newEvmPayer()))),
    ...(await Promise.all(Array.from({ length: 2 }, () => rig.newSolanaPayer()))),
  ];
  let isOver = false;
  const buyers = wallets.map((wallet) => buyer(rig, wallet, () => isOver));
  for (let kill = 0; kill < kills; kill += 1) {
    await pause(next() * 1_200);
    await rig.kill();
    await rig.start();
  }
  isOver = true;
  const healedBy = Date.now() + healingMs;
  const histories = await Promise.all(buyers);
  await until(
    'no call is open',
    async () =>
      (
        await rig.query(
          "SELECT id FROM paid_call WHERE state NOT IN ('delivered', 'refused', 'kept', 'refunded')",
        )
      ).length === 0,
    Math.max(0, healedBy - Date.now()),
  );
  expect(Date.now()).toBeLessThanOrEqual(healedBy);

  let delivered = 0;
  for (const { wallet, ended } of histories) {
    const bought = ended.filter(({ answer }) => answer.status === 200);
    // What was not delivered was refused, and may only be called unpaid when it is.
    expect(ended.filter(({ answer }) => ![200, 402].includes(answer.status))).toEqual([]);
    expect(await transfersOf(rig, wallet.address)).toHaveLength(bought.length);
    delivered += bought.length;
  }
  expect(delivered).toBeGreaterThan(wallets.length);
  expect(await rig.audit()).toEqual([]);
});
