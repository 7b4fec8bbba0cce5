import { createHash, timingSafeEqual } from 'node:crypto';
import type { Duplex } from 'node:stream';
import type { Target } from '@/lib/addresses/target';
import { randomToken } from '@/lib/platform/ids';
import type { NoConnection } from './dial';

/** What one reading of one page may use of the network. */
export interface VisitLimits {
  /** Both directions together, everything that the page loads. */
  readonly bytesMax: number;
  readonly connectionBytesMax: number;
  readonly connectionsMax: number;
}

/** Why a visit was cut off from the network. */
export type CutOff = 'too_many_bytes' | 'too_many_connections';

/** One reading of one page, as the proxy sees it: known by its credential, counted, ended as a whole. */
export class Visit {
  readonly username = randomToken(16);
  readonly password = randomToken(32);
  readonly #digest = digest(this.password);
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

  /** Whether a password is this visit's, told in a time that does not depend on it. */
  isOpenedBy(password: string): boolean {
    return timingSafeEqual(this.#digest, digest(password));
  }

  /** Why nothing was connected to at this target; undefined when something was, or nobody asked. */
  failureOf(target: Target): NoConnection | undefined {
    return this.#failures.get(nameOf(target));
  }

  /** Remembers that the page was not let through, or did not get through. */
  fail(target: Target, why: NoConnection): void {
    if (this.#failures.size < this.#limits.connectionsMax) this.#failures.set(nameOf(target), why);
  }

  /** Counts a connection. @returns false when it must not be made any more */
  begin(): boolean {
    this.#connections += 1;
    if (this.#connections > this.#limits.connectionsMax) this.#cut('too_many_connections');
    return !this.#isOver;
  }

  /** Ties a stream to the visit: it ends with it at the latest. */
  hold(stream: Duplex): void {
    if (this.#isOver) stream.destroy();
    this.#streams.add(stream);
    stream.once('close', () => this.#streams.delete(stream));
  }

  /** Counts what passes through one connection; the counter is fed with the size of every chunk. */
  meter(): (bytes: number) => void {
    let passed = 0;
    return (bytes) => {
      passed += bytes;
      this.#bytes += bytes;
      const { bytesMax, connectionBytesMax } = this.#limits;
      if (passed > connectionBytesMax || this.#bytes > bytesMax) this.#cut('too_many_bytes');
    };
  }

  /** Ends every connection; none is made any more. */
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
const digest = (text: string) => createHash('sha256').update(text).digest();
