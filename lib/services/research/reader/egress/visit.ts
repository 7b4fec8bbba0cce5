import type { Duplex } from 'node:stream';
import type { Target } from '@/lib/platform/addresses/target';
import { randomToken } from '@/lib/platform/ids';
import { isSameSecret } from '@/lib/platform/same-secret';
import type { NoConnection } from './dial';

/** The network limits of reading one page. */
export interface VisitLimits {
  /** Both directions, everything that the page loads. */
  readonly bytesMax: number;
  readonly connectionBytesMax: number;
  readonly connectionsMax: number;
}

/** Why a visit was cut off. */
export type CutOff = 'too_many_bytes' | 'too_many_connections';

/** The proxy session of reading one page: authenticated, counted, and ended as a whole. */
export class Visit {
  readonly username = randomToken(16);
  readonly password = randomToken(32);
  readonly #limits: VisitLimits;
  readonly #streams = new Set<Duplex>();
  readonly #failures = new Map<string, NoConnection>();
  #connections = 0;
  #bytes = 0;
  #cutOff: CutOff | null = null;
  #isOver = false;

  constructor(limits: VisitLimits) {
    this.#limits = limits;
  }

  get cutOff(): CutOff | null {
    return this.#cutOff;
  }

  authenticates(password: string): boolean {
    return isSameSecret(password, this.password);
  }

  /** Why a connection to this target failed; undefined when it did not fail, or was not tried. */
  failureOf(target: Target): NoConnection | undefined {
    return this.#failures.get(nameOf(target));
  }

  /** Records a refused or failed connection. */
  fail(target: Target, why: NoConnection): void {
    if (this.#failures.size < this.#limits.connectionsMax) this.#failures.set(nameOf(target), why);
  }

  /** Counts a connection. @returns false when it is over the limit */
  begin(): boolean {
    this.#connections += 1;
    if (this.#connections > this.#limits.connectionsMax) this.#cut('too_many_connections');
    return !this.#isOver;
  }

  /** Ties a stream to the visit, so that the stream ends with the visit. */
  hold(stream: Duplex): void {
    if (this.#isOver) stream.destroy();
    this.#streams.add(stream);
    stream.once('close', () => this.#streams.delete(stream));
  }

  /** Returns a function that counts the bytes of one connection. */
  meter(): (bytes: number) => void {
    let passed = 0;
    return (bytes) => {
      passed += bytes;
      this.#bytes += bytes;
      const { bytesMax, connectionBytesMax } = this.#limits;
      if (passed > connectionBytesMax || this.#bytes > bytesMax) this.#cut('too_many_bytes');
    };
  }

  /** Ends all connections, and allows no more. */
  end(): void {
    this.#isOver = true;
    for (const stream of this.#streams) stream.destroy();
  }

  #cut(why: CutOff): void {
    this.#cutOff ??= why;
    this.end();
  }
}

const nameOf = ({ host, port }: Target) => `${host} ${port}`;
