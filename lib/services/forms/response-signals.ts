import { Client } from 'pg';
import { describeError } from '@/lib/platform/log';
import type { Platform } from '@/lib/platform/platform';

interface ResponseSignalsDeps extends Pick<Platform, 'settings' | 'clock' | 'timings' | 'log'> {}

/** The channel on which the statement in submit.ts notifies about new responses. */
export const responseChannel = 'form_response';

const waitersMax = 1_000;

/** A reader that waits for the next response to a form. */
export interface Waiting {
  /** Resolves after a response, after `ms`, when the client disconnects, or when the process ends. */
  next(ms: number, signal: AbortSignal): Promise<void>;
  stop(): void;
}

/**
 * Notifies waiting readers in this process about new responses from any process. All readers share one listening
 * connection, opened for the first of them. Without it they poll every second.
 */
export class ResponseSignals {
  readonly #app: ResponseSignalsDeps;

  constructor(app: ResponseSignalsDeps) {
    this.#app = app;
  }

  readonly #waking = new Map<string, Set<() => void>>();
  #waiters = 0;
  #client: Client | null = null;
  #isListening = false;
  #isEnded = false;

  /** Starts to listen for a form; null when too many readers wait. */
  async wait(formId: string): Promise<Waiting | null> {
    const waking = this.#waking.get(formId) ?? new Set();
    const { FORM_WAITS_MAX } = this.#app.settings;
    if (this.#isEnded || this.#waiters >= waitersMax || waking.size >= FORM_WAITS_MAX) return null;
    let hasNews = false;
    let wake: (() => void) | null = null;
    const hear = () => {
      hasNews = true;
      wake?.();
    };
    this.#waking.set(formId, waking.add(hear));
    this.#waiters += 1;
    await this.#listen();
    return {
      next: async (ms, signal) => {
        if (!hasNews && !signal.aborted && !this.#isEnded) {
          const { pollMs, pollDeafMs } = this.#app.timings.responses;
          await new Promise<void>((resolve) => {
            const cancel = this.#app.clock.after(
              Math.min(ms, this.#isListening ? pollMs : pollDeafMs),
              resolve,
            );
            wake = () => {
              cancel();
              resolve();
            };
            signal.addEventListener('abort', wake, { once: true });
          });
          if (wake) signal.removeEventListener('abort', wake);
          wake = null;
        }
        hasNews = false;
      },
      stop: () => {
        if (!waking.delete(hear)) return;
        this.#waiters -= 1;
        if (waking.size === 0) this.#waking.delete(formId);
      },
    };
  }

  /** Releases all waiting readers, and stops listening. */
  async end(): Promise<void> {
    this.#isEnded = true;
    this.#wakeAll();
    await this.#client?.end().catch(() => undefined);
  }

  get isEnded(): boolean {
    return this.#isEnded;
  }

  async #listen(): Promise<void> {
    if (this.#client || this.#isEnded) return;
    const client = new Client({ connectionString: this.#app.settings.DATABASE_URL, keepAlive: true });
    this.#client = client;
    const lose = (error?: unknown) => {
      if (this.#client !== client) return;
      this.#client = null;
      this.#isListening = false;
      if (error) this.#app.log.warn({ error: describeError(error) }, 'cannot listen for form responses');
      // Waiting readers poll, and the next one reconnects.
      this.#wakeAll();
    };
    client.on('error', lose);
    client.on('end', () => lose());
    client.on('notification', ({ payload = '' }) => this.#wake(payload));
    try {
      await client.connect();
      await client.query(`LISTEN ${responseChannel}`);
      this.#isListening = this.#client === client;
      this.#wakeAll();
    } catch (error) {
      lose(error);
      await client.end().catch(() => undefined);
    }
  }

  #wake(formId: string): void {
    for (const hear of this.#waking.get(formId) ?? []) hear();
  }

  #wakeAll(): void {
    for (const formId of this.#waking.keys()) this.#wake(formId);
  }
}
