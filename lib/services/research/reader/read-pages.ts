import type { Client } from '@/lib/platform/owners';
import type { Platform } from '@/lib/platform/platform';
import type { ReadRequest } from './page/read';
import type { Reading, ReadingPool } from './reading-pool';

/** What reading pages uses. */
interface ReadDeps extends Pick<Platform, 'clock' | 'timings'> {
  readonly reading: Pick<ReadingPool, 'read'>;
}

/** How the pages are read, and until when (on the clock's `monotonic`). */
interface PagesRequest extends Pick<ReadRequest, 'formats' | 'onlyMainContent'> {
  readonly deadline: number;
  /** How many are read at a time. */
  readonly atOnce: number;
}

/** Reads pages one after the other. A page has half of the time while others wait. @returns their results in the same order; null for those that had no turn in time */
export async function readPages(
  app: ReadDeps,
  urls: readonly string[],
  { deadline, atOnce, ...request }: PagesRequest,
  client: Client,
): Promise<(Reading | null)[]> {
  const readings: (Reading | null)[] = urls.map(() => null);
  const rest = [...urls.entries()];
  const half = (deadline - app.clock.monotonic()) / 2;
  const readNext = async () => {
    for (let next = rest.shift(); next && app.clock.monotonic() < deadline; next = rest.shift()) {
      const [at, url] = next;
      const until = rest.length > 0 ? Math.min(deadline, app.clock.monotonic() + half) : deadline;
      readings[at] = await readOne(app, { ...request, url, waitFor: 0, mobile: false }, until, client);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, readNext));
  return readings;
}

async function readOne(
  app: ReadDeps,
  request: Omit<ReadRequest, 'timeout'>,
  deadline: number,
  client: Client,
): Promise<Reading> {
  for (;;) {
    const reading = await app.reading.read(client, { ...request, timeout: deadline - app.clock.monotonic() });
    // The browsers were busy. The page is tried again while there is time.
    const isWorthAnother =
      reading.kind === 'busy' && app.clock.monotonic() + app.timings.browsers.busyPauseMs < deadline;
    if (!isWorthAnother) return reading;
    await app.clock.sleep(app.timings.browsers.busyPauseMs);
  }
}
