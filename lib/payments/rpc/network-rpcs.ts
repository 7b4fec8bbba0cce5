import { isEvmOffer, type Offer } from '@/lib/payments/network-offers';
import { afterReading, inTime } from '@/lib/platform/concurrency/in-time';
import { type RpcEndpoint, RpcNode, type RpcPlatform, RpcSilent } from './rpc-node';
import { postJson, type SendToRpc } from './send-to-rpc';

/** How to ask any one of the RPCs. */
interface RpcQuery {
  /** Whether an error is an answer that every other RPC would give as well. */
  isFinal(error: unknown): boolean;
  /** Which of two errors says more, once nobody has answered. */
  isBetter?(error: unknown): boolean;
  /** Whether all are asked once more after this error, because it may be over in a moment. */
  isRepeated(error: unknown): boolean;
  /** How long the caller waits for all of them together. */
  limitMs: number;
}

/** The RPCs of one network, in the order of the setting. Everything that asks them shares them, so that it shares what is known. */
export class RpcNodes {
  readonly #app: RpcPlatform;
  readonly #offer: Offer;
  readonly all: readonly RpcNode[];
  #onUsabilityChange = () => {};
  #isUsable = true;

  /** @param send how requests reach the RPCs */
  constructor(app: RpcPlatform, offer: Offer, send: SendToRpc = postJson) {
    this.#app = app;
    this.#offer = offer;
    const nodes: RpcNode[] = [];
    for (const [index, url] of offer.rpcUrls.entries()) {
      const endpoint: RpcEndpoint = {
        network: offer.network.name,
        number: index + 1,
        url,
        pingMethod: isEvmOffer(offer) ? 'eth_chainId' : 'getGenesisHash',
        hasAlternative: () => nodes.some((other) => other !== node && other.fault === null),
        onChange: () => this.#noteChange(),
      };
      const node = new RpcNode(app, endpoint, send);
      nodes.push(node);
    }
    this.all = nodes;
  }

  /** Calls `run` whenever the last RPC begins to hang, and when the first of them no longer does. */
  onUsabilityChange(run: () => void): void {
    this.#onUsabilityChange = run;
  }

  #noteChange(): void {
    const isUsable = this.all.some(({ fault }) => fault !== 'hanging');
    if (isUsable === this.#isUsable) return;
    this.#isUsable = isUsable;
    this.#onUsabilityChange();
  }

  /**
   * Asks the first RPC that works. If it fails, or is slow, the next one is asked as well, and the first answer counts. One
   * that hangs is not asked; one that fails is asked after all others.
   * @throws when no RPC answers
   */
  async any<T>(ask: (node: RpcNode) => Promise<T>, query: RpcQuery): Promise<T> {
    const { clock, timings } = this.#app;
    const startedAt = clock.monotonic();
    try {
      return await this.#race(ask, query);
    } catch (error) {
      const wasQuick = clock.monotonic() - startedAt < timings.rpc.slowMs;
      if (!wasQuick || error instanceof RpcSilent || !query.isRepeated(error)) throw error;
      await clock.sleep(timings.rpc.againMs);
      return this.#race(ask, query);
    }
  }

  /** The RPCs that may answer, the most promising first. If there is none, one that is being probed has a moment to answer. */
  async #usable(): Promise<RpcNode[]> {
    const { clock, timings } = this.#app;
    const probes = this.all.flatMap((node) => node.probeIfDue() ?? []);
    const usable = this.#inOrder();
    if (usable.length > 0 || probes.length === 0) return usable;
    await inTime(clock, Promise.race(probes), timings.rpc.slowMs, undefined);
    return this.#inOrder();
  }

  #inOrder(): RpcNode[] {
    const rank = (node: RpcNode) => (node.fault === 'failing' ? 2 : node.isOverdue ? 1 : 0);
    return this.all.filter(({ fault }) => fault !== 'hanging').sort((one, other) => rank(one) - rank(other));
  }

  async #race<T>(ask: (node: RpcNode) => Promise<T>, { isFinal, isBetter, limitMs }: RpcQuery): Promise<T> {
    const { clock, timings } = this.#app;
    const silent = () => new RpcSilent(`no RPC of ${this.#offer.network.name} answers`);
    const left = await this.#usable();
    if (left.length === 0) throw silent();
    return new Promise((resolve, reject) => {
      let failure: { readonly error: unknown } | null = null;
      let running = 0;
      let isOver = false;
      let cancelNext = () => {};
      const cancelLimit = afterReading(clock, limitMs, () =>
        end(() => reject(failure ? failure.error : silent())),
      );
      const end = (settle: () => void) => {
        if (isOver) return;
        isOver = true;
        cancelNext();
        cancelLimit();
        settle();
      };
      const askNext = () => {
        cancelNext();
        const node = left.shift();
        if (isOver || (!node && running > 0)) return;
        if (!node) return end(() => reject(failure?.error));
        running += 1;
        if (left.length > 0) cancelNext = clock.after(timings.rpc.slowMs, askNext);
        ask(node).then(
          (answer) => end(() => resolve(answer)),
          (error: unknown) => {
            running -= 1;
            if (isFinal(error)) return end(() => reject(error));
            if (!failure || isBetter?.(error)) failure = { error };
            askNext();
          },
        );
      };
      askNext();
    });
  }
}
