import type { Hex } from 'viem';
import type { Block } from './blocks';
import type { SimulatedChain } from './chain';
import { blockAnswer, logAnswers, receiptAnswer, transactionAnswer } from './formats';
import { intrinsicGas } from './gas';
import { Rejected } from './mempool';
import { NotATransaction } from './raw-transaction';
import { Frame, keys } from './state';
import { hexOf, revertText } from './words';

/** A JSON-RPC error. The texts are those of geth, which viem and we look at. */
export class RpcError extends Error {
  readonly code: number;
  readonly data: Hex | undefined;

  constructor(code: number, message: string, data?: Hex) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

const codes = { server: -32_000, reverted: 3, invalidParams: -32_602, noMethod: -32_601 } as const;

/** A chain as one node sees it. */
export interface View {
  readonly chain: SimulatedChain;
  /** The newest block that the node has. */
  readonly head: Block;
}

type Params = readonly unknown[];
type Method = (view: View, params: Params) => unknown;

/** The gas that a node gives a call without a limit, and the most that it gives. */
const callGasMax = 50_000_000;

/** Every method that the engine and its tests use. */
const methods: Readonly<Record<string, Method>> = {
  eth_chainId: ({ chain }) => hexOf(chain.network.chainId),
  eth_blockNumber: ({ head }) => hexOf(head.number),
  eth_gasPrice: ({ chain, head }) => hexOf(head.baseFeePerGas + chain.tip),
  eth_maxPriorityFeePerGas: ({ chain }) => hexOf(chain.tip),
  eth_getBlockByNumber: (view, [tag]) => {
    const block = blockAt(view, tag);
    return block && blockAnswer(block, view.chain.gasLimit);
  },
  eth_getBlockByHash: ({ chain, head }, [hash]) => {
    const block = chain.blocks.byHash(hash as Hex);
    const isKnown = block && chain.blocks.ancestor(head, block.number) === block;
    return isKnown ? blockAnswer(block, chain.gasLimit) : null;
  },
  eth_getTransactionByHash: (view, [hash]) => {
    const { chain, head } = view;
    const block = chain.blocks.blockOf(hash as Hex, head);
    const mined = block?.transactions.find(({ transaction }) => transaction.hash === hash);
    if (block && mined) return transactionAnswer(mined.transaction, { block, mined });
    const waiting = chain.mempool.get(hash as Hex);
    return waiting ? transactionAnswer(waiting, null) : null;
  },
  eth_getTransactionReceipt: ({ chain, head }, [hash]) => {
    const block = chain.blocks.blockOf(hash as Hex, head);
    const mined = block?.transactions.find(({ transaction }) => transaction.hash === hash);
    return block && mined ? receiptAnswer(block, mined) : null;
  },
  eth_getTransactionCount: (view, [address, tag]) => {
    const account = lower(address);
    const used = view.chain.nonceOf(account, stateBlock(view, tag));
    return hexOf(tag === 'pending' ? view.chain.mempool.nextNonce(account, used) : used);
  },
  eth_getBalance: (view, [address, tag]) => hexOf(view.chain.gasOf(lower(address), stateBlock(view, tag))),
  eth_getCode: (view, [address, tag]) =>
    view.chain.machine.codeAt(frameAt(view, stateBlock(view, tag)), lower(address)),
  eth_call: (view, [request, tag]) => call(view, request as CallRequest, stateBlock(view, tag)).data,
  eth_estimateGas: (view, [request, tag]) => {
    const { data = '0x' } = request as CallRequest;
    const { first, least } = intrinsicGas(lower(data));
    const { gasUsed } = call(view, request as CallRequest, stateBlock(view, tag));
    return hexOf(Math.max(first + gasUsed, least));
  },
  eth_getLogs: (view, [filter]) => getLogs(view, filter as LogFilter),
  eth_sendRawTransaction: ({ chain }, [raw]) => send(chain, String(raw)),
};

/** Answers one call as a node without faults does. @throws RpcError */
export function answerCall(view: View, method: string, params: Params): unknown {
  const run = methods[method];
  if (!run) throw new RpcError(codes.noMethod, `the method ${method} does not exist/is not available`);
  return run(view, params);
}

const lower = (hex: unknown): Hex => String(hex).toLowerCase() as Hex;

/** @returns null when the view has no such block */
function blockAt({ chain, head }: View, tag: unknown): Block | null {
  if (tag === undefined || tag === 'latest' || tag === 'pending') return head;
  if (tag === 'safe' || tag === 'finalized') return chain.tagged(tag, head);
  if (tag === 'earliest') return chain.blocks.ancestor(head, 0);
  return chain.blocks.ancestor(head, Number(tag));
}

function stateBlock(view: View, tag: unknown): Block {
  const block = blockAt(view, tag);
  if (!block) throw new RpcError(codes.server, 'header not found');
  return block;
}

function frameAt({ chain }: View, block: Block): Frame {
  return new Frame(chain.blocks.stateAfter(block));
}

interface CallRequest {
  readonly from?: Hex;
  readonly to?: Hex | null;
  readonly data?: Hex;
  readonly gas?: Hex;
  readonly gasPrice?: Hex;
  readonly maxFeePerGas?: Hex;
}

const nobody: Hex = `0x${'0'.repeat(40)}`;

function call(view: View, request: CallRequest, block: Block): { data: Hex; gasUsed: number } {
  const { chain } = view;
  const { to } = request;
  const data = lower(request.data ?? '0x');
  const from = lower(request.from ?? nobody);
  const frame = frameAt(view, block);
  const limit = Math.min(request.gas === undefined ? callGasMax : Number(request.gas), callGasMax);
  requireGasMoney(frame, from, limit, request, block);
  const { first } = intrinsicGas(data);
  if (limit < first)
    throw new RpcError(
      codes.server,
      `err: intrinsic gas too low: have ${limit}, want ${first} (supplied gas ${limit})`,
    );
  const gas = limit - first;
  const result = to
    ? chain.machine.call(frame, {
        from,
        to: lower(to),
        data,
        gas,
        block,
        warm: new Set(),
        machine: chain.machine,
      })
    : chain.machine.create(frame, data);
  if (!result) throw new RpcError(codes.server, 'this creation code is not known to the simulation');
  if (result.success) return { data: result.data, gasUsed: result.gasUsed };
  if (result.gasUsed >= gas) throw new RpcError(codes.server, 'out of gas');
  if (result.data === '0x') throw new RpcError(codes.server, 'execution reverted');
  const text = revertText(result.data) || `custom error ${result.data.slice(0, 10)}`;
  throw new RpcError(codes.reverted, `execution reverted: ${text}`, result.data);
}

/** A call with a gas price needs a sender who can pay, and a price that the block accepts. */
function requireGasMoney(
  frame: Frame,
  from: Hex,
  gas: number,
  { gasPrice, maxFeePerGas }: CallRequest,
  block: Block,
): void {
  const price = maxFeePerGas ?? gasPrice;
  if (price === undefined || BigInt(price) === 0n) return;
  if (BigInt(price) < block.baseFeePerGas) {
    const message = `max fee per gas less than block base fee: address ${from}, maxFeePerGas: ${BigInt(price)}, baseFee: ${block.baseFeePerGas}`;
    throw new RpcError(codes.server, `err: ${message} (supplied gas ${gas})`);
  }
  const [have, want] = [frame.number(keys.gas(from)), BigInt(gas) * BigInt(price)];
  if (have < want) {
    const message = `insufficient funds for gas * price + value: address ${from} have ${have} want ${want}`;
    throw new RpcError(codes.server, `err: ${message} (supplied gas ${gas})`);
  }
}

interface LogFilter {
  readonly address?: Hex | readonly Hex[];
  readonly topics?: readonly (Hex | readonly Hex[] | null)[];
  readonly fromBlock?: string;
  readonly toBlock?: string;
  readonly blockHash?: Hex;
}

const logBlocksMax = 10_000;

function getLogs(view: View, { address, topics = [], fromBlock, toBlock, blockHash }: LogFilter): unknown[] {
  const { chain, head } = view;
  const last = blockHash ? chain.blocks.byHash(blockHash) : (blockAt(view, toBlock) ?? head);
  if (!last) throw new RpcError(codes.server, 'unknown block');
  const tagged = fromBlock?.startsWith('0x') ? Number(fromBlock) : (blockAt(view, fromBlock)?.number ?? 0);
  const first = blockHash ? last.number : tagged;
  if (last.number - first >= logBlocksMax)
    throw new RpcError(codes.invalidParams, `query exceeds max block range ${logBlocksMax}`);
  const addresses = address === undefined ? null : [address].flat().map(lower);
  const found: unknown[][] = [];
  for (let number = last.number; number >= first; number -= 1) {
    const block = chain.blocks.ancestor(last, number);
    if (!block) break;
    for (const mined of block.transactions.toReversed()) {
      const isWanted = logAnswers(block, mined).filter(
        (log) => (!addresses || addresses.includes(log.address)) && matches(topics, log.topics),
      );
      found.unshift(isWanted);
    }
  }
  return found.flat();
}

function matches(wanted: LogFilter['topics'], topics: readonly Hex[]): boolean {
  return (wanted ?? []).every((one, index) => {
    if (one === null) return true;
    const topic = topics[index];
    return topic !== undefined && [one].flat().some((choice) => choice.toLowerCase() === topic);
  });
}

function send(chain: SimulatedChain, raw: string): Hex {
  try {
    return chain.broadcast(raw);
  } catch (error) {
    if (error instanceof Rejected || error instanceof NotATransaction)
      throw new RpcError(codes.server, error.message);
    throw error;
  }
}
