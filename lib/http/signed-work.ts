import type { Requester } from '@/lib/platform/threads';
import type { FreeAdmission } from './free-admission';
import type { RefusalHistory } from './refusal-history';
import type { Throttle } from './throttle';

/** What is known of earlier refusals. */
type Refusals = Pick<RefusalHistory, 'isDoubtful' | 'isDoubtfulAddress' | 'note' | 'noteUnusable'>;

/**
 * The place of one request with a credential among all requests. Requests of payers go first. The credential decides,
 * once it has been read: anybody can send a header.
 */
export class SignedWork {
  readonly #history: Refusals | null;
  readonly #throttle: Pick<Throttle, 'beginPaying' | 'paying'>;
  readonly #admission: FreeAdmission;
  #requester: Requester | null = null;
  #endPaying: () => void = () => undefined;

  /**
   * @param history null when refused requests never slow down later ones
   * @param admission its turn if it does not pay
   */
  constructor(
    history: Refusals | null,
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
