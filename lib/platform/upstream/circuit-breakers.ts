import net from 'node:net';
import tls from 'node:tls';
import { ApiError } from '@/lib/catalog/errors/api-error';
import type { ProviderName } from '@/lib/catalog/providers';
import { backoffMs } from '@/lib/platform/backoff';
import type { Platform } from '@/lib/platform/platform';
import { breakerOpen, type FailureKind, UpstreamFailure } from './failure';
import { findProvider } from './providers';

/** An app that calls providers. */
export interface WithUpstream {
  readonly circuitBreakers: CircuitBreakers;
}

/** What is called: an operation of ours, and the provider that carries it out. */
export interface Target {
  readonly provider: ProviderName;
  readonly operation: string;
}

/** One more call may be made, to find out whether the provider works again. */
const busyRetrySeconds = 5;

/** So many answers of an operation show whether its provider rejects most calls. */
const answersMax = 20;

/**
 * A circuit breaker. While it is open, nothing is called. After that it is half open: one call at a time is made, and
 * its result closes the breaker, or opens it again for longer.
 */
class Breaker {
  readonly #clock: Pick<Platform['clock'], 'monotonic'>;
  #openUntil: number | null = null;
  /** How often it opened without a success in between. */
  openings = 0;
  /** Failures without a success in between. */
  failures = 0;
  isTried = false;
  /** The latest answers, and whether each was a rejection. */
  answers: readonly boolean[] = [];

  constructor(clock: Pick<Platform['clock'], 'monotonic'>) {
    this.#clock = clock;
  }

  /** Null while it is closed; 0 while it is half open. */
  get leftMs(): number | null {
    return this.#openUntil === null ? null : Math.max(0, this.#openUntil - this.#clock.monotonic());
  }

  get isHalfOpen(): boolean {
    return this.leftMs === 0;
  }

  /** Opens it, or keeps it open. Calls that were under way when it opened do not count as further openings. */
  open(ms: number): void {
    if (!this.leftMs) this.openings += 1;
    this.#openUntil = this.#clock.monotonic() + ms;
  }

  close(): void {
    this.openings = 0;
    this.failures = 0;
    this.#openUntil = null;
  }
}

/**
 * Circuit breakers, so that nobody pays for a call that would fail. A provider has one for what concerns all calls to
 * it: no connection, our account, its rate limit. Each operation has one of its own, for what may concern this
 * operation alone: outages, our plan, requests that the provider no longer takes.
 */
export class CircuitBreakers {
  readonly #app: Pick<Platform, 'settings' | 'clock' | 'timings'>;
  readonly #breakers = new Map<string, Breaker>();
  /** When each provider last sent a response or took a connection. */
  readonly #contactAt = new Map<ProviderName, number>();
  readonly #connecting = new Map<ProviderName, Promise<void>>();

  constructor(app: Pick<Platform, 'settings' | 'clock' | 'timings'>) {
    this.#app = app;
  }

  /**
   * Makes a call unless a breaker is open, and learns from its result.
   * @throws UpstreamFailure of kind `unreachable` without making it while a breaker is open or another call tries it
   */
  async attempt<T>(target: Target, work: () => Promise<T>): Promise<T> {
    const breakers = this.#breakersOf(target);
    const waitSeconds = this.#waitSeconds(breakers);
    if (waitSeconds > 0) throw new UpstreamFailure('unreachable', breakerOpen, { retryAfter: waitSeconds });
    const tried = breakers.filter(({ isHalfOpen }) => isHalfOpen);
    for (const breaker of tried) breaker.isTried = true;
    try {
      const result = await work();
      for (const breaker of breakers) breaker.close();
      this.#noteAnswer(target, false);
      return result;
    } catch (error) {
      if (error instanceof UpstreamFailure) this.#note(target, error, tried);
      if (error instanceof UpstreamFailure && error.kind === 'rejected') this.#noteAnswer(target, true);
      throw error;
    } finally {
      for (const breaker of tried) breaker.isTried = false;
    }
  }

