import { type Answer, ask, at, persist, type SignedRequest } from '../rig/requests';

/** One attempt to send a request, and its result. Without an answer, the call may or may not have happened. */
export interface Attempt {
  readonly sentAt: Date;
  /** When the answer arrived or the connection ended. If it ended without an answer, the server may continue to work. */
  readonly endedAt: Date;
  readonly answer: Answer | null;
}

/** Something that a client wanted once, with every attempt to get it. */
export interface Purchase {
  readonly request: SignedRequest;
  readonly attempts: readonly Attempt[];
}

/** What clients requested and what they were told: every call, answered or not. */
export class History {
  readonly #purchases = new Map<SignedRequest, Attempt[]>();

  get purchases(): Purchase[] {
    return [...this.#purchases].map(([request, attempts]) => ({ request, attempts }));
  }

  /** Sends a request once, to another server of the service if one is given, and records the result. */
  async ask(request: SignedRequest, signal?: AbortSignal, server?: string): Promise<Answer> {
    const attempts = this.#purchases.get(request) ?? [];
    this.#purchases.set(request, attempts);
    const sentAt = new Date();
    try {
      const answer = await ask(server ? at(server, request) : request, signal);
      attempts.push({ sentAt, endedAt: new Date(), answer });
      return answer;
    } catch (error) {
      attempts.push({ sentAt, endedAt: new Date(), answer: null });
      throw error;
    }
  }

  /**
   * Sends the identical request until the answer is final, as a conforming client does.
   * @param server where each attempt is sent; by default to the server that the request was signed for
   */
  persist(
    request: SignedRequest,
    timeoutMs?: number,
    patienceMs?: () => number,
    server?: () => string,
    pauseMs?: number,
  ): Promise<Answer> {
    const once = (same: SignedRequest, signal: AbortSignal) => this.ask(same, signal, server?.());
    return persist(request, timeoutMs, once, patienceMs, pauseMs);
  }
}
