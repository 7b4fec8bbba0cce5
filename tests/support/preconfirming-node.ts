import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Hex,
  hexToNumber,
  keccak256,
  numberToHex,
  pad,
  parseTransaction,
  recoverTransactionAddress,
  type TransactionSerialized,
} from 'viem';
import { rpcCall } from '@/local/json-rpc';
import type { Action, RpcProxy } from './rpc-proxy';

/** A node that pre-confirms transactions before they are in a block, as Base's nodes do with Flashblocks. */
export interface PreconfirmingNode {
  /** Hashes of the transactions that it has pre-confirmed, in order. */
  readonly preconfirmed: readonly Hex[];
  /** Breaks the promise to include a transaction: forgets it, and removes it from the pool. */
  lose(hash: Hex): Promise<void>;
  /** From now on accepts transactions, but reports nothing about them until they are in a block. */
  stopPreconfirming(): void;
}

interface PreconfirmingOptions {
  /** How long after being sent a transaction is pre-confirmed. */
  readonly afterMs?: number;
  /** The value of the block hash in receipts: zeros, as in those of Base's nodes, or null. */
  readonly blockHash?: Hex | null;
}

interface Sent {
  readonly call: { from: Hex; to: Hex | null | undefined; data: Hex | undefined; gas: Hex };
  readonly dueAt: number;
  receipt?: object;
}

interface SimulatedCall {
  readonly status: Hex;
  readonly gasUsed: Hex;
  readonly logs: readonly { address: Hex; topics: Hex[]; data: Hex }[];
}

/**
 * Makes the chain behind a proxy pre-confirm the transactions that it is sent. Their receipts come from simulating all
 * transactions that wait for a block, in the order in which they were sent.
 */
export function preconfirm(
  proxy: RpcProxy,
  chainUrl: string,
  { afterMs = 200, blockHash = pad('0x00') }: PreconfirmingOptions = {},
): PreconfirmingNode {
  const waiting = new Map<Hex, Sent>();
  const preconfirmed: Hex[] = [];
  let isOn = true;

  const note = async (raw: Hex): Promise<Hex> => {
    const hash = keccak256(raw);
    const { to, data, gas = 0n } = parseTransaction(raw);
    const from = await recoverTransactionAddress({ serializedTransaction: raw as TransactionSerialized });
    if (isOn && !waiting.has(hash))
      waiting.set(hash, { call: { from, to, data, gas: numberToHex(gas) }, dueAt: Date.now() + afterMs });
    return hash;
  };

  const simulate = async (hash: Hex): Promise<object | null> => {
    const hashes = [...waiting.keys()];
    const ahead = hashes.slice(0, hashes.indexOf(hash) + 1);
    const calls = ahead.flatMap((one) => waiting.get(one)?.call ?? []);
    const [head, blocks] = await Promise.all([
      rpcCall(chainUrl, 'eth_blockNumber'),
      rpcCall(chainUrl, 'eth_simulateV1', [{ blockStateCalls: [{ calls }] }, 'latest']),
    ]);
    const result = (blocks as { calls: SimulatedCall[] }[])[0]?.calls.at(-1);
    const own = waiting.get(hash);
    if (!result || !own) return null;
    const blockNumber = numberToHex(hexToNumber(head as Hex) + 1);
    const place = { blockHash, blockNumber, transactionHash: hash, transactionIndex: '0x0' };
    return {
      ...place,
      from: own.call.from,
      to: own.call.to,
      contractAddress: null,
      status: result.status,
      type: '0x2',
      gasUsed: result.gasUsed,
      cumulativeGasUsed: result.gasUsed,
      effectiveGasPrice: '0x1',
      logsBloom: pad('0x00', { size: 256 }),
      logs: result.logs.map(({ address, topics, data }, index) => ({
        ...{ address, topics, data, ...place },
        logIndex: numberToHex(index),
        removed: false,
      })),
    };
  };

  const receiptOf = async (hash: Hex): Promise<object | null> => {
    const sent = waiting.get(hash);
    if (!sent || Date.now() < sent.dueAt) return null;
    if (!sent.receipt) {
      const receipt = await simulate(hash);
      if (!receipt) return null;
      sent.receipt = receipt;
      preconfirmed.push(hash);
    }
    return sent.receipt;
  };

  const send: Action = async ({ params }, forward) => {
    await note(params[0] as Hex);
    return forward();
  };

  const sendSynchronously: Action = async ({ params }, forward) => {
    const raw = params[0] as Hex;
    // A probe for this method carries no real transaction.
    if (!isOn || raw.length < 200) return forward();
    const hash = await note(raw);
    await rpcCall(chainUrl, 'eth_sendRawTransaction', [raw]);
    await sleep(Math.max(0, (waiting.get(hash)?.dueAt ?? 0) - Date.now()));
    return { result: await receiptOf(hash) };
  };

  const receipt: Action = async ({ params }, forward) => {
    const answer = await forward();
    const hash = params[0] as Hex;
    if ('error' in answer || answer.result !== null) {
      waiting.delete(hash);
      return answer;
    }
    return { result: await receiptOf(hash) };
  };

  proxy.on('eth_sendRawTransaction', send);
  proxy.on('eth_sendRawTransactionSync', sendSynchronously);
  proxy.on('eth_getTransactionReceipt', receipt);
  return {
    preconfirmed,
    async lose(hash) {
      isOn = false;
      waiting.delete(hash);
      await rpcCall(chainUrl, 'anvil_dropTransaction', [hash]);
    },
    stopPreconfirming() {
      isOn = false;
    },
  };
}
