import { type Answer, ask, at, persist, type SignedRequest } from '../rig/requests';

/** One sending of a request and what came of it; without an answer it may have happened or not. */
export interface Attempt {
  readonly sentAt: Date;
  /** When the answer had come, or its connection ended. The server may work on after an end without an answer. */
  readonly endedAt: Date;
  readonly answer: Answer | null;
}

/** Something that a client wanted once, with every request that it sent for it. */
export interface Purchase {
  readonly request: SignedRequest;
  readonly attempts: readonly Attempt[];
}

/** What clients asked and what they were told: every call, answered or not. */
export class History {
  readonly #purchases = new Map<SignedRequest, Attempt[]>();

  get purchases(): Purchase[] {
    return [...this.#purchases].map(([request, attempts]) => ({ request, attempts }));
  }

  /** Sends a request once, to another server of the service when one is named, and writes down how that ended. */
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
   * What a conforming client does: the identical request until there is an end to it.
   * @param server where each sending goes; to where the request was signed for unless given
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
