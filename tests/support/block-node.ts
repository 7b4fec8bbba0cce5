import { type Hex, numberToHex, padHex, toHex } from 'viem';
import { type RpcProxy, startRpcProxy } from './rpc-proxy';

/** A node of an EVM chain that consists of nothing but block hashes. */
export interface BlockNode extends Pick<RpcProxy, 'url' | 'close'> {
  /** The hash of a block in the current chain. */
  hashAt(height: number): Hex;
  /** Grows or shortens the chain to this height. */
  growTo(height: number): void;
  /** Replaces a block and those above it. `alone` makes the node inconsistent. */
  replace(height: number, where?: 'and above' | 'alone'): void;
  /** Holds the next answer about a block, as the chain has it when it is asked. */
  hold(height: number): { readonly reached: Promise<void>; release(): void };
  /** The heights of the blocks that were requested since the last call, lowest first. */
  asked(): number[];
}

export async function startBlockNode(): Promise<BlockNode> {
  // Every method is answered here; there is no chain behind it.
  const proxy = await startRpcProxy('http://127.0.0.1:1');
  const replacements: { from: number; to: number }[] = [];
  let head = 0;
  let heights: number[] = [];
  const held = new Map<number, () => Promise<void>>();
  const hashAt = (height: number) => {
    const fork = replacements.findLastIndex(({ from, to }) => from <= height && height <= to) + 1;
    return padHex(toHex(fork * 1_000_000 + height), { size: 32 });
  };
  proxy.on('eth_blockNumber', async () => ({ result: numberToHex(head) }));
  proxy.on('eth_getBlockByNumber', async ({ params: [number] }) => {
    const height = Number(number);
    heights.push(height);
    const block = { number: numberToHex(height), hash: hashAt(height), transactions: [] };
    const result = height > head ? null : block;
    const wait = held.get(height);
    held.delete(height);
    await wait?.();
    return { result };
  });
  return {
    url: proxy.url,
    close: proxy.close,
    hashAt,
    growTo(height) {
      head = height;
    },
    replace(height, where = 'and above') {
      replacements.push({ from: height, to: where === 'alone' ? height : Number.POSITIVE_INFINITY });
    },
    hold(height) {
      let release = () => {};
      const released = new Promise<void>((resolve) => {
        release = resolve;
      });
      const reached = new Promise<void>((resolve) => {
        held.set(height, () => {
          resolve();
          return released;
        });
      });
      return { reached, release };
    },
    asked() {
      const since = heights.sort((one, other) => one - other);
      heights = [];
      return since;
    },
  };
}
