import { HttpRequestError } from 'viem';
import type { Clock } from '@/lib/platform/clock';
import { RpcError } from '@/local/solana/rpc-error';
import type { DecodedTransaction } from '@/local/solana/transaction';
import type { SimulatedCluster } from './chain';
import { type Asked, readMethods } from './methods';
import { transactionMethods } from './transaction-methods';
import type { View } from './view';

const methods = new Map(Object.entries({ ...readMethods, ...transactionMethods }));

/** What a node does wrong, in shares of its requests. */
export interface NodeFaults {
  /** Requests that never arrive, because the connection breaks. */
  readonly lostRequests: number;
  /** Requests that are carried out, and whose answer is lost with the connection. */
  readonly lostAnswers: number;
  /** Requests that are not answered while the connection stays open. */
  readonly silent: number;
  /** Requests that get the answer to an earlier one like it; broadcasts are carried out twice. */
  readonly repeated: number;
  /** Broadcasts that the node accepts and does not pass on. */
  readonly dropped: number;
  /** Statuses of transactions that are in a block, but not final, which the node says it does not have. */
  readonly denied: number;
  /** Statuses of transactions that were sent to the node and are in no block, which it says are confirmed. */
  readonly invented: number;
  /** The most slots that the node is behind. Each request meets another of the machines that share its address. */
  readonly lagSlotsMax: number;
  /** The longest that a request and its answer take, in milliseconds. */
  readonly delayMaxMs: number;
}

/** Those that happen to single requests. */
export const countedFaults = [
  'lostRequests',
  'lostAnswers',
  'silent',
  'repeated',
  'dropped',
  'denied',
  'invented',
] as const satisfies readonly (keyof NodeFaults)[];

export const noNodeFaults: NodeFaults = {
  lostRequests: 0,
  lostAnswers: 0,
  silent: 0,
  repeated: 0,
  dropped: 0,
  denied: 0,
  invented: 0,
  lagSlotsMax: 0,
  delayMaxMs: 0,
};

export interface NodeOptions {
  readonly url: string;
  /** The true time, which no process can set. */
  readonly clock: Pick<Clock, 'after' | 'sleep'>;
  /** Numbers from 0 to 1 that decide about faults. */
  readonly random?: () => number;
  readonly faults?: NodeFaults;
}

interface Request {
  readonly id: unknown;
  readonly method: string;
  readonly params?: readonly unknown[];
}

/** A transaction that its sender does not send again is sent again by the node this often. */
const retryMs = 2_000;

/** One RPC node of a simulated cluster. */
export class SimulatedNode {
  readonly url: string;
  faults: NodeFaults;
  /** Refuses connections. */
  isDown = false;
  /** Has the chain, and lists none of its transactions, like a node that was newly set up. */
  listsNothing = false;
  /** How many slots behind the machine is that answers a method; by chance, as far as the faults say, if not set. */
  slotsBehind: ((method: string) => number) | null = null;
  /** How many faults of each kind have happened. */
  readonly happened = new Map<(typeof countedFaults)[number], number>();
  readonly #cluster: SimulatedCluster;
  readonly #clock: NodeOptions['clock'];
  readonly #random: () => number;
  readonly #answers = new Map<string, object>();
  readonly #accepted = new Set<string>();

  constructor(
    cluster: SimulatedCluster,
    { url, clock, random = () => 1, faults = noNodeFaults }: NodeOptions,
  ) {
    this.#cluster = cluster;
    this.url = url;
    this.#clock = clock;
    this.#random = random;
    this.faults = faults;
  }

