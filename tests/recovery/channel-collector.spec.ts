import { BATCH_SETTLEMENT_ADDRESS } from '@x402/evm';
import { getAbiItem, toEventSelector, toFunctionSelector } from 'viem';
import type { PrivateKeyAccount } from 'viem/accounts';
import { z } from 'zod';
import { batchSettlementAbi } from '@/lib/payments/channels/batch-settlement-abi';
import { type Action, falsify } from '../support/rpc-proxy';
import { isSweep } from '../support/sweep';
import { collectingTimings } from '../support/timings';
import { expect, test } from './fixtures';
import { buy, channelClient, channelOf, startChannelRig } from './rig/channels';
import { messageFaults } from './rig/message-faults';
import type { Rig } from './rig/rig';
import { isTransaction } from './rig/strangers';
import { until } from './rig/waiting';

// The cost and outcome of claims, whatever the channels hold and the node answers. Calls cost 5,000.

test.describe.configure({ mode: 'default' });

let rig: Rig;
test.beforeAll(async () => {
  rig = await startChannelRig({ timings: collectingTimings, hasOwnBase: true });
});
test.afterAll(() => rig.close());

interface Buyer {
  readonly payer: PrivateKeyAccount;
  /** Makes the channel worth a claim, without any other request to the node. */
  spendMore(): Promise<void>;
}

/** A payer whose unclaimed amount is too small for a claim. */
async function newBuyer(): Promise<Buyer> {
  const payer = await rig.newEvmPayer();
  const { fetch } = channelClient(rig, payer);
  await buy(rig, fetch);
  return { payer, spendMore: () => buy(rig, fetch) };
}

const readsOf = async (payer: PrivateKeyAccount) => {
  const { id } = await channelOf(rig, payer);
  return (params: readonly unknown[]) => JSON.stringify(params[0]).includes(id.slice(2));
};

/** Matches a view call that reads a channel, and captures the channel's id. */
const readOfChannel = new RegExp(`${toFunctionSelector('channels(bytes32)')}([0-9a-f]{64})`);

const messages = [
  'eth_blockNumber',
  'eth_getBlockByNumber',
  'eth_call',
  'eth_estimateGas',
  'eth_sendRawTransaction',
  'eth_getTransactionReceipt',
  'eth_getLogs',
];

const finalBlock = z.object({ number: z.string() });

/** The claims of a channel that were booked. */
async function claimsOf(payer: PrivateKeyAccount) {
  const { id } = await channelOf(rig, payer);
  return rig.query(
    `SELECT event.amount_atomic::int AS amount, count(posting.id)::int AS postings
     FROM channel_event event LEFT JOIN posting ON channel_event_id = event.id
     WHERE event.channel_id = $1 AND event.name = 'Claimed' GROUP BY event.id`,
    [id],
  );
}

/** The faults that run in `npm test`. All others run only in the sweep. */
const often = ['loses its answer', 'arrives twice', 'has no result'];

const claimedTopic = toEventSelector(getAbiItem({ abi: batchSettlementAbi, name: 'Claimed' }));

/** Breaks the response with the logs of final blocks that contain the claim of a channel, once. Only final claims are booked. */
function breakFinalLogs(id: string, action: Action): { readonly hits: number } {
  const seen = { finalBlock: '', hits: 0 };
  rig.base.on(
    'eth_getBlockByNumber',
    falsify((block) => {
      seen.finalBlock = finalBlock.parse(block).number;
      return block;
    }),
    { params: ([tag]) => tag === 'finalized' },
  );
  rig.base.on('eth_getLogs', async (call, forward) => {
    const answer = await forward();
    const isFinal = JSON.stringify(call.params).includes(`"toBlock":"${seen.finalBlock}"`);
    const logs = JSON.stringify(answer);
    if (seen.hits > 0 || !isFinal || !logs.includes(id) || !logs.includes(claimedTopic)) return answer;
    seen.hits += 1;
    return action(call, forward);
  });
  return seen;
}

for (const [name, action] of Object.entries(messageFaults).filter(
  ([name]) => isSweep || often.includes(name),
))
  test(`a claim is made and booked once, if a message of each kind ${name}`, async () => {
    const { payer, spendMore } = await newBuyer();
    const { id } = await channelOf(rig, payer);
    const isOfChannel = await readsOf(payer);
    const finalLogs = breakFinalLogs(id, action);
    const rules = messages.map((method) =>
      rig.base.on(method, action, { times: 1, params: method === 'eth_call' ? isOfChannel : undefined }),
    );
    await spendMore();
    await until('the claim', async () => (await channelOf(rig, payer)).claimed === 10_000);
    await until('its event', async () => (await claimsOf(payer)).length > 0);
    expect(await claimsOf(payer)).toEqual([{ amount: 10_000, postings: 1 }]);
    expect(rules.map(({ hits }, index) => [messages[index], hits])).toEqual(
      messages.map((method) => [method, 1]),
    );
    expect(finalLogs.hits).toBe(1);
    rig.clearWays();
    expect(await rig.audit()).toEqual([]);
  });

test('the audit finds a claim whose logs a node left out', async () => {
  const { payer, spendMore } = await newBuyer();
  rig.base.on(
    'eth_getLogs',
    falsify(() => []),
  );
  await spendMore();
  await until('the claim', async () => (await channelOf(rig, payer)).claimed === 10_000);
  await until('final blocks after it', async () => {
    const passed = await rig.query(
      `SELECT FROM channel JOIN channel_watch USING (network) WHERE payer = $1 AND final_block >= read_at_block`,
      [payer.address],
    );
    return passed.length > 0;
  });
  rig.clearWays();
  const { id } = await channelOf(rig, payer);
  expect(await rig.audit()).toEqual([
    expect.stringContaining(`what is claimed of a channel has its events (${id}`),
  ]);
});

