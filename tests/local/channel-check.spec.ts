import { expect, test } from '@playwright/test';
import { BATCH_SETTLEMENT_ADDRESS, ERC3009_DEPOSIT_COLLECTOR_ADDRESS } from '@x402/evm';
import { keccak256, toBytes } from 'viem';
import { base } from 'viem/chains';
import { configuredChannels } from '@/lib/payments/channels/channel-terms';
import { checkChannels } from '@/lib/payments/channels/check-channels';
import { EvmChain } from '@/lib/payments/evm/evm-chain';
import { type EvmChain as LocalChain, startEvmChain } from '@/local/evm/chain';
import { rpcCall } from '@/local/json-rpc';
import { testPlatform } from '../support/platform';

// What a service checks about x402's batch settlement contract before it offers payment channels.

let local: LocalChain;
test.beforeAll(async () => {
  local = await startEvmChain({ chainId: base.id });
});
test.afterAll(() => local.stop());

async function check(rpcUrls = local.rpcUrl): Promise<string[]> {
  const app = testPlatform({
    BASE_RPC_URL: rpcUrls,
    USDC_ADDRESS: `base=${local.usdc}`,
    BATCH_SETTLEMENT: 'base',
    BATCH_AUTHORIZER_KEY: `0x${'5a'.repeat(32)}`,
  });
  const terms = configuredChannels(app.settings);
  if (!terms) throw new Error('channels are off');
  const problems = await checkChannels(new EvmChain(app, terms.offer), terms);
  return problems.map(({ message }) => message);
}

/** Runs with different code at an address, then restores the original code. */
async function withCode<T>(
  address: string,
  change: (code: string) => string,
  work: () => Promise<T>,
): Promise<T> {
  const code = String(await rpcCall(local.rpcUrl, 'eth_getCode', [address, 'latest']));
  await rpcCall(local.rpcUrl, 'anvil_setCode', [address, change(code)]);
  try {
    return await work();
  } finally {
    await rpcCall(local.rpcUrl, 'anvil_setCode', [address, code]);
  }
}

test('the contract of the local chains is right', async () => {
  expect(await check()).toEqual([]);
});

test('a missing contract or collector, and code that is not the contract, are told apart', async () => {
  const missing = (...what: string[]) => [
    `x402's batch settlement contract on base is missing or differs: ${what.join(', ')}`,
  ];
  expect(await withCode(BATCH_SETTLEMENT_ADDRESS, () => '0x', check)).toEqual(missing('settlement code'));
  expect(await withCode(ERC3009_DEPOSIT_COLLECTOR_ADDRESS, () => '0x', check)).toEqual(
    missing('collector code'),
  );
  const views = ['channel id', 'voucher digest', 'refund digest', 'claim digest', 'withdraw delay'];
  // The first code returns nothing, the second reverts.
  for (const code of ['0x00', '0x5f5ffd'])
    expect(await withCode(BATCH_SETTLEMENT_ADDRESS, () => code, check)).toEqual(missing(...views));
});

test('a contract that differs in one digest, or in its delays, is found out by that', async () => {
  const typeHash = (type: string) => keccak256(toBytes(type)).slice(2);
  const bound = (seconds: number) => seconds.toString(16).padStart(6, '0');
  for (const [from, to, what] of [
    [typeHash('Voucher(bytes32 channelId,uint128 maxClaimableAmount)'), '5a'.repeat(32), 'voucher digest'],
    [typeHash('Refund(bytes32 channelId,uint256 nonce,uint128 amount)'), '5a'.repeat(32), 'refund digest'],
    [bound(30 * 86_400), bound(3_600), 'withdraw delay'],
  ] as const)
    expect(await withCode(BATCH_SETTLEMENT_ADDRESS, (code) => code.replaceAll(from, to), check)).toEqual([
      `x402's batch settlement contract on base is missing or differs: ${what}`,
    ]);
});

test('RPCs that disagree, or do not answer, prove nothing', async () => {
  const other = await startEvmChain({ chainId: base.id });
  try {
    await rpcCall(other.rpcUrl, 'anvil_setCode', [BATCH_SETTLEMENT_ADDRESS, '0x']);
    expect(await check(`${local.rpcUrl},${other.rpcUrl}`)).toEqual([
      'the RPCs of base disagree about the batch settlement contract',
    ]);
  } finally {
    await other.stop();
  }
  await expect(check('http://127.0.0.1:1')).rejects.toThrow();
});