  /** Answers like an RPC over HTTP (`SendToRpc`). */
  async send(body: string, signal: AbortSignal): Promise<unknown> {
    signal.throwIfAborted();
    if (this.isDown || this.#happens('lostRequests')) throw this.#broken();
    const [wayThere, wayBack] = [this.#delay(), this.#delay()];
    await this.#pass(wayThere, signal);
    if (this.isDown) throw this.#broken();
    const { id, method, params = [] } = JSON.parse(body) as Request;
    if (this.#happens('silent')) await new Promise<never>((_, reject) => onAbort(signal, reject));
    const answer = this.#answerTo(method, params);
    await this.#pass(wayBack, signal);
    if (this.isDown || this.#happens('lostAnswers')) throw this.#broken();
    return { jsonrpc: '2.0', id, ...answer };
  }

  /** What the node says to a request, with the faults that are about its content. */
  answer(method: string, params: readonly unknown[]): object {
    const { lagSlotsMax } = this.faults;
    const lag = Math.min(Math.floor(this.#random() * (lagSlotsMax + 1)), lagSlotsMax);
    const view = this.#cluster.view(this.slotsBehind?.(method) ?? lag);
    const run = methods.get(method);
    try {
      if (!run) throw new RpcError(-32601, 'Method not found');
      const result = run(this.#asked(view), params);
      if (this.listsNothing && method === 'getSignaturesForAddress') return { result: [] };
      return { result: method === 'getSignatureStatuses' ? this.#falsified(result, params, view) : result };
    } catch (error) {
      if (!(error instanceof RpcError)) throw error;
      const { code, message, data } = error;
      return { error: { code, message, ...(data === undefined ? {} : { data }) } };
    }
  }

  #answerTo(method: string, params: readonly unknown[]): object {
    const key = JSON.stringify([method, params]);
    const isRepeated = this.#happens('repeated');
    const earlier = this.#answers.get(key);
    if (isRepeated && earlier && method !== 'sendTransaction') return earlier;
    const answer = this.answer(method, params);
    if (isRepeated && method === 'sendTransaction') this.answer(method, params);
    if (this.faults.repeated > 0) this.#answers.set(key, answer);
    return answer;
  }

  #asked(view: View): Asked {
    return {
      view,
      hasValidSignatures: (transaction) => this.#cluster.hasValidSignatures(transaction),
      submit: (transaction, wireBase64, maxRetries = Number.POSITIVE_INFINITY) => {
        this.#accepted.add(transaction.signature);
        this.#submit(transaction, wireBase64, maxRetries);
      },
    };
  }

  #submit(transaction: DecodedTransaction, wireBase64: string, retriesLeft: number): void {
    if (!this.#happens('dropped')) this.#cluster.submit(transaction, wireBase64);
    if (retriesLeft === 0) return;
    this.#clock.after(retryMs, () => {
      const view = this.#cluster.view();
      // It is in a block, or can no longer get into one.
      if (view.rejectionAt(view.bank('processed'), transaction)) return;
      this.#submit(transaction, wireBase64, retriesLeft - 1);
    });
  }

  /** Lies about statuses that are not final. */
  #falsified(result: unknown, [signatures]: readonly unknown[], view: View): unknown {
    const { context, value } = result as {
      context: unknown;
      value: ({ confirmationStatus: string } | null)[];
    };
    const said = value.map((status, index) => {
      if (status) return status.confirmationStatus !== 'finalized' && this.#happens('denied') ? null : status;
      const signature = (signatures as string[])[index] ?? '';
      const isIncluded = this.#cluster.blocks.withSignature(signature).some((block) => view.sees(block));
      if (isIncluded || !this.#accepted.has(signature) || !this.#happens('invented')) return null;
      const { slot } = view.bank('confirmed');
      return { slot, confirmations: 1, err: null, status: { Ok: null }, confirmationStatus: 'confirmed' };
    });
    return { context, value: said };
  }

  #happens(fault: (typeof countedFaults)[number]): boolean {
    const does = this.#random() < this.faults[fault];
    if (does) this.happened.set(fault, (this.happened.get(fault) ?? 0) + 1);
    return does;
  }

  #delay(): number {
    return Math.floor(this.#random() * this.faults.delayMaxMs);
  }

  async #pass(ms: number, signal: AbortSignal): Promise<void> {
    if (ms === 0) return;
    await new Promise<void>((resolve, reject) => {
      onAbort(signal, reject);
      this.#clock.after(ms, resolve);
    });
  }

  #broken(): HttpRequestError {
    return new HttpRequestError({ url: this.url, details: 'the connection broke' });
  }
}

function onAbort(signal: AbortSignal, reject: (reason: unknown) => void): void {
  signal.addEventListener('abort', () => reject(signal.reason), { once: true });
}
