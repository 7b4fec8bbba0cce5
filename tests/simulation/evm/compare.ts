import { expect } from '@playwright/test';
import type { Hex } from 'viem';
import type { Batcher } from '@/lib/payments/evm/batcher';
import type { EvmSigned } from '@/lib/payments/evm/evm-signed';
import type { EvmNetwork } from '@/lib/payments/network-offers';
import { networkTable } from '@/lib/payments/network-table';
import { startEvmChain } from '@/local/evm/chain';
import { heldIntervalSeconds } from '@/local/evm/funding';
import { Account, type Authorization, usdcCalls } from './accounts';
import { hashOf } from './words';
import { type Answer, baseFeeMin, type Funds, onAnvil, simulated, type World } from './worlds';

/**
 * The same scripts on the simulated chain and on anvil with the local contracts. What the engine reads has to be equal, so that
 * the simulation is never kinder than a node.
 */

/** Starts anvil, which mines only when it is told to. */
export function startHeldAnvil() {
  return startEvmChain({ chainId: 8453, blockTimeSeconds: heldIntervalSeconds, mining: 'interval' });
}

export const [base] = networkTable.main as readonly [EvmNetwork, ...unknown[]];
export const usdc = base.usdc as Hex;
export const batcher: Batcher = { address: base.interfaceMulticall as Hex, hasGasLimits: true, sizeMax: 100 };
export const cap = 120_000n;
const gasWei = 10n ** 18n;

export type Script = (world: World, start: Start) => Promise<Observed>;

/** What a script has seen. */
interface Observed {
  readonly gas?: readonly number[];
  readonly [what: string]: unknown;
}

export interface Start {
  /** Seconds, at the newest block. */
  readonly now: bigint;
  readonly height: bigint;
}

async function startOf(world: World): Promise<Start> {
  const { result } = await world.ask('eth_getBlockByNumber', ['latest', false]);
  const { number, timestamp } = result as { number: Hex; timestamp: Hex };
  return { now: BigInt(timestamp), height: BigInt(number) };
}

/**
 * Runs a script on both, and compares everything that it returns. Only the gas may differ by a tenth, where a script returns some:
 * budgets count it, and nothing compares it with what a node says.
 */
export async function compare(url: string, funds: readonly Funds[], script: Script): Promise<void> {
  const real = await onAnvil(url, base, funds);
  const start = await startOf(real);
  const there = await script(real, start);
  const world = simulated(base, funds, Number(start.now));
  const here = await script(world, await startOf(world));
  expect({ ...here, gas: null }).toEqual({ ...there, gas: null });
  for (const [index, gas] of (there.gas ?? []).entries()) {
    const ratio = (here.gas?.[index] ?? 0) / gas;
    expect(ratio, `gas ${index}: ${here.gas?.[index]} instead of ${gas}`).toBeGreaterThan(0.9);
    expect(ratio, `gas ${index}: ${here.gas?.[index]} instead of ${gas}`).toBeLessThan(1.1);
  }
}

export const nonceOf = (name: string) => hashOf(`0x${Buffer.from(name).toString('hex')}`);

export function authorizationOf(
  from: Account,
  to: Account,
  now: bigint,
  change: Partial<Authorization> = {},
): Authorization {
  return {
    from: from.address,
    to: to.address,
    value: 5_000n,
    validAfter: 0n,
    validBefore: now + 300n,
    nonce: nonceOf(`${from.address} 1`),
    ...change,
  };
}

export function paymentOf(from: Account, authorization: Authorization): { readonly signed: EvmSigned } {
  const { value, validAfter, validBefore } = authorization;
  const texts = { value: `${value}`, validAfter: `${validAfter}`, validBefore: `${validBefore}` };
  return {
    signed: {
      family: 'evm',
      authorization: { ...authorization, ...texts },
      signature: from.authorize(base, authorization),
      signer: 'key',
    },
  };
}