  /**
   * Makes a call that is never charged when it fails, such as a look-up. It counts only what concerns all calls, so
   * that look-ups of things that do not exist refuse nobody's calls.
   */
  async attemptUnpaid<T>(target: Target, work: () => Promise<T>): Promise<T> {
    const [ofProvider] = this.#breakersOf(target);
    try {
      const result = await work();
      ofProvider.close();
      return result;
    } catch (error) {
      if (error instanceof UpstreamFailure && kindsOfAllCalls.includes(error.kind))
        this.#note(target, error, []);
      throw error;
    }
  }

  /**
   * Connects to the provider if nothing is known about it from the last moment, so that a call is not charged for a
   * provider that is not there. Calls at the same time share the connection.
   * @throws UpstreamFailure of kind `unreachable`
   */
  async checkConnection(target: Target): Promise<void> {
    const { provider } = target;
    const { contactAgeMaxMs, connectMs } = this.#app.timings.providers;
    const now = this.#app.clock.monotonic();
    const at = this.#contactAt.get(provider);
    // A half-open breaker is tried with a whole call, which connects too.
    if (provider === 'reader' || this.isHalfOpen(target) || (at !== undefined && now - at < contactAgeMaxMs))
      return;
    const found = findProvider(this.#app, provider);
    if (!found) return;
    const running = this.#connecting.get(provider) ?? connectTo(found.baseUrl, connectMs);
    this.#connecting.set(provider, running);
    try {
      await running;
      this.noteContact(provider);
    } catch (cause) {
      const failure = new UpstreamFailure('unreachable', 'no_connection', { retryAfter: 5, cause });
      this.#note(target, failure, []);
      throw failure;
    } finally {
      this.#connecting.delete(provider);
    }
  }

  /** A provider sent a response, whichever. */
  noteContact(provider: ProviderName): void {
    this.#contactAt.set(provider, this.#app.clock.monotonic());
  }

  /** Whether the next call has to show whether the provider works again. */
  isHalfOpen(target: Target): boolean {
    return this.#breakersOf(target).some(({ isHalfOpen }) => isHalfOpen);
  }

  /** Whether calls of the operation are refused, or would be tried one at a time. */
  isClosed(target: Target): boolean {
    return this.#breakersOf(target).every(({ leftMs }) => leftMs === null);
  }

  /** Whether neither the provider's breaker nor that of any of its operations is open or half open. */
  isProviderClosed(provider: ProviderName): boolean {
    return [...this.#breakers].every(
      ([key, { leftMs }]) => leftMs === null || (key !== provider && !key.startsWith(`${provider} `)),
    );
  }

  /** For how much longer this process does not call a provider at all; 0 when it does. */
  openForMs(provider: ProviderName): number {
    return this.#breakers.get(provider)?.leftMs ?? 0;
  }

  /**
   * Refuses a call before it is charged while a breaker is open, or half open and being tried.
   * @throws ApiError provider_unavailable (503)
   */
  refuseWhileOpen(target: Target): void {
    const retryAfterSeconds = this.#waitSeconds(this.#breakersOf(target));
    if (retryAfterSeconds > 0) throw new ApiError('provider_unavailable', { retryAfterSeconds });
  }

  /**
   * Whether more than half of the operation's latest answers were rejections. It is told once; then as many answers are needed
   * again. Callers make mistakes, but most of them at once means that the requests that we build are wrong.
   */
  rejectsMost(target: Target): boolean {
    const [, ofOperation] = this.#breakersOf(target);
    const { answers } = ofOperation;
    const isMost =
      answers.length === answersMax && answers.filter((isRejection) => isRejection).length > answersMax / 2;
    if (isMost) ofOperation.answers = [];
    return isMost;
  }

  #noteAnswer(target: Target, isRejection: boolean): void {
    const [, ofOperation] = this.#breakersOf(target);
    ofOperation.answers = [...ofOperation.answers, isRejection].slice(-answersMax);
  }

