import type { Hex } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { startEvmChain } from '@/local/evm/chain';
import { network } from '../support/stack';
import { collectingTimings, shortTimings } from '../support/timings';
import { expect, test } from './fixtures';
import {
  buy,
  callContract,
  channelClient,
  channelOf,
  send,
  signTotal,
  startChannelRig,
} from './rig/channels';
import type { Rig } from './rig/rig';
import { until } from './rig/waiting';

// Channels remain valid when the payee that they were opened with changes. Calls cost 5,000.

let chain: Awaited<ReturnType<typeof startEvmChain>>;
let rig: Rig;
test.beforeAll(async () => {
  chain = await startEvmChain({ chainId: 8453 });
});
test.afterAll(() => chain.stop());
test.beforeEach(async () => {
  rig = await startSeller();
});
test.afterEach(() => rig.close());

const startSeller = () => startChannelRig({ timings: collectingTimings, baseRpcUrl: chain.rpcUrl });

async function sellTwoCalls(seller: Rig) {
  const payer = await seller.newEvmPayer();
  await buy(seller, channelClient(seller, payer).fetch, 2);
  return payer;
}

/** Restarts the server with a different payee address. */
const changePayee = () =>
  rig.restart({ PAY_TO_EVM: privateKeyToAccount(generatePrivateKey()).address }, collectingTimings);

/** Pays out to a payee what was claimed, as anyone can. */
const payOut = (payee: Hex) =>
  callContract(rig, privateKeyToAccount(generatePrivateKey()), 'settle', [
    payee,
    network('base').usdc as Hex,
  ]);

/** The contract's events that were booked. */
async function bookedBy(seller: Rig): Promise<string[]> {
  const rows = await seller.query<{ name: string; amount: string; kind: string }>(
    `SELECT name, posting.amount_atomic AS amount, kind
     FROM posting JOIN channel_event event ON event.id = channel_event_id ORDER BY event.id`,
  );
  return rows.map(({ name, amount, kind }) => `${name}: ${amount} ${kind}`);
}

const untilBooked = (what: string, seller = rig) =>
  until(what, async () => (await bookedBy(seller)).some((booked) => booked.startsWith(what)));

test('a claim for a former payee is booked once when anybody has it paid out', async () => {
  await sellTwoCalls(rig);
  await untilBooked('Claimed');
  await changePayee();
  await payOut(rig.payTo.evm);
  await untilBooked('Settled');
  expect(await bookedBy(rig)).toEqual(['Claimed: 10000 claimed', 'Settled: 10000 swept']);
  expect(await rig.audit()).toEqual([]);
});

test('the collector claims funds spent before a change of payee for the former one, and books them', async () => {
  await rig.restart({}, shortTimings);
  const payer = await sellTwoCalls(rig);
  expect((await channelOf(rig, payer)).claimed).toBe(0);
  await changePayee();
  await untilBooked('Claimed');
  await payOut(rig.payTo.evm);
  await untilBooked('Settled');
  expect(await bookedBy(rig)).toEqual(['Claimed: 10000 claimed', 'Settled: 10000 swept']);
  expect(await rig.audit()).toEqual([]);
});

test('a payout to another seller is not booked', async () => {
  await sellTwoCalls(rig);
  await untilBooked('Claimed');
  const other = await startSeller();
  try {
    await sellTwoCalls(other);
    await untilBooked('Claimed', other);
    await payOut(other.payTo.evm);
    await untilBooked('Settled', other);
    const [paidOut] = await other.query<{ block: string }>(
      "SELECT block_number AS block FROM channel_event WHERE name = 'Settled'",
    );
    await until('the blocks after it', async () => {
      const passed = await rig.query('SELECT FROM channel_watch WHERE final_block > $1', [paidOut?.block]);
      return passed.length > 0;
    });
    expect(await rig.query("SELECT FROM channel_event WHERE name = 'Settled'")).toEqual([]);
    expect(await rig.audit()).toEqual([]);
  } finally {
    await other.close();
  }
});

test('two services with one payee and authorizer sell for the same vouchers, and only the audit of one finds it', async () => {
  const { BATCH_AUTHORIZER_KEY = '' } = rig.serverEnv;
  const other = await startChannelRig({
    baseRpcUrl: chain.rpcUrl,
    timings: collectingTimings,
    settings: { BATCH_AUTHORIZER_KEY, PAY_TO_EVM: rig.payTo.evm },
  });
  try {
    await rig.restart({}, shortTimings);
    const payer = await sellTwoCalls(rig);
    // For the other service, the channel has not paid for anything yet.
    expect((await send(await signTotal(other, payer, { total: 5_000n }))).status).toBe(200);
    const skipped = await send(await signTotal(other, payer, { total: 15_000n }));
    expect([skipped.status, skipped.body.accepts[0].extra.voucherState.signedMaxClaimable]).toEqual([
      402,
      '5000',
    ]);
    await rig.restart();
    await untilBooked('Claimed: 10000');
    await untilBooked('Claimed: 10000', other);
    expect(await rig.audit()).toEqual([]);
    expect((await other.audit()).join()).toContain('no more is claimed of a channel than was spent');
  } finally {
    await other.close();
  }
});
