import { RateLimiterMemory } from 'rate-limiter-flexible';
import { clientNetwork } from '@/lib/platform/addresses/client-network';
import type { Requester } from '@/lib/platform/threads';

/** Anyone can sign requests. After this many refusals a minute, all of a payer's requests queue like free calls. */
const refusalsOfPayerMax = 20;
/** After this many from one address, the same goes for every payer there who has not been served lately. */
const refusalsOfAddressMax = 100;
const refusalSeconds = 60;
const servedSeconds = 600;

/** Which payers' signed requests were served lately, and which were refused. */
export class RefusalHistory {
  readonly #refused = new RateLimiterMemory({ points: 1, duration: refusalSeconds });
  readonly #served = new RateLimiterMemory({ points: 1, duration: servedSeconds });
  readonly #factor: number;

  /** @param factor multiplies the number of refusals that are tolerated */
  constructor(factor: number) {
    this.#factor = factor;
  }

  async isDoubtful(requester: Requester): Promise<boolean> {
    const { address, pair } = keysOf(requester);
    if ((await this.#countOf(this.#refused, pair)) > refusalsOfPayerMax * this.#factor) return true;
    if (!(await this.#isRefusedOften(address))) return false;
    return (await this.#countOf(this.#served, pair)) === 0;
  }

  /** Whether so much from an address was refused that nobody there is believed unseen. */
  isDoubtfulAddress(address: string): Promise<boolean> {
    return this.#isRefusedOften(clientNetwork(address));
  }

  async #isRefusedOften(network: string): Promise<boolean> {
    return (await this.#countOf(this.#refused, network)) > refusalsOfAddressMax * this.#factor;
  }

  async note(requester: Requester, status: number): Promise<void> {
    const { address, pair } = keysOf(requester);
    if (status < 300) await this.#served.penalty(pair);
    else if (status >= 400 && status < 500) {
      // Anybody at the address can name a contract wallet, which must not slow down the wallet's own requests.
      if (requester.isPayerProven !== false) await this.#refused.penalty(pair);
      await this.#refused.penalty(address);
    }
  }

  /** Records a credential that nobody can be charged for: it names no payer. */
  async noteUnusable(address: string): Promise<void> {
    await this.#refused.penalty(clientNetwork(address));
  }

  async #countOf(counts: RateLimiterMemory, key: string): Promise<number> {
    return (await counts.get(key))?.consumedPoints ?? 0;
  }
}

function keysOf({ address, owner }: Requester): { address: string; pair: string } {
  const network = clientNetwork(address);
  return { address: network, pair: `${network} ${owner}` };
}
