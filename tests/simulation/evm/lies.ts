import type { Hex } from 'viem';
import { blockAnswer, receiptAnswer } from './formats';
import { answerCall, type View } from './methods';
import { hexOf, word } from './words';

/**
 * What a node may say that is not so. It only lies about what is not final: about final blocks all nodes agree, and the service
 * has to rely on something.
 */

type Falsify = (view: View, params: readonly unknown[], random: () => number) => unknown;

const inventedHash = (random: () => number): Hex =>
  `0x${word(Math.floor(random() * 2 ** 48)).replace(/^0{8}/, 'fa15e000')}`;

const falsehoods: Readonly<Record<string, Falsify>> = {
  /** A transaction that waits is in a block, or one in a block is not, or is in another, or failed. */
  eth_getTransactionReceipt: (view, params, random) => {
    const { chain, head } = view;
    const hash = params[0] as Hex;
    const block = chain.blocks.blockOf(hash, head);
    if (block && isFinal(view, block.number)) return undefined;
    if (!block) return inventedReceipt(view, hash, random);
    const honest = answerCall(view, 'eth_getTransactionReceipt', params) as object;
    const kind = random();
    if (kind < 0.4) return null;
    if (kind < 0.7) return { ...honest, blockHash: inventedHash(random) };
    return { ...honest, status: '0x0', logs: [] };
  },
  /** A block of the same height with another hash. */
  eth_getBlockByNumber: (view, params, random) => {
    const tag = params[0];
    if (tag === 'finalized' || (String(tag).startsWith('0x') && isFinal(view, Number(tag)))) return undefined;
    const honest = answerCall(view, 'eth_getBlockByNumber', params);
    return honest === null ? undefined : { ...honest, hash: inventedHash(random) };
  },
  eth_getTransactionCount: (view, params, random) => {
    const honest = Number(answerCall(view, 'eth_getTransactionCount', params));
    return hexOf(Math.max(0, honest + (random() < 0.5 ? 1 : -1)));
  },
  eth_getLogs: () => [],
  /** A call that returns yes or no says the opposite. */
  eth_call: (view, params) => {
    const tag = params[1];
    if (tag === 'finalized' || (String(tag).startsWith('0x') && isFinal(view, Number(tag)))) return undefined;
    const honest = answerCall(view, 'eth_call', params);
    if (honest === `0x${word(0)}`) return `0x${word(1)}`;
    return honest === `0x${word(1)}` ? `0x${word(0)}` : undefined;
  },
};

/**
 * A false answer.
 * @returns null when the node has no reason to lie here
 */
export function falsify(
  view: View,
  method: string,
  params: readonly unknown[],
  random: () => number,
): { readonly answer: unknown } | null {
  const answer = falsehoods[method]?.(view, params, random);
  return answer === undefined ? null : { answer };
}

function isFinal({ chain }: View, number: number): boolean {
  return number <= chain.tagged('finalized').number;
}

/** The receipt of a waiting transaction, as if it had been carried out in a block that does not exist. */
function inventedReceipt(view: View, hash: Hex, random: () => number): unknown {
  const { chain, head } = view;
  const waiting = chain.mempool.get(hash);
  if (!waiting) return undefined;
  const preview = chain.preview(waiting);
  const block = { ...head, number: head.number + 1, hash: inventedHash(random), transactions: [preview] };
  return { ...receiptAnswer(block, preview), blockNumber: blockAnswer(block, chain.gasLimit).number };
}
