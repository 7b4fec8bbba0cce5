import { bytesToHex, parseTransaction } from 'viem';
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

/** Settles a payment, while somebody does something between the last check and its block. */
async function settleAfter(act: (one: Awaited<ReturnType<typeof openProcess>>) => unknown) {
  const requests: string[] = [];
  let meanwhile: (() => unknown) | null = null;
  const beforeRequest = (body: string) => {
    requests.push(body);
    if (!meanwhile || !body.includes('eth_sendRawTransaction')) return;
    meanwhile();
    meanwhile = null;
  };
  const one = await openProcess(['https://node'], { beforeRequest });
  const { world, time, chain, settler, payment } = one;
  const stored = { signed: payment.signed, sinceHeight: 0n };
  await world.insert('paidCall', newCall('call', { ...payment, payment: stored }));
  meanwhile = () => {
    act(one);
    chain.mine();
    chain.start();
  };
  const outcome = await time.finish(settler.settle({ paidCallId: 'call', payment }), 60_000);
  const [call] = await world.all('paidCall');
  return { ...one, requests, outcome, call };
}

for (const [act, reason] of [
  ['spend', 'invalid_exact_evm_insufficient_balance'],
  ['cancel', 'authorization_canceled'],
  ['useElsewhere', 'authorization_used_elsewhere'],
] as const)
  test(`a payment is refused as ${reason} when its payer has acted between the check and the block`, async () => {
    const { outcome, call, chain, payee } = await settleAfter((one) => one[act]());
    expect(outcome).toMatchObject({ kind: 'refused', reason });
    expect(call).toMatchObject({ state: 'refused', refusalReason: reason });
    expect(chain.usdcOf(payee.address)).toBe(0n);
  });

test('a payment that somebody else submits first is found by the logs of its authorization alone', async () => {
  let hash = '';
  const { outcome, requests, payment } = await settleAfter(({ submitAlone }) => {
    hash = submitAlone();
  });
  expect(outcome).toMatchObject({ kind: 'settled', transactionHash: hash });
  const asked = requests.flatMap((body) => JSON.parse(body)).filter(({ method }) => method === 'eth_getLogs');
  expect(asked).not.toEqual([]);
  for (const { params } of asked) {
    const [, authorizer, nonce] = params[0].topics;
    expect([authorizer.slice(-40), nonce]).toEqual([
      payment.payer.slice(2).toLowerCase(),
      payment.authorization,
    ]);
  }
});

test('a settlement waits while gas costs more than the cap, and is charged once when gas is cheap again', async () => {
  const { world, time, chain, settler, payment, payee, offer } = await openProcess(['https://node']);
  const stored = { signed: payment.signed, sinceHeight: 0n };
  await world.insert('paidCall', newCall('call', { ...payment, payment: stored }));
  const { feePerGasMax } = offer.network;
  chain.baseFeeOfNext = 50n * feePerGasMax;
  chain.start();
  await time.pass(5_000);
  void settler.settle({ paidCallId: 'call', payment });
  await time.pass(300_000);
  expect(chain.usdcOf(payee.address)).toBe(0n);
  chain.baseFeeOfNext = feePerGasMax / 20n;
  await time.pass(60_000);
  expect(chain.usdcOf(payee.address)).toBe(10_000n);
  const sent = await world.all('settlementTransaction');
  expect(sent.filter(({ state }) => state === 'confirmed')).toHaveLength(1);
  for (const { raw } of sent) {
    const { maxFeePerGas = 0n } = parseTransaction(bytesToHex(raw ?? new Uint8Array()));
    expect(maxFeePerGas <= feePerGasMax).toBe(true);
  }
});

/** What a process does every second while it works. */
async function maintain({ settler, time, gasKey }: Awaited<ReturnType<typeof openProcess>>): Promise<void> {
  const work = { hasQueued: false, hasLeftBehind: false, hasOpen: true, leased: [gasKey] };
  for (let second = 0; second < 60; second += 1) {
    await time.finish(settler.maintain(work), 60_000);
    await time.pass(1_000);
  }
}

test('a nonce that somebody else with the key has used loses no payment', async () => {
  const settled = await settleAfter(({ chain, gasKey, payee }) =>
    chain.act(gasKey, { to: payee.address, value: 1n }),
  );
  const { world, time, chain, settler, payment, payee } = settled;
  await maintain(settled);
  const trace = { sinceHeight: 0n, transactionHash: null };
  const found = await time.finish(settler.resolveOutcome(payment, trace), 60_000);
  expect(found).toMatchObject({ kind: 'unknown', isUnused: true });
  const again = await time.finish(settler.settle({ paidCallId: 'call', payment }), 60_000);
  expect(again).toMatchObject({ kind: 'settled' });
  expect(chain.usdcOf(payee.address)).toBe(10_000n);
  const sent = await world.all('settlementTransaction');
  expect(sent.map(({ state, nonce }) => [state, nonce])).toEqual([
    ['replaced', 0n],
    ['confirmed', 1n],
  ]);
});

test('a nonce for which no transaction is recorded is filled, so that later ones do not wait for it', async () => {
  const one = await openProcess(['https://node']);
  const { world, chain, settler, payment, payee, gasKey } = one;
  const stored = { signed: payment.signed, sinceHeight: 0n };
  await world.insert('paidCall', newCall('call', { ...payment, payment: stored }));
  await world.insert('settlementSigner', { network: 'base', signer: gasKey, holder: null, nextNonce: 1n });
  chain.start();
  void settler.settle({ paidCallId: 'call', payment });
  await maintain(one);
  expect(chain.usdcOf(payee.address)).toBe(10_000n);
  expect(chain.nonceOf(gasKey)).toBe(2);
});
