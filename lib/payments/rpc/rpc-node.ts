import { BaseError } from 'viem';
import { z } from 'zod';
import type { NetworkName } from '@/lib/payments/network-offers';
import { CircuitBreaker } from '@/lib/platform/concurrency/circuit-breaker';
import { afterReading, inTime } from '@/lib/platform/concurrency/in-time';
import { describeError } from '@/lib/platform/log';
import type { Platform } from '@/lib/platform/platform';
import type { SendToRpc } from './send-to-rpc';

/** The parts of the platform that the RPCs of a network need. */
export type RpcPlatform = Pick<Platform, 'clock' | 'timings' | 'metrics' | 'problems'>;

/** Why an RPC is not used like the others: it does not answer, or it answers at once that it cannot. */
type RpcFault = 'hanging' | 'failing';

/** One HTTP request to an RPC. */
export interface Exchange {
  /** JSON-RPC, as text. */
  readonly body: string;
  /** When an answer is no longer waited for, although the RPC answers other requests. */
  readonly limitMs: number;
  /** Whether it may be sent again at any time, to find out whether the RPC answers it by then. Not so for broadcasts. */
  readonly mayRepeat: boolean;
}

/** Which RPC it is, as logs and metrics name it: URLs may contain keys. */
export interface RpcEndpoint {
  readonly network: NetworkName;
  /** The position in the setting, from 1. */
  readonly number: number;
  readonly url: string;
  /** A cheap method that every node of the network has. */
  readonly pingMethod: string;
  /** Whether another RPC of the network is in order. */
  readonly hasAlternative: () => boolean;
  readonly onChange: () => void;
}

/** What happens when an answer is slow to come. */
interface Doubts {
  /** Whether the RPC is then asked for something that every node answers at once. */
  readonly isPinged?: boolean;
  /** How to find out later whether it is in order again. */
  readonly probe?: () => Promise<unknown>;
}

/** The RPC did not answer in time, or is known not to answer at the moment. */
export class RpcSilent extends BaseError {
  constructor(message: string) {
    super(message, { name: 'RpcSilent' });
  }
}

const pingAnswer = z.object({
  result: z.unknown().refine((result) => result !== undefined && result !== null),
});

/**
 * One RPC of a network, with its circuit breaker (docs/decisions/nodes.md). It counts as hanging when it has answered
 * nothing for a while, not even a ping, or when it does not answer one request and others can be asked instead. An RPC that is
 * only slow with one request is not alone to blame, so a network's only RPC then stays in use.
 */
export class RpcNode {
  readonly #app: RpcPlatform;
  readonly #endpoint: RpcEndpoint;
  readonly #send: SendToRpc;
  readonly #breaker: CircuitBreaker<RpcFault>;
  /** When the requests without an answer were sent. */
  readonly #unanswered = new Set<{ readonly at: number }>();
  /** Those who wait for an answer, and for nothing else, are told when there will be none. */
  readonly #onHanging = new Set<() => void>();
  #answeredAt = Number.NEGATIVE_INFINITY;
  #pinging: Promise<unknown> | null = null;
  #error: unknown = null;

  constructor(app: RpcPlatform, endpoint: RpcEndpoint, send: SendToRpc) {
    this.#app = app;
    this.#endpoint = endpoint;
    this.#send = send;
    const { probeFirstMs: firstMs, probeMaxMs: maxMs, steadyMs } = app.timings.rpc;
    this.#breaker = new CircuitBreaker(app.clock, { firstMs, maxMs, steadyMs }, (fault) => this.#show(fault));
    app.metrics.rpcUsable.set(this.#labels, 1);
  }

  get url(): string {
    return this.#endpoint.url;
  }

  /** Null while it is in order. */
  get fault(): RpcFault | null {
    return this.#breaker.cause;
  }

  /** Whether it has answered nothing since a request was sent that is due by now. */
  get isOverdue(): boolean {
    const due = this.#app.clock.monotonic() - this.#app.timings.rpc.slowMs;
    return [...this.#unanswered].some(({ at }) => at <= due && !this.#hasAnsweredSince(at));
  }

  /**
   * Finds out in the background whether an RPC in trouble is in order again, if that is due.
   * @returns when that is known; null when it is not being found out
   */
  probeIfDue(): Promise<void> | null {
    return this.#breaker.probeIfDue();
  }

  /**
   * Sends a request and reads the answer, which may be a JSON-RPC error.
   * @returns the parsed response; rejects when there is none in time
   */
  ask({ body, limitMs, mayRepeat }: Exchange): Promise<unknown> {
    return this.#exchange(body, limitMs, {
      isPinged: true,
      probe: mayRepeat ? () => this.#exchange(body, limitMs) : () => this.#ping(),
    });
  }

  /**
   * Sends a request whose answer may wait for a block, so that how long it takes says nothing about the RPC.
   * @returns the parsed response
   * @throws RpcSilent when there is none within the limit
   */
  async askPatiently(body: string, limitMs: number): Promise<unknown> {
    const abort = new AbortController();
    const cancel = this.#app.clock.after(limitMs, () => abort.abort(this.#silent()));
    try {
      return await this.#send(this.#endpoint.url, body, abort.signal);
    } finally {
      cancel();
    }
  }

