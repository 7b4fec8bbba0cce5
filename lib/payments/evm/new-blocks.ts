import WebSocket from 'ws';
import { z } from 'zod';
import { backoffMs } from '@/lib/platform/backoff';
import { parseJson } from '@/lib/platform/json';
import type { OngoingProblem } from '@/lib/platform/ongoing-problem';
import type { ChainPlatform } from '@/lib/platform/platform';

const connectTimeoutMs = 10_000;
const messageBytesMax = 1024 * 1024;
const subscribe = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_subscribe', params: ['newHeads'] });

const messageSchema = z.object({
  id: z.number().nullish(),
  error: z.object({ message: z.string() }).nullish(),
  method: z.string().optional(),
});

/**
 * Announces a chain's new blocks, received over a WebSocket, so that receipts are requested as soon as they can exist. The
 * socket is opened when someone waits, and closed when nobody has waited for a while. Without a socket, nothing is announced,
 * and all callers poll.
 */
export class NewBlocks {
  readonly #app: ChainPlatform;
  readonly #url: string;
  readonly #deaf: OngoingProblem;
  readonly #network: { readonly network: string };
  readonly #waiting = new Set<(isNew: boolean) => void>();
  #socket: WebSocket | null = null;
  /** When the last message arrived from the node; null while there is no subscription. */
  #heardAt: number | null = null;
  #told = 0;
  #connectedAt = 0;
  #usedAt = 0;
  #retryAt = 0;
  /** How often in a row the socket closed without a subscription. */
  #failures = 0;

  constructor(app: ChainPlatform, network: string, url: string) {
    this.#app = app;
    this.#url = url;
    this.#network = { network };
    this.#deaf = app.problems.get(`new blocks of ${network}`);
  }

  /** Whether new blocks are being announced at the moment. */
  get isHeard(): boolean {
    return this.#heardAt !== null;
  }

  /** How many blocks have been announced so far. */
  get told(): number {
    return this.#told;
  }

  /**
   * Waits for the next block, but no longer than `ms`.
   * @param told how many had been announced when the caller last looked; any later one counts as new
   * @returns whether there is a new block
   */
  async next(ms: number, told: number): Promise<boolean> {
    this.#listen();
    if (told < this.#told) return true;
    return new Promise((resolve) => {
      const end = (isNew: boolean) => {
        cancel();
        this.#waiting.delete(end);
        resolve(isNew);
      };
      const cancel = this.#app.clock.after(ms, () => end(false));
      this.#waiting.add(end);
    });
  }

  /** Opens the socket, unless it is open or has just failed. */
  #listen(): void {
    const now = this.#app.clock.monotonic();
    this.#usedAt = now;
    // A connection may be dead without having been closed.
    const silentMs = now - (this.#heardAt ?? this.#connectedAt);
    if (silentMs > this.#app.timings.evm.subscriptionSilentMs) this.#socket?.terminate();
    if (this.#socket === null && now >= this.#retryAt) this.#connect();
  }

  #connect(): void {
    const socket = new WebSocket(this.#url, {
      handshakeTimeout: connectTimeoutMs,
      maxPayload: messageBytesMax,
      perMessageDeflate: false,
    });
    this.#socket = socket;
    this.#connectedAt = this.#app.clock.monotonic();
    let reason = 'the connection was closed';
    socket.on('upgrade', ({ socket: connection }) => connection.unref());
    socket.on('open', () => socket.send(subscribe));
    socket.on('message', (data) => {
      if (this.#socket !== socket) return;
      const refusal = this.#hear(String(data));
      if (refusal === null) return;
      reason = refusal;
      socket.terminate();
    });
    socket.on('error', ({ message }) => {
      reason = message;
    });
    socket.on('close', () => {
      if (this.#socket !== socket) return;
      this.#forget();
      this.#deaf.report(
        'warn',
        { ...this.#network, reason },
        'new blocks are not announced; polling for receipts',
      );
      const { subscribeFirstMs: firstMs, subscribeMaxMs: maxMs } = this.#app.timings.evm;
      this.#retryAt = this.#app.clock.monotonic() + backoffMs({ firstMs, maxMs }, this.#failures);
      this.#failures += 1;
    });
  }

  /** @returns why the node does not announce new blocks; null when it does */
  #hear(message: string): string | null {
    const parsed = messageSchema.safeParse(parseJson(message));
    if (!parsed.success) return 'the node sent something else than JSON-RPC';
    const { id, error, method } = parsed.data;
    if (error) return error.message;
    this.#heardAt = this.#app.clock.monotonic();
    if (id === 1) {
      this.#deaf.end(this.#network);
      this.#failures = 0;
    }
    if (method === 'eth_subscription') {
      this.#told += 1;
      for (const end of [...this.#waiting]) end(true);
    }
    if (this.#isIdle) {
      this.#socket?.close();
      this.#forget();
    }
    return null;
  }

  #forget(): void {
    this.#socket = null;
    this.#heardAt = null;
  }

  get #isIdle(): boolean {
    const { clock, timings } = this.#app;
    return this.#waiting.size === 0 && clock.monotonic() - this.#usedAt > timings.evm.subscriptionIdleMs;
  }
}
