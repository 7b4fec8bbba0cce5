import { RateLimiterMemory } from 'rate-limiter-flexible';
import { clientNetwork } from '@/lib/addresses/client-network';
import { ApiError } from '@/lib/errors/api-error';
import type { Requester } from '@/lib/threads';
import type { Throttle } from './throttle';

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
    if ((await this.#countOf(this.#refused, address)) <= refusalsOfAddressMax * this.#factor) return false;
    return (await this.#countOf(this.#served, pair)) === 0;
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

  async #countOf(counts: RateLimiterMemory, key: string): Promise<number> {
    return (await counts.get(key))?.consumedPoints ?? 0;
  }
}

function keysOf({ address, payer }: Requester): { address: string; pair: string } {
  const network = clientNetwork(address);
  return { address: network, pair: `${network} ${payer}` };
}

/** One signed request, from the moment its signer is known. */
export class SignedWork {
  readonly #standings: RefusalHistory | null;
  readonly #throttle: Throttle;
  #requester: Requester | null = null;
  #end: () => void = () => undefined;

  /** @param standings null when refused requests never slow down later ones */
  constructor(standings: RefusalHistory | null, throttle: Throttle) {
    this.#standings = standings;
    this.#throttle = throttle;
  }

  /**
   * Waits in the queue of free calls if the signer, or its address, has had many requests refused.
   * @throws ApiError service_unavailable (503) when the queue is full
   */
  async begin(requester: Requester): Promise<void> {
    this.#requester = requester;
    if (!(await this.#standings?.isDoubtful(requester))) return;
    const ended = new Promise<void>((resolve) => {
      this.#end = resolve;
    });
    const owners = [clientNetwork(requester.address), requester.payer ?? ''];
    if (!(await this.#throttle.callTurn(owners, ended)))
      throw new ApiError('service_unavailable', { retryAfterSeconds: 2 });
  }

  /** Call when the request has its response. */
  async end(status: number): Promise<void> {
    this.#end();
    if (this.#requester) await this.#standings?.note(this.#requester, status);
  }
}
