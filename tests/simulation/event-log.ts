import { createHash } from 'node:crypto';

interface HistoryEvent {
  readonly atMs: number;
  readonly who: string;
  readonly what: string;
}

/** What happened in a history, in order. */
export class EventLog {
  readonly #now: () => number;
  readonly #events: HistoryEvent[] = [];
  /** Hears of each event as it happens. */
  listener: ((who: string, what: string) => void) | null = null;

  /** @param now milliseconds since the history began */
  constructor(now: () => number) {
    this.#now = now;
  }

  say(who: string, what: string): void {
    this.#events.push({ atMs: this.#now(), who, what });
    this.listener?.(who, what);
  }

  /** Equal for equal histories. */
  get digest(): string {
    return createHash('sha256').update(JSON.stringify(this.#events)).digest('hex').slice(0, 16);
  }

  /**
   * Readable lines, one for each event.
   * @param names what the failure is about: events that name none of it are left out where there are too many
   */
  lines(names: readonly string[], most: number): string[] {
    const isAbout = ({ who, what }: HistoryEvent) =>
      names.length === 0 || names.some((name) => who.includes(name) || what.includes(name));
    const chosen = this.#events.length > most ? this.#events.filter(isAbout) : this.#events;
    const left = Math.max(0, chosen.length - most);
    const lines = chosen.slice(left).map(lineOf);
    return left === 0 ? lines : [`… ${left} events before`, ...lines];
  }
}

function lineOf({ atMs, who, what }: HistoryEvent): string {
  const seconds = (atMs / 1_000).toFixed(3).padStart(8);
  return `${seconds} s  ${who.padEnd(9)} ${what.replaceAll(/0x([0-9a-f]{10})[0-9a-f]{20,}/gi, '0x$1…')}`;
}
