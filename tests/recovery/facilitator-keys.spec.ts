import type { PrivateKeyAccount } from 'viem/accounts';
import { type Behaviour, type Facilitator, startFacilitator } from '../support/facilitator';
import { type ApiKey, checkTokensOf, newApiKeys } from '../support/facilitator-keys';
import { expectLogged } from '../support/logged';
import { expectSettled } from './faults/facilitator-lies';
import { expect, test as recoveryTest } from './fixtures';
import { callsOf, expectPaidAndDeliveredOnce, transfersOf, uploadsOf } from './rig/found';
import { ask, persist, sign } from './rig/requests';
import { type Rig, startRig } from './rig/rig';
import { until } from './rig/waiting';

/** A server without a settlement key, and a facilitator that requires a new signed token with every request. */
let shop: { rig: Rig; facilitator: Facilitator; keys: readonly [ApiKey, ...ApiKey[]] };

const test = recoveryTest.extend<{ rig: Rig; facilitator: Facilitator }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the pattern
  facilitator: async ({}, use) => {
    await use(shop.facilitator);
    shop.facilitator.heal();
  },
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the pattern
  rig: async ({}, use) => {
    const { rig, keys } = shop;
    await rig.start(settings(keys[0]));
    await use(rig);
  },
});

// In one worker: others would start servers of their own.
test.describe.configure({ mode: 'default' });

const keys = newApiKeys();

test.beforeAll(async () => {
  const [first, ...others] = keys;
  if (!first) throw new Error('no keys');
  const rig = await startRig();
  const facilitator = await startFacilitator({ evm: { base: rig.chainUrl('base') } }, checkTokensOf(keys));
  shop = { rig, facilitator, keys: [first, ...others] };
});

test.afterAll(async () => {
  await shop.rig.close();
  await shop.facilitator.close();
});

function settings({ id, secret }: Pick<ApiKey, 'id' | 'secret'>): Record<string, string> {
  return {
    SETTLEMENT_KEYS_EVM: '',
    FACILITATOR_URL: `base=${shop.facilitator.url}`,
    // The key of a network takes precedence over the other one.
    FACILITATOR_KEY: `of-another-facilitator,base=${id}:${secret}`,
  };
}

for (const key of keys) {
  test(`with ${key.what}, every request to a facilitator has a token of its own, and payments are settled`, async ({
    rig,
    facilitator,
  }) => {
    await rig.restart(settings(key));
    const before = (['verify', 'settle'] as const).map((route) => facilitator.count(route));
    for (let time = 0; time < 2; time += 1) {
      const request = await sign(rig, await rig.newEvmPayer());
      const answer = await ask(request);
      expect(answer.status, JSON.stringify(answer.body)).toBe(200);
      await expectPaidAndDeliveredOnce(rig, request.payer);
    }
    const after = (['verify', 'settle'] as const).map((route) => facilitator.count(route));
    expect(after).toEqual(before.map((count) => count + 2));
    expect(await rig.audit()).toEqual([]);
    // The next test finds a server with the first key.
    await rig.kill();
  });
}

test('with a key that a facilitator does not know, no network is offered, and the log has neither secret nor token', async ({
  rig,
}) => {
  const [stranger] = newApiKeys();
  if (!stranger) throw new Error('no key');
  await rig.restart(settings(stranger));
  const answer = await fetch(`${rig.apiUrl}/v1/uploads`, { method: 'POST' });
  expect(answer.status).toBe(503);
  await expectLogged(rig.server(), 'the facilitator does not accept our credentials');
  const log = rig.server().output();
  expect(log).not.toContain(stranger.secret);
  expect(log).not.toContain('eyJ');
  await rig.kill();
});

const failed = (status: number, errorReason: string, transaction = '') => ({
  status,
  body: { success: false, errorReason, transaction, network: 'eip155:8453' },
});

