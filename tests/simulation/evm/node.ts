import { HttpRequestError } from 'viem';
import type { SendToRpc } from '@/lib/payments/rpc/send-to-rpc';
import type { Clock } from '@/lib/platform/clock';
import type { Block } from './blocks';
import type { SimulatedChain } from './chain';
import { falsify } from './lies';
import { answerCall, RpcError } from './methods';
import { readTransaction } from './raw-transaction';

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

/** How requests that wait for a block can end otherwise. */
export const synchronousFaults = ['not_yet_mined', 'gap_refused', 'too_many_open'] as const;
type SynchronousFault = (typeof synchronousFaults)[number];

/** How a node treats `eth_sendRawTransactionSync`. */
export interface SynchronousSends {
  /** How long it waits for the block. */
  readonly waitMs: number;
  /** How many requests it lets wait, and how it refuses more. */
  readonly openMax: number;
  readonly refusal: 'status' | 'error';
  /** What becomes of a transaction whose predecessor is missing. A node may refuse it, and say that it waits. */
  readonly gaps: 'wait' | 'refused' | 'refused as waiting';
}

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
  /** Null where it lacks the method. */
  synchronous: SynchronousSends | null;
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
  synchronous: null,
};

const broadcasts: readonly string[] = ['eth_sendRawTransaction', 'eth_sendRawTransactionSync'];
/** EIP-7966, and what providers say to too many requests. */
const codes = { notYetMined: 4, limited: -32_005, refused: -32_000 } as const;

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
  readonly happened = new Map<NodeFault | SynchronousFault, number>();
  /** It has stopped following the chain here. */
  #stuckAt: Block | null = null;
  /** How many requests wait for a block. */
  #open = 0;

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
        const reply = (answer: RpcAnswer | RpcAnswer[]) =>
          after(back + afterMs, () => {
            if (isLost) return fail('read ECONNRESET');
            signal.removeEventListener('abort', end);
            resolve(answer);
          });
        if (Array.isArray(parsed)) reply(parsed.map((call) => this.answer(call)));
        else
          this.answerLater(parsed, (answer) => {
            if (answer === 'limited') fail('Too Many Requests', 429);
            else reply(answer);
          });
        if (this.#happens('doubled'))
          after(this.#within(this.conditions.lateMs), () => [parsed].flat().map((call) => this.answer(call)));
      });
    });

  /** Answers a call at once, or at its block. `limited` stands for a refusal by HTTP status. */
  answerLater(call: RpcCall, reply: (answer: RpcAnswer | 'limited') => void): void {
    const { synchronous } = this.conditions;
    if (call.method !== broadcasts[1] || !synchronous) reply(this.answer(call));
    else if (this.#open >= synchronous.openMax) {
      this.#count('too_many_open');
      reply(synchronous.refusal === 'status' ? 'limited' : errorOf(call, codes.limited, 'limit exceeded'));
    } else if (synchronous.gaps !== 'wait' && this.#hasGap(String(call.params?.[0]))) {
      this.#count('gap_refused');
      reply(errorOf(call, synchronous.gaps === 'refused' ? codes.refused : codes.notYetMined, 'nonce gap'));
    } else this.#answerAtBlock(call, synchronous.waitMs, reply);
  }

  #answerAtBlock(call: RpcCall, waitMs: number, reply: (answer: RpcAnswer) => void): void {
    const taken = this.answer(call);
    if (taken.error) {
      reply(taken);
      return;
    }
    this.#open += 1;
    const end = (answer: RpcAnswer) => {
      this.#open -= 1;
      endBlocks();
      endWait();
      reply(answer);
    };
    const endBlocks = this.chain.onBlock(() => {
      const view = { chain: this.chain, head: this.head };
      const result = answerCall(view, 'eth_getTransactionReceipt', [taken.result]);
      if (result) end({ ...taken, result });
    });
    const endWait = this.#clock.after(waitMs, () => {
      this.#count('not_yet_mined');
      end(errorOf(call, codes.notYetMined, 'the transaction is in no block yet'));
    });
  }

  /** Whether a predecessor of a transaction is missing. */
  #hasGap(raw: string): boolean {
    try {
      const { from, nonce } = readTransaction(raw);
      return nonce > this.chain.mempool.nextNonce(from, this.chain.nonceOf(from));
    } catch {
      return false;
    }
  }

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
    if (broadcasts.includes(method)) {
      const isKnown = method === broadcasts[0] || this.conditions.synchronous !== null;
      const isDropped = this.#happens('broadcast_dropped');
      const taken = answerCall(view, isKnown ? 'eth_sendRawTransaction' : method, params);
      if (isDropped) this.chain.mempool.lose(taken as `0x${string}`);
      return taken;
    }
    if (this.#happens('lie')) {
      const lie = falsify(view, method, params, this.#random);
      if (lie) return lie.answer;
    }
    return answerCall(view, method, params);
  }

  #happens(fault: NodeFault): boolean {
    const rate = this.conditions.rates[fault] ?? 0;
    // Asked even if the rate is zero, so that changing one rate does not shift all other decisions.
    if (this.#random() >= rate) return false;
    this.#count(fault);
    return true;
  }

  #count(fault: NodeFault | SynchronousFault): void {
    this.happened.set(fault, (this.happened.get(fault) ?? 0) + 1);
  }

  #within([least, most]: readonly [number, number]): number {
    return least + (most - least) * this.#random();
  }
}

function errorOf({ id }: RpcCall, code: number, message: string): RpcAnswer {
  return { jsonrpc: '2.0', id, error: { code, message } };
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
