import type { NetworkRegistry } from '@/lib/payments/network-registry';
import type { ChannelTerms } from './channel-terms';

/** Whether payment channels are offered now. Like networks, they are not before their first check. */
export class OfferedChannels {
  readonly #networks: NetworkRegistry;
  #problems: readonly string[] = ['not checked yet'];

  constructor(
    networks: NetworkRegistry,
    /** The terms, whether or not they are offered now: earlier payments are still recognized. Null while channels are off. */
    readonly configured: ChannelTerms | null,
  ) {
    this.#networks = networks;
  }

  /** The terms that are offered; null while they cannot be, such as when their network is not. */
  terms(): ChannelTerms | null {
    const terms = this.configured;
    const isOpen = this.#problems.length === 0 && terms !== null && !terms.isClosing;
    return isOpen && this.#networks.isOffered(terms.offer.network.name) ? terms : null;
  }

  /**
   * Records the outcome of a check of the contract; an empty list offers the channels.
   * @returns whether it differs from the last one
   */
  report(problems: readonly string[]): boolean {
    const isNews = problems.join() !== this.#problems.join();
    const wasOffered = this.terms() !== null;
    this.#problems = problems;
    if ((this.terms() !== null) !== wasOffered) this.#networks.renewChallenges();
    return isNews;
  }
}
