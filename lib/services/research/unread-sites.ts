import { dayMs } from '@/lib/platform/durations';
import type { Platform } from '@/lib/platform/platform';

/** Sites that Firecrawl is known to refuse. Its whole list is not public. */
const knownSites: readonly string[] = ['linkedin.com', 'reddit.com'];
/** How long a site counts as refused after the provider said so: the list may change. */
const rememberedMs = dayMs;
const rememberedMax = 1_000;

/**
 * Sites that the scraping provider refuses to read: the known ones, and those that it refused lately. Calls for them are refused
 * before they are charged.
 */
export class UnreadSites {
  readonly #clock: Pick<Platform['clock'], 'monotonic'>;
  readonly #until = new Map<string, number>();

  constructor({ clock }: Pick<Platform, 'clock'>) {
    this.#clock = clock;
  }

  /** Records that the provider refused the site of a URL. */
  note(url: string): void {
    const [oldest] = this.#until.keys();
    if (oldest !== undefined && this.#until.size >= rememberedMax) this.#until.delete(oldest);
    this.#until.set(siteOf(url), this.#clock.monotonic() + rememberedMs);
  }

  /** Whether the site of a URL, or one above it, is refused. */
  has(url: string): boolean {
    const labels = siteOf(url).split('.');
    return labels.some((_, at) => {
      const site = labels.slice(at).join('.');
      return knownSites.includes(site) || (this.#until.get(site) ?? 0) > this.#clock.monotonic();
    });
  }
}

function siteOf(url: string): string {
  return new URL(url).hostname.replace(/\.$/, '').replace(/^www\./, '');
}
