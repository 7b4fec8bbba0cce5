import type { Hex } from 'viem';
import type { EvmNetwork } from '@/lib/payments/network-offers';
import { setUsdcBalances } from '@/local/evm/funding';
import { rpcCall } from '@/local/json-rpc';
import { VirtualTime } from '../virtual-clock';
import { SimulatedChain } from './chain';
import { SimulatedNode } from './node';
import { usdcOwner } from './usdc-words';
import { hexOf } from './words';

/** A JSON-RPC answer as it came: a result or an error. */
export interface Answer {
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

export interface Funds {
  readonly account: Hex;
  readonly gasWei?: bigint;
  readonly usdcAtomic?: bigint;
  /** Deployed code, which answers every question about a signature with yes, or runs out of gas. */
  readonly code?: 'yes' | 'burns';
}

/** A chain on which a script runs: simulated, or anvil. */
export interface World {
  readonly network: EvmNetwork;
  ask(method: string, params?: readonly unknown[]): Promise<Answer>;
  /** Mines the next block, two seconds after the last one unless told otherwise. */
  mine(afterSeconds?: number): Promise<void>;
  /** Replaces the newest blocks with empty ones. Their transactions are lost. */
  loseBlocks(count: number): Promise<void>;
  /** Calls the token in the name of its owner. */
  actAsOwner(data: Hex): Promise<void>;
  /** The base fee of the next blocks, in wei. */
  baseFee: bigint;
}

export const baseFeeMin = 1_000_000_000n;
const blockSeconds = 2;

const codes = { yes: '0x631626ba7e60e01b60005260206000f3', burns: '0x5b600056' } as const;

/** Anvil, which mines only when it is told to. */
export async function onAnvil(url: string, network: EvmNetwork, funds: readonly Funds[]): Promise<World> {
  const rpc = (method: string, ...params: unknown[]) => rpcCall(url, method, params);
  for (const { account, gasWei, code } of funds) {
    if (gasWei !== undefined) await rpc('anvil_setBalance', account, hexOf(gasWei));
    if (code) await rpc('anvil_setCode', account, codes[code]);
  }
  await setUsdcBalances(
    url,
    network.usdc,
    funds.map(({ account, usdcAtomic = 0n }) => ({ owner: account, amountAtomic: usdcAtomic })),
  );
  const world: World = {
    network,
    baseFee: baseFeeMin,
    async ask(method, params = []) {
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
      const headers = { 'content-type': 'application/json' };
      const { result, error } = (await (
        await fetch(url, { method: 'POST', headers, body })
      ).json()) as Answer;
      return error ? { error } : { result };
    },
    async mine(afterSeconds = blockSeconds) {
      const { timestamp } = (await rpc('eth_getBlockByNumber', 'latest', false)) as { timestamp: Hex };
      await rpc('evm_setNextBlockTimestamp', Number(timestamp) + afterSeconds);
      await rpc('anvil_setNextBlockBaseFeePerGas', hexOf(world.baseFee));
      await rpc('evm_mine');
    },
    async loseBlocks(count) {
      await rpc('anvil_rollback', count);
      for (let mined = 0; mined < count; mined += 1) await world.mine();
    },
    async actAsOwner(data) {
      await rpc('anvil_setBalance', usdcOwner, hexOf(10n ** 18n));
      await rpc('anvil_impersonateAccount', usdcOwner);
      await rpc('eth_sendTransaction', { from: usdcOwner, to: network.usdc, data, gas: hexOf(300_000) });
    },
  };
  await world.mine();
  return world;
}

/** The simulation, at the same moment. */
export function simulated(network: EvmNetwork, funds: readonly Funds[], seconds: number): World {
  const clock = new VirtualTime({ startMs: seconds * 1_000 }).createClock();
  const chain = new SimulatedChain({ network, clock, baseFeeMin, gasLimit: 30_000_000 });
  for (const { account, gasWei, usdcAtomic = 0n, code } of funds) {
    if (gasWei !== undefined) chain.giveGas(account, gasWei);
    chain.giveUsdc(account, usdcAtomic);
    if (code) chain.deployWallet(account, codes[code], () => code);
  }
  const synchronous = { waitMs: 30_000, openMax: 100, refusal: 'error', gaps: 'wait' } as const;
  const node = new SimulatedNode(chain, clock, () => 0.5, { synchronous });
  const world: World = {
    network,
    baseFee: baseFeeMin,
    ask: (method, params = []) =>
      new Promise((resolve, reject) => {
        node.answerLater({ id: 1, method, params }, (answer) => {
          if (answer === 'limited') reject(new Error('it has no limits'));
          else resolve(answer.error ? { error: answer.error } : { result: answer.result });
        });
      }),
    async mine(afterSeconds = blockSeconds) {
      chain.baseFeeOfNext = world.baseFee;
      chain.mine(chain.head.timestamp + afterSeconds);
    },
    async loseBlocks(count) {
      chain.reorganize(count, { fateOf: () => 'lost' });
    },
    async actAsOwner(data) {
      chain.act(usdcOwner, { to: network.usdc as Hex, data });
    },
  };
  return world;
}
