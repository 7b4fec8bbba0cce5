import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { readUsdcBalances, topUpGas, topUpUsdc } from '@/local/evm/funding';
import { rpcCall } from '@/local/json-rpc';
import { type Block, blocksOf, fileNameOf, installedBy, missingLines, Reader } from '../support/guides';
import { startLossyGateway, waysToLose } from '../support/lossy-gateway';
import { network } from '../support/stack';
import { expect, test } from './fixtures';
import { channelOf, startChannelRig } from './rig/channels';
import type { Rig } from './rig/rig';

/** Follows the guide to payment channels (what to save, run and expect) at a server that offers channels. */

const page = 'docs/payment-channels.md';
const withdrawDelaySeconds = 86_400;
const startAtomic = 10_000_000n;
const usdc = () => network('base').usdc as `0x${string}`;

// A chain of its own, because its clock is set.
let rig: Rig;
let blocks: readonly Block[];
test.beforeAll(async () => {
  blocks = await blocksOf(page);
  rig = await startChannelRig({ hasOwnBase: true });
});
test.afterAll(async () => {
  await rig.close();
});

/** A folder with what the page tells its reader to install and save, and a wallet with 10 USDC. */
async function newReader(apiUrl: string) {
  const reader = await Reader.sitDown();
  await reader.install(installedBy(blocks).map(({ name }) => name));
  for (const block of blocks) {
    const name = fileNameOf(block);
    if (name) await reader.save(name, block.text);
  }
  const key = generatePrivateKey();
  const wallet = privateKeyToAccount(key);
  await topUpUsdc(rig.chainUrl('base'), usdc(), [wallet.address], startAtomic, startAtomic);
  await topUpGas(rig.chainUrl('base'), wallet.address, 10n ** 18n);
  const fillIn = (text: string) =>
    text
      .replaceAll('https://api.example.com', apiUrl)
      .replaceAll('https://mainnet.base.org', rig.chainUrl('base'))
      .replaceAll('=0x…', `=${key}`);
  return { reader, wallet, type: (typed: readonly Block[]) => reader.type(typed, fillIn) };
}

const isTyped = ({ language }: Block) => language === 'sh';

test('a call whose responses are lost is charged once, and the next one goes through', async () => {
  const gateway = await startLossyGateway(rig.apiUrl);
  const { reader, wallet, type } = await newReader(gateway.url);
  try {
    const [settings, calls] = blocks.filter(isTyped);
    if (!settings || !calls) throw new Error('the guide makes no call');
    const [, printed = ''] = await type([settings, calls]);
    expect(printed).toMatch(/^200 pc_\S+ charged 0.001 USDC, 0.999 left\n\{"query":"lisbon"/m);
    expect(printed).toMatch(/^200 pc_\S+ charged 0.001 USDC, 0.998 left\n\{"query":"nairobi"/m);
    expect(gateway.paidRequests()).toBe(waysToLose + 2);
    expect(await channelOf(rig, wallet)).toMatchObject({ balance: 1_000_000, charged: 2_000 });
  } finally {
    await reader.leave();
    await gateway.close();
  }
});

// The last test, because it sets the clock of the chain a day ahead.
test('the commands of the guide print what it shows: calls, a repeated call, a lost record, a refund and a withdrawal', async () => {
  const { reader, wallet, type } = await newReader(rig.apiUrl);
  try {
    const typed = blocks.filter(isTyped);
    const finish = typed.findIndex(({ text }) => text.includes('withdraw.mts finish'));
    const expectShown = (shown: readonly Block[], outputs: readonly string[]) => {
      for (const [index, block] of shown.entries()) {
        const next = blocks[blocks.indexOf(block) + 1];
        const announced = next?.language === 'text' ? next.text : '';
        expect(missingLines(announced, outputs[index] ?? ''), outputs[index]).toEqual([]);
      }
    };
    expectShown(typed.slice(0, finish), await type(typed.slice(0, finish)));
    expect(await channelOf(rig, wallet)).toMatchObject({ balance: 500_000, charged: 4_000 });

    await rpcCall(rig.chainUrl('base'), 'evm_increaseTime', [withdrawDelaySeconds + 1]);
    const [settings, last] = [typed[0], typed[finish]];
    if (!settings || !last) throw new Error('the guide has no withdrawal');
    expectShown([settings, last], await type([settings, last]));
    const [left] = await readUsdcBalances(rig.chainUrl('base'), usdc(), [wallet.address]);
    expect(left).toBe(startAtomic - 4_000n);
  } finally {
    await reader.leave();
  }
});