/** Matches requests for the contract's events, which each round makes. */
const isOfContract = ([filter]: readonly unknown[]) =>
  JSON.stringify(filter).toLowerCase().includes(BATCH_SETTLEMENT_ADDRESS.toLowerCase());

test('a service that closes its channels claims them all in one round, in as many transactions as that takes', async () => {
  const patient = { ...collectingTimings.channels, claimAfterMs: 3_600_000, claimAgainAfterMs: 3_600_000 };
  const timings = { ...collectingTimings, channels: patient };
  await rig.restart({}, timings);
  // One more than a single transaction claims.
  const buyers = await Promise.all(Array.from({ length: 51 }, newBuyer));
  await Promise.all(buyers.map(({ spendMore }) => spendMore()));
  const rounds = rig.base.on('eth_getLogs', (_, forward) => forward(), { params: isOfContract });
  const roundsOfClaims: number[] = [];
  rig.base.on(
    'eth_sendRawTransaction',
    (_, forward) => {
      roundsOfClaims.push(rounds.hits);
      return forward();
    },
    { params: isTransaction },
  );
  await rig.restart({ BATCH_CLOSING: 'true' }, timings);
  await until('the claims', async () => {
    const channels = await Promise.all(buyers.map(({ payer }) => channelOf(rig, payer)));
    return channels.every(({ claimed }) => claimed === 10_000);
  });
  expect(roundsOfClaims).toHaveLength(2);
  expect(new Set(roundsOfClaims).size, 'rounds that claim').toBe(1);
  rig.clearWays();
  await rig.restart();
});

test('a process that loses the key leaves its claims to the process that gets the key', async () => {
  const { payer, spendMore } = await newBuyer();
  const patient = { ...collectingTimings.channels, claimAgainAfterMs: 3_600_000 };
  const held = rig.base.hold('eth_estimateGas', 'after');
  await rig.restart({}, { ...collectingTimings, channels: patient });
  await spendMore();
  await held.reached;
  await rig.query(
    "INSERT INTO instance (id, alive_until, settles) VALUES ('another', now() + interval '1 hour', '{}')",
  );
  await rig.query("UPDATE settlement_signer SET holder = 'another'");
  held.release();
  const { id } = await channelOf(rig, payer);
  await until('a claim that is about to be sent', async () => {
    const vouchers = await rig.query('SELECT FROM published_voucher WHERE channel_id = $1', [id]);
    return vouchers.length > 0;
  });
  await until('its channels given back', async () => {
    const left = await rig.query('SELECT FROM channel WHERE id = $1 AND claim_sent_at IS NULL', [id]);
    return left.length > 0;
  });
  await rig.query("DELETE FROM instance WHERE id = 'another'");
  await until('the claim', async () => (await channelOf(rig, payer)).claimed === 10_000);
  await rig.restart();
});

/** Inserts channels that do not exist on the chain, so that the ledger alone must know that they hold nothing. */
async function insertChannels(count: number, chargedAtomic: number): Promise<string[]> {
  const rows = await rig.query<{ id: string }>(
    `INSERT INTO channel (id, network, payer, receiver, receiver_authorizer, token, withdraw_delay, salt, balance_atomic,
       withdrawing_atomic, claimed_atomic, read_at_block, read_at, opened_atomic, charged_atomic, signature, created_at, used_at)
     SELECT '0x' || encode(sha256(($2::int || ' ' || n)::bytea), 'hex'), network, '0x' || lpad(to_hex($2 + n), 40, '0'), receiver, receiver_authorizer, token,
       withdraw_delay, salt, balance_atomic, 0, 0, 0, now(), 0, $2, signature, now(), now()
     FROM generate_series(1, $1) AS n, (SELECT * FROM channel LIMIT 1) AS any_channel
     RETURNING id`,
    [count, chargedAtomic],
  );
  return rows.map(({ id }) => id);
}

test('thousands of channels with little to claim cost no message, and many that hold nothing keep no other waiting', async () => {
  // None of them is due again before the end of the test.
  const channels = { ...collectingTimings.channels, claimAgainAfterMs: 3_600_000 };
  const { payer, spendMore } = await newBuyer();
  await rig.restart({}, { ...collectingTimings, channels });
  const little = await insertChannels(5_000, 5_000);
  // More than one round covers, each with more to claim than the channel that waits.
  const much = await insertChannels(60, 20_000);
  const inserted = new Set([...little, ...much]);
  const rounds: number[] = [0];
  rig.base.on('eth_getBlockByNumber', (_, forward) => {
    rounds.push(0);
    return forward();
  });
  rig.base.on(
    'eth_call',
    (_, forward) => {
      rounds.push((rounds.pop() ?? 0) + 1);
      return forward();
    },
    { params: ([call]) => inserted.has(`0x${JSON.stringify(call).match(readOfChannel)?.[1]}`) },
  );
  await spendMore();
  await until('the claim', async () => (await channelOf(rig, payer)).claimed === 10_000);
  expect(rounds.reduce((sum, calls) => sum + calls, 0)).toBe(60);
  expect(Math.max(...rounds)).toBeLessThanOrEqual(50);
  const output = (await rig.tuppence('worklist')).output;
  expect(output.match(/payment channel, 0\.02 USDC on base/g)).toHaveLength(60);
});
