import { ApiError, retryAfterSeconds } from '@/lib/catalog/errors/api-error';
import { clientNetwork } from '@/lib/platform/addresses/client-network';
import type { LimitVerdict, RateLimits } from './rate-limit';
import type { Throttle } from './throttle';

interface FreeAdmissionDeps {
  readonly rateLimits: Pick<RateLimits, 'countFreeCall' | 'noteBytes'>;
  readonly throttle: Pick<Throttle, 'admitCall' | 'admitRefusal'>;
}

/** Admission of one request that does not pay. What it waits for begins at most once. */
export class FreeAdmission {
  readonly #app: FreeAdmissionDeps;
  readonly #address: string;
  /** The size that the request was counted with; null until then. */
  #counted: number | null = null;
  #waiting: Promise<boolean> | null = null;
  #end: () => void = () => undefined;
  /** Headers for the response, once the request is counted. */
  headers: LimitVerdict['headers'] = {};

  /** @param address the client's */
  constructor(app: FreeAdmissionDeps, address: string) {
    this.#app = app;
    this.#address = address;
  }

  /**
   * Counts the request as a free call, and waits for its turn after paid ones. Does so only once; if the request turns
   * out to be larger than what was counted, the difference is counted too.
   * @param bytes the size of the request, as far as it is known
   * @throws ApiError rate_limited (429) when the limit of the address is used up; those of `wait`
   */
  async take(bytes: number): Promise<void> {
    const { rateLimits } = this.#app;
    const counted = this.#counted;
    this.#counted = Math.max(bytes, counted ?? 0);
    if (counted !== null) return rateLimits.noteBytes(this.#address, bytes - counted);
    const { headers, refusal } = await rateLimits.countFreeCall(this.#address, bytes);
    this.headers = headers;
    if (refusal) {
      // The next request is read as soon as this one is refused, so refusals too let those who pay go first.
      await this.#app.throttle.admitRefusal();
      throw refusal;
    }
    await this.wait();
  }

  /**
   * Waits for the turn without counting the request.
   * @param payer takes turns with others at the same address
   * @throws ApiError service_unavailable (503) when too many wait
   */
  async wait(payer?: string): Promise<void> {
    this.#waiting ??= this.#begin(payer);
    if (!(await this.#waiting)) throw new ApiError('service_unavailable', { retryAfterSeconds });
  }

  #begin(payer: string | undefined): Promise<boolean> {
    const ended = new Promise<void>((resolve) => {
      this.#end = resolve;
    });
    return this.#app.throttle.admitCall([clientNetwork(this.#address), payer], ended);
  }

  /** Counts a large response, in addition to a request that was counted. */
  async noteResponse(bytes: number): Promise<void> {
    if (this.#counted !== null) await this.#app.rateLimits.noteBytes(this.#address, bytes);
  }

  /** Call when the request has its response: the next one may begin. */
  end(): void {
    this.#end();
  }
}