const isNotSettled: Readonly<Record<string, Behaviour>> = {
  'refuses our token': async () => ({ status: 401, body: { error: 'unauthorized' } }),
  'limits us': async () => ({ status: 429, body: { error: 'too many requests' } }),
  'answers 500 and that it is pending': async () => failed(500, 'settlement_pending'),
};

for (const [what, behavior] of Object.entries(isNotSettled)) {
  test(`when a facilitator ${what} instead of settling, the outcome is unknown, and the same payment is settled later`, async ({
    rig,
    facilitator,
  }) => {
    const request = await sign(rig, await rig.newEvmPayer());
    facilitator.on('settle', behavior, 1);
    const first = await ask(request);
    expect([first.status, first.body.error.code]).toEqual([503, 'settlement_unknown']);
    expect(await uploadsOf(rig, request.payer)).toEqual([]);
    expect((await persist(request)).status).toBe(200);
    await expectPaidAndDeliveredOnce(rig, request.payer);
  });
}

test('when a facilitator settles and answers 500 and that it is pending, the call is delivered', async ({
  rig,
  facilitator,
}) => {
  const request = await sign(rig, await rig.newEvmPayer());
  const settles: Behaviour = async (settle) => {
    const { transaction } = await expectSettled(settle());
    return failed(500, 'settlement_pending', transaction);
  };
  facilitator.on('settle', settles, 1);
  expect((await ask(request)).status).toBe(200);
  await expectPaidAndDeliveredOnce(rig, request.payer);
});

test('when a facilitator settles after everybody gave up, and calls repetitions duplicates until then, one payment is made', async ({
  rig,
  facilitator,
}) => {
  const request = await sign(rig, await rig.newEvmPayer());
  let settleNow: () => void = () => undefined;
  const told = new Promise<void>((resolve) => {
    settleNow = resolve;
  });
  facilitator.on(
    'settle',
    async (settle) => {
      await told;
      return { status: 200, body: await expectSettled(settle()) };
    },
    1,
  );
  facilitator.on('settle', async () => failed(409, 'duplicate_settlement'));
  const first = await ask(request);
  expect([first.status, first.body.error.code]).toEqual([503, 'settlement_unknown']);
  const settlements = facilitator.count('settle');
  await until('a repetition', async () => facilitator.count('settle') > settlements);
  const second = await until('an answer of the repetition', async () => {
    const answer = await ask(request);
    return answer.body.error.code === 'payment_in_progress' ? null : answer;
  });
  expect([second.status, second.body.error.code]).toEqual([503, 'settlement_unknown']);
  expect(await transfersOf(rig, request.payer)).toEqual([]);
  settleNow();
  expect((await persist(request)).status).toBe(200);
  await expectPaidAndDeliveredOnce(rig, request.payer);
  expect(await rig.audit()).toEqual([]);
});

test('a facilitator that answers 500 with a reason is not believed to have refused, even if the wallet is empty now', async ({
  rig,
  facilitator,
}) => {
  const wallet = await rig.newEvmPayer();
  const request = await sign(rig, wallet);
  facilitator.on('settle', async () => {
    await rig.drain(wallet as PrivateKeyAccount);
    return failed(500, 'invalid_exact_evm_insufficient_balance');
  });
  const answer = await ask(request);
  expect([answer.status, answer.body.error.code]).toEqual([503, 'settlement_unknown']);
  expect((await callsOf(rig, request.payer)).map(({ state }) => state)).toEqual(['unknown']);
});

test('when a facilitator refuses our token before the charge, the call gets 503 uncharged, and nothing is claimed', async ({
  rig,
  facilitator,
}) => {
  for (const status of [401, 429]) {
    const request = await sign(rig, await rig.newEvmPayer());
    // A busy service asks the facilitator again when it is the turn of the request.
    facilitator.on('verify', async () => ({ status, body: { error: 'no' } }));
    const answer = await ask(request);
    facilitator.heal();
    expect(answer.status).toBe(503);
    expect(answer.body.error).toMatchObject({ code: 'service_unavailable', payment: 'none' });
    expect(await callsOf(rig, request.payer)).toEqual([]);
  }
});