  #waitSeconds(breakers: readonly Breaker[]): number {
    const waits = breakers.map(({ leftMs, isHalfOpen, isTried }) =>
      isHalfOpen && isTried ? busyRetrySeconds : Math.ceil((leftMs ?? 0) / 1_000),
    );
    return Math.max(...waits);
  }

  /** @param tried the breakers that were half open, and that this call decides about */
  #note(target: Target, failure: UpstreamFailure, tried: readonly Breaker[]): void {
    const { kind, isOfRequest, reason } = failure;
    const [ofProvider, ofOperation] = this.#breakersOf(target);
    if (kind === 'rejected') {
      // It answers, and about the input.
      for (const breaker of [ofProvider, ofOperation]) breaker.close();
      return;
    }
    if (isOfRequest || reason === breakerOpen) return;
    const { accountMs, unreachableMs, failuresMax } = this.#app.timings.providers;
    switch (kind) {
      case 'account':
        ofProvider.open(accountMs);
        break;
      case 'limited':
        ofProvider.open(this.#limitedMs(failure));
        break;
      case 'unreachable':
        ofProvider.open(unreachableMs);
        break;
      case 'plan':
      case 'incompatible':
        ofOperation.open(accountMs);
        break;
      case 'failed':
        ofOperation.failures += 1;
        if (ofOperation.failures >= failuresMax && !ofOperation.leftMs)
          ofOperation.open(this.#outageMs(ofOperation));
        break;
    }
    for (const breaker of tried) if (breaker.isHalfOpen) breaker.open(this.#outageMs(breaker));
  }

  #limitedMs({ retryAfter }: UpstreamFailure): number {
    const { limitedMs, limitedMaxMs } = this.#app.timings.providers;
    return Math.min(retryAfter === null ? limitedMs : Math.max(retryAfter, 1) * 1_000, limitedMaxMs);
  }

  /** Twice as long each time, up to a limit. */
  #outageMs({ openings }: Breaker): number {
    const { outageMs, outageMaxMs } = this.#app.timings.providers;
    return backoffMs({ firstMs: outageMs, maxMs: outageMaxMs }, openings);
  }

  #breakersOf({ provider, operation }: Target): readonly [ofProvider: Breaker, ofOperation: Breaker] {
    return [this.#breakerAt(provider), this.#breakerAt(`${provider} ${operation}`)];
  }

  #breakerAt(key: string): Breaker {
    const known = this.#breakers.get(key) ?? new Breaker(this.#app.clock);
    this.#breakers.set(key, known);
    return known;
  }
}

/** What concerns every call to a provider. */
const kindsOfAllCalls: readonly FailureKind[] = ['account', 'limited', 'unreachable'];

/**
 * Connects to the host of a URL, over TLS for `https`, and closes the connection again. Nothing is sent.
 * @throws when there is no connection within the time, or its certificate is not valid
 */
function connectTo(url: string, timeoutMs: number): Promise<void> {
  const { protocol, hostname, port } = new URL(url);
  const isSecure = protocol === 'https:';
  // The host of an IPv6 URL has brackets.
  const host = hostname.replace(/^\[|\]$/g, '');
  const at = { host, port: Number(port) || (isSecure ? 443 : 80) };
  return new Promise((resolve, reject) => {
    const socket = isSecure
      ? tls.connect({ ...at, ...(net.isIP(host) ? {} : { servername: host }) })
      : net.connect(at);
    const late = setTimeout(
      () => socket.destroy(new Error(`no connection within ${timeoutMs} ms`)),
      timeoutMs,
    );
    socket.once(isSecure ? 'secureConnect' : 'connect', () => {
      resolve();
      socket.destroy();
    });
    socket.once('error', reject);
    socket.once('close', () => clearTimeout(late));
  });
}
