import { HttpRequestError } from 'viem';
import type { SendToRpc } from '@/lib/payments/rpc/send-to-rpc';
import type { Clock } from '@/lib/platform/clock';
import type { Block } from './blocks';
import type { SimulatedChain } from './chain';
import { falsify } from './lies';
import { answerCall, RpcError } from './methods';

/** What can go wrong with a request. */
export const nodeFaults = [
  'request_lost',
  'answer_lost',
  'hangs',
  'overloaded',
  'late',
  'doubled',
  'broadcast_dropped',
  'lie',
] as const;
export type NodeFault = (typeof nodeFaults)[number];

/** How a node does at the moment. All of it may change at any time. */
export interface NodeConditions {
  /** Least and most time of an answer. */
  latencyMs: readonly [least: number, most: number];
  /** Least and most time of one that is late. */
  lateMs: readonly [least: number, most: number];
  /** How many blocks it is behind. */
  lagBlocks: number;
  /** No connection to it can be made. */
  isDown: boolean;
  /** It accepts requests, and neither acts on them nor answers. */
  isHanging: boolean;
  /** How likely each fault is for each request, from 0 to 1. */
  rates: Partial<Record<NodeFault, number>>;
}

interface RpcCall {
  readonly id: number | string | null;
  readonly method: string;
  readonly params?: readonly unknown[];
}

/** A response to one call. */
export interface RpcAnswer {
  readonly jsonrpc: '2.0';
  readonly id: number | string | null;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

const inGoodOrder: NodeConditions = {
  latencyMs: [5, 40],
  lateMs: [1_500, 12_000],
  lagBlocks: 0,
  isDown: false,
  isHanging: false,
  rates: {},
};

const broadcast = 'eth_sendRawTransaction';

/**
 * One node of a simulated chain, behind the same function through which real RPCs are asked. A seeded source of numbers decides
 * about its faults, so that equal runs have equal faults.
 */
export class SimulatedNode {
  readonly chain: SimulatedChain;
  readonly #clock: Pick<Clock, 'after'>;
  readonly #random: () => number;
  readonly conditions: NodeConditions;
  /** How often each fault has happened. */
  readonly happened = new Map<NodeFault, number>();
  /** It has stopped following the chain here. */
  #stuckAt: Block | null = null;

  /** @param random numbers from 0 to 1 */
  constructor(
    chain: SimulatedChain,
    clock: Pick<Clock, 'after'>,
    random: () => number,
    conditions: Partial<NodeConditions> = {},
  ) {
    this.chain = chain;
    this.#clock = clock;
    this.#random = random;
    this.conditions = { ...inGoodOrder, ...conditions, rates: { ...conditions.rates } };
  }

  /** The newest block that it has. */
  get head(): Block {
    if (this.#stuckAt) return this.#stuckAt;
    const { blocks, head } = this.chain;
    const first = this.chain.tagged('finalized').number;
    return blocks.ancestor(head, Math.max(first, head.number - this.conditions.lagBlocks)) ?? head;
  }

  /** Stops following the chain, perhaps on a branch that is removed later. */
  stick(): void {
    this.#stuckAt = this.head;
  }

  /** Follows the chain again. */
  follow(): void {
    this.#stuckAt = null;
  }

  /** The port: answers one request or one batch after a while, or fails as HTTP does. */
  readonly send: SendToRpc = (url, body, signal) =>
    new Promise((resolve, reject) => {
      const end = () => reject(signal.reason);
      if (signal.aborted) return end();
      signal.addEventListener('abort', end, { once: true });
      const fail = (details: string, status?: number) =>
        reject(new HttpRequestError({ url, details, ...(status === undefined ? {} : { status }) }));
      const after = (ms: number, run: () => void) => this.#clock.after(ms, run);
      const { isDown, isHanging } = this.conditions;
      if (isDown) return void after(1, () => fail('connect ECONNREFUSED'));
      if (isHanging || this.#happens('hangs')) return;
      const there = this.#within(this.conditions.latencyMs) / 2;
      const back = this.#within(this.conditions.latencyMs) / 2;
      if (this.#happens('request_lost')) return void after(there, () => fail('read ECONNRESET'));
      if (this.#happens('overloaded'))
        return void after(there, () => fail('Too Many Requests', this.#random() < 0.5 ? 429 : 503));
      const isLost = this.#happens('answer_lost');
      const lateMs = this.#happens('late') ? this.#within(this.conditions.lateMs) : 0;
      // It acts on the request late, or only its answer is late.
      const [beforeMs, afterMs] = this.#random() < 0.5 ? [lateMs, 0] : [0, lateMs];
      const parsed = JSON.parse(body) as RpcCall | RpcCall[];
      after(there + beforeMs, () => {
        const answers = [parsed].flat().map((call) => this.answer(call));
        if (this.#happens('doubled'))
          after(this.#within(this.conditions.lateMs), () => [parsed].flat().map((call) => this.answer(call)));
        after(back + afterMs, () => {
          if (isLost) return fail('read ECONNRESET');
          signal.removeEventListener('abort', end);
          resolve(Array.isArray(parsed) ? answers : answers[0]);
        });
      });
    });

  /** Answers a call at once, and as a node in good order does if its conditions say so. */
  answer({ id, method, params = [] }: RpcCall): RpcAnswer {
    try {
      return { jsonrpc: '2.0', id, result: this.#result(method, params) };
    } catch (error) {
      if (!(error instanceof RpcError)) throw error;
      const { code, message, data } = error;
      return { jsonrpc: '2.0', id, error: { code, message, ...(data === undefined ? {} : { data }) } };
    }
  }

  #result(method: string, params: readonly unknown[]): unknown {
    const view = { chain: this.chain, head: this.head };
    if (method === broadcast && this.#happens('broadcast_dropped')) {
      const lost = answerCall(view, method, params);
      this.chain.mempool.lose(lost as `0x${string}`);
      return lost;
    }
    if (method !== broadcast && this.#happens('lie')) {
      const lie = falsify(view, method, params, this.#random);
      if (lie) return lie.answer;
    }
    return answerCall(view, method, params);
  }

  #happens(fault: NodeFault): boolean {
    const rate = this.conditions.rates[fault] ?? 0;
    // Asked even if the rate is zero, so that changing one rate does not shift all other decisions.
    if (this.#random() >= rate) return false;
    this.happened.set(fault, (this.happened.get(fault) ?? 0) + 1);
    return true;
  }

  #within([least, most]: readonly [number, number]): number {
    return least + (most - least) * this.#random();
  }
}

/** Several nodes as the one function that an app gets. @param nodes by URL */
export function sendToNodes(nodes: ReadonlyMap<string, SimulatedNode>): SendToRpc {
  return (url, body, signal) => {
    const node = nodes.get(url);
    return node
      ? node.send(url, body, signal)
      : Promise.reject(new HttpRequestError({ url, details: 'getaddrinfo ENOTFOUND' }));
  };
}
