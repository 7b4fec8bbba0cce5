import { type Hex, numberToHex } from 'viem';
import { type PrivateKeyAccount, privateKeyToAddress } from 'viem/accounts';
import { z } from 'zod';
import { readUsdcBalances } from '@/local/evm/funding';
import { expectLogged } from '../support/logged';
import { breakAnswer, falsify } from '../support/rpc-proxy';
import { network } from '../support/stack';
import { collectingTimings } from '../support/timings';
import { expect, test } from './fixtures';
import { buy, callContract, channelClient, channelOf, configOf, startChannelRig } from './rig/channels';
import { onBase } from './rig/own-chain';
import type { Rig } from './rig/rig';
import { until } from './rig/waiting';

// A payer who withdraws gets what was not spent, and we get what was spent, whatever goes wrong in the day in between. Out of a
// dollar, one call of 5,000 was spent, which is too little to be claimed for any other reason.

const deposited = 1_000_000;
const price = 5_000;

/** One for each test. */
const buyerCount = 2;

let rig: Rig;
let buyers: PrivateKeyAccount[];
test.beforeAll(async () => {
  rig = await startChannelRig({ timings: collectingTimings, hasOwnBase: true });
  // Created before the first withdrawal, which moves the chain a day ahead. There, deposits would expire before they are signed.
  buyers = await Promise.all(Array.from({ length: buyerCount }, newBuyer));
});
test.afterAll(() => rig.close());

async function newBuyer(): Promise<PrivateKeyAccount> {
  const payer = await rig.newEvmPayer();
  await buy(rig, channelClient(rig, payer).fetch);
  return payer;
}

function nextBuyer(): PrivateKeyAccount {
  const buyer = buyers.pop();
  if (!buyer) throw new Error('there are more tests than buyers');
  return buyer;
}

/** Requests everything, so that only a claim keeps the spent part from being paid out. */
async function withdraw(payer: PrivateKeyAccount): Promise<void> {
  await callContract(rig, payer, 'initiateWithdraw', [await configOf(rig, payer), BigInt(deposited)]);
}

const isClaimed = async (payer: PrivateKeyAccount) => (await channelOf(rig, payer)).claimed === price;

async function walletOf({ address }: PrivateKeyAccount): Promise<number> {
  return Number((await readUsdcBalances(rig.chainUrl('base'), network('base').usdc, [address]))[0]);
}

/** Expects that the payer receives only the rest, and that what was claimed is booked once. */
async function expectPaidOut(payer: PrivateKeyAccount): Promise<void> {
  const before = await walletOf(payer);
  const config = await configOf(rig, payer);
  await onBase(rig, 'evm_increaseTime', config.withdrawDelay);
  await callContract(rig, payer, 'finalizeWithdraw', [config]);
  expect(await walletOf(payer)).toBe(before + deposited - price);
  const { id } = await channelOf(rig, payer);
  const events = () =>
    rig.query(
      `SELECT name, amount_atomic::int AS amount FROM channel_event
       WHERE channel_id = $1 AND name IN ('Claimed', 'WithdrawFinalized') ORDER BY name`,
      [id],
    );
  await until('the events', async () => (await events()).length > 1);
  expect(await events()).toEqual([
    { name: 'Claimed', amount: price },
    { name: 'WithdrawFinalized', amount: deposited - price },
  ]);
}

test('a withdrawal whose logs the node leaves out until its block is final is answered then', async () => {
  const payer = nextBuyer();
  const seen = { finalBlock: 0n };
  rig.base.on(
    'eth_getBlockByNumber',
    falsify((block) => {
      seen.finalBlock = BigInt(z.object({ number: z.string() }).parse(block).number);
      return block;
    }),
    { params: ([tag]) => tag === 'finalized' },
  );
  const left = rig.base.on('eth_getLogs', async () => ({ result: [] }), {
    params: ([range]) => BigInt(z.object({ toBlock: z.string() }).parse(range).toBlock) > seen.finalBlock,
  });
  await left.reached;
  await withdraw(payer);
  await until('the claim', () => isClaimed(payer));
  rig.clearWays();
  await expectPaidOut(payer);
});

test('a withdrawal that begins while the settlement key has no gas is on the worklist, and is answered when it has some', async () => {
  const payer = nextBuyer();
  const sender = privateKeyToAddress(rig.serverEnv.SETTLEMENT_KEYS_EVM as Hex);
  const setGas = (wei: bigint) => onBase(rig, 'anvil_setBalance', sender, numberToHex(wei));
  await setGas(0n);
  await withdraw(payer);
  await until('the withdrawal', async () => (await channelOf(rig, payer)).withdrawing > 0);
  await expectLogged(rig.server(), 'a broadcast was not acknowledged');
  const { id } = await channelOf(rig, payer);
  // A withdrawal that is claimed within an hour does not need the operator.
  const worklist = async () => (await rig.tuppence('worklist')).output;
  expect(await worklist()).not.toContain(id);
  // The chain is days ahead by now, so reads are blocked while the withdrawal is backdated. A read that is in progress
  // still writes what it read, hence the repetition.
  const unread = rig.base.on('eth_call', breakAnswer('close'));
  await until('it on the worklist', async () => {
    await rig.query(
      'UPDATE channel SET withdrawal_begun_at = extract(epoch FROM now()) - 7200 WHERE id = $1',
      [id],
    );
    return (await worklist()).includes(id);
  });
  unread.remove();
  await setGas(10n ** 20n);
  await until('the claim', () => isClaimed(payer));
  expect(await worklist()).not.toContain(id);
  await expectPaidOut(payer);
});
