import { RateLimiterMemory } from 'rate-limiter-flexible';
import { clientNetwork } from '@/lib/platform/addresses/client-network';
import type { Requester } from '@/lib/platform/threads';
import type { FreeAdmission } from './free-admission';
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

/**
 * The place of one request with a credential among all requests. Requests of payers go first. The credential decides,
 * once it has been read: anybody can send a header.
 */
export class SignedWork {
  readonly #history: RefusalHistory | null;
  readonly #throttle: Pick<Throttle, 'beginPaying' | 'paying'>;
  readonly #admission: FreeAdmission;
  #requester: Requester | null = null;
  #endPaying: () => void = () => undefined;

  /**
   * @param history null when refused requests never slow down later ones
   * @param admission its turn if it does not pay
   */
  constructor(
    history: RefusalHistory | null,
    throttle: Pick<Throttle, 'beginPaying' | 'paying'>,
    admission: FreeAdmission,
  ) {
    this.#history = history;
    this.#throttle = throttle;
    this.#admission = admission;
  }

  /**
   * Before a credential is looked up in the database: waits in the queue of free calls at an address that has sent many
   * wrong ones. It is never refused for that.
   * @throws ApiError service_unavailable (503) when the queue is full
   */
  async beginLookUp(address: string): Promise<void> {
    if (await this.#history?.isDoubtfulAddress(address)) await this.#admission.wait();
  }

  /**
   * The request of a payer. Goes first, unless the payer, or its address, has had many requests refused: then it waits in
   * the queue of free calls.
   * @throws ApiError service_unavailable (503) when the queue is full
   */
  async begin(requester: Requester): Promise<void> {
    this.#requester = requester;
    if (await this.#history?.isDoubtful(requester)) await this.#admission.wait(requester.owner ?? '');
    else this.#endPaying = this.#throttle.beginPaying();
  }

  /**
   * A request that a wallet has signed in for instead of paying: a free call.
   * @param bytes the announced size of its body
   * @throws ApiError rate_limited (429), service_unavailable (503)
   */
  async beginSignedIn(bytes: number): Promise<void> {
    await this.#admission.take(bytes);
  }

  /**
   * A request whose credential pays for nothing: a free call, and a refusal at its address.
   * @param bytes the announced size of its body
   * @throws ApiError rate_limited (429), service_unavailable (503)
   */
  async beginUnpaid(address: string, bytes: number): Promise<void> {
    await this.#history?.noteUnusable(address);
    await this.#admission.take(bytes);
  }

  /** Whether no other request of a payer is being answered. */
  get paysAlone(): boolean {
    return this.#throttle.paying <= 1;
  }

  /** Call when the request has its response. */
  async end(status: number): Promise<void> {
    this.#endPaying();
    this.#admission.end();
    if (this.#requester) await this.#history?.note(this.#requester, status);
  }
}