  /**
   * Asks as one of several RPCs that are compared. An RPC in trouble is asked too, and has a moment to answer: it is left out
   * only while it does not answer. If a request has been waiting for longer than that moment already, nothing is asked.
   * @throws RpcSilent
   */
  witness<T>(ask: () => Promise<T>): Promise<T> {
    this.probeIfDue();
    const isFaulty = this.fault !== null;
    if (isFaulty && this.isOverdue) return Promise.reject(this.#silent());
    return new Promise<T>((resolve, reject) => {
      const giveUp = () => reject(this.#silent());
      this.#onHanging.add(giveUp);
      const { clock, timings } = this.#app;
      const cancel = isFaulty ? afterReading(clock, timings.rpc.slowMs, giveUp) : () => {};
      ask()
        .then(resolve, reject)
        .finally(() => {
          cancel();
          this.#onHanging.delete(giveUp);
        });
    });
  }

  /** Call when it answered with an error that may be about itself rather than the request, such as a rate limit. */
  doubt(): void {
    if (this.fault === null) this.#ping().catch(() => undefined);
  }

  /** Whether it answers a ping soon. */
  async isAlive(): Promise<boolean> {
    const { clock, timings } = this.#app;
    const answered = this.#ping().then(
      () => true,
      () => false,
    );
    return inTime(clock, answered, timings.rpc.slowMs, false);
  }

  get #labels() {
    return { network: this.#endpoint.network, rpc: String(this.#endpoint.number) };
  }

  #hasAnsweredSince(at: number): boolean {
    return this.#answeredAt >= at;
  }

  #silent(): RpcSilent {
    return new RpcSilent(`RPC ${this.#endpoint.number} of ${this.#endpoint.network} does not answer`);
  }

  /** At most one at a time. */
  #ping(): Promise<unknown> {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: this.#endpoint.pingMethod, params: [] });
    this.#pinging ??= this.#exchange(body, this.#app.timings.rpc.answerWithinMs)
      .then((answer) => {
        const { success } = pingAnswer.safeParse(answer);
        if (success) return;
        const error = new Error(`the answer to ${this.#endpoint.pingMethod} is an error`);
        this.#fail('failing', error, () => this.#ping());
        throw error;
      })
      .finally(() => {
        this.#pinging = null;
      });
    return this.#pinging;
  }

  #exchange(
    body: string,
    limitMs: number,
    { isPinged = false, probe = () => this.#ping() }: Doubts = {},
  ): Promise<unknown> {
    const { clock, timings, metrics } = this.#app;
    const { slowMs, aliveWithinMs } = timings.rpc;
    const sent = { at: clock.monotonic() };
    const abort = new AbortController();
    this.#unanswered.add(sent);
    return new Promise((resolve, reject) => {
      const cancelSlow = clock.after(slowMs, () => {
        if (isPinged) this.#ping().catch(() => undefined);
      });
      const end = (result: 'answered' | 'failed') => {
        for (const cancel of [cancelSlow, cancelHanging, cancelLimit]) cancel();
        this.#unanswered.delete(sent);
        metrics.rpcRequests.inc({ ...this.#labels, result });
      };
      const judge = () => {
        if (this.#hasAnsweredSince(isPinged ? sent.at + slowMs : sent.at)) return;
        this.#fail('hanging', this.#silent(), () => this.#ping());
      };
      const cancelHanging = afterReading(clock, aliveWithinMs, judge);
      const late = () => {
        const error = this.#silent();
        if (!this.#hasAnsweredSince(sent.at) || this.#endpoint.hasAlternative())
          this.#fail('hanging', error, probe);
        abort.abort(error);
      };
      const cancelLimit = afterReading(clock, limitMs, late);
      this.#send(this.#endpoint.url, body, abort.signal).then(
        (answer) => {
          end('answered');
          this.#answeredAt = clock.monotonic();
          if (this.fault === 'hanging') this.#breaker.expectEnd();
          resolve(answer);
        },
        (error: unknown) => {
          end('failed');
          if (!abort.signal.aborted) this.#fail('failing', error, () => this.#ping());
          reject(error);
        },
      );
    });
  }

  #fail(fault: RpcFault, error: unknown, probe: () => Promise<unknown>): void {
    this.#error = error;
    this.#breaker.open(fault, probe);
    if (fault === 'hanging') for (const giveUp of [...this.#onHanging]) giveUp();
  }

  #show(fault: RpcFault | null): void {
    const { network, number, onChange } = this.#endpoint;
    this.#app.metrics.rpcUsable.set(this.#labels, fault === null ? 1 : 0);
    const problem = this.#app.problems.get(`RPC ${number} of ${network}`);
    const about = { network, rpc: number };
    if (fault === null) problem.end(about);
    else
      problem.report('warn', { ...about, fault, error: describeError(this.#error) }, 'an RPC does not work');
    onChange();
  }
}