export interface Sent {
  readonly to?: Hex;
  readonly data: Hex;
  readonly gas?: bigint;
  readonly nonce?: number;
  readonly fee?: bigint;
  readonly tip?: bigint;
  readonly value?: bigint;
  readonly chainId?: number;
}

export function sign(account: Account, sent: Sent): Hex {
  const { to = usdc, data, gas = 300_000n, nonce = 0, fee = 3n * baseFeeMin, tip = 1_000_000n } = sent;
  return account.signer.signTransaction({
    type: 'eip1559',
    chainId: sent.chainId ?? base.chainId,
    ...{ to, data, gas, nonce, value: sent.value ?? 0n },
    ...{ maxFeePerGas: fee, maxPriorityFeePerGas: tip },
  });
}

export const send = (world: World, account: Account, sent: Sent): Promise<Answer> =>
  world.ask('eth_sendRawTransaction', [sign(account, sent)]);

export const call = (world: World, data: Hex, more: object = {}, tag = 'latest'): Promise<Answer> =>
  world.ask('eth_call', [{ to: usdc, data, ...more }, tag]);

/** An error as the engine sees it: whether it is a revert, with its data, or which refusal of a broadcast. */
export function seen({ result, error }: Answer): unknown {
  if (!error) return { result };
  // A revert without data has code 3 at some nodes, and the code of the server at others.
  if (error.code === 3 && error.data !== '0x') return { revert: error.data, message: error.message };
  const kinds = {
    known: /already (known|imported)/i,
    nonce: /nonce too low/i,
    underpriced: /underpriced/i,
    funds: /insufficient funds/i,
    reverted: /execution reverted/i,
    outOfGas: /out ?of ?gas/i,
    fee: /less than block base fee|fee cap less than/i,
    intrinsic: /intrinsic gas too low|floor/i,
    chain: /chain ?id/i,
    gasLimit: /exceeds block gas limit|gas limit|intrinsic gas too high/i,
  };
  const kind = Object.entries(kinds).find(([, pattern]) => pattern.test(error.message));
  return { refused: kind?.[0] ?? error.message };
}

/** What the engine reads of a receipt. Gas is compared apart, with a tolerance. */
export async function receiptOf(world: World, { height }: Start, hash: unknown): Promise<unknown> {
  const { result } = await world.ask('eth_getTransactionReceipt', [hash]);
  if (!result) return null;
  const receipt = result as Record<string, string> & { logs: Record<string, string>[] };
  const at = (number: string | undefined) => Number(BigInt(number ?? 0) - height);
  return {
    ...{ hash: receipt.transactionHash, status: receipt.status, from: receipt.from, to: receipt.to },
    ...{ index: receipt.transactionIndex, price: receipt.effectiveGasPrice, at: at(receipt.blockNumber) },
    isHash: /^0x[0-9a-f]{64}$/.test(receipt.blockHash ?? ''),
    logs: receipt.logs.map((log) => ({
      ...{ address: log.address, topics: log.topics, data: log.data, index: log.logIndex },
      ...{ hash: log.transactionHash, transactionIndex: log.transactionIndex, removed: log.removed },
      isOfBlock: log.blockHash === receipt.blockHash && log.blockNumber === receipt.blockNumber,
    })),
  };
}

export const gasIn = async (world: World, hash: unknown): Promise<number> => {
  const { result } = await world.ask('eth_getTransactionReceipt', [hash]);
  return Number((result as { gasUsed: Hex }).gasUsed);
};

export const balances = (world: World, ...accounts: Account[]) =>
  Promise.all(accounts.map(async ({ address }) => (await call(world, usdcCalls.balanceOf(address))).result));

/** Accounts of a test, with money. */
export function accountsOf(name: string) {
  const [payer, payee, sender] = ['payer', 'payee', 'sender'].map((who) => new Account(`${name} ${who}`)) as [
    Account,
    Account,
    Account,
  ];
  const funds: Funds[] = [
    { account: payer.address, usdcAtomic: 20_000n },
    { account: payee.address, usdcAtomic: 1n },
    { account: sender.address, gasWei },
  ];
  return { payer, payee, sender, funds };
}
