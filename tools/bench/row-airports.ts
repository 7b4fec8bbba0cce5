import { airports } from '@/lib/services/airports/airports';
import { findAirports } from '@/lib/services/airports/find-airports';
import { queries } from '@/tests/unit/airports-search/queries';
import type { Bench } from './bench';
import { median } from './rounds';
import type { Row } from './table';

const aimMs = 2;

/** Airport searches in this process: the queries of the tests, and names of airports in full, shortened and misspelled. */
export async function measureAirports({ options }: Bench): Promise<Row[]> {
  const startedMs = performance.now();
  findAirports('london');
  const firstMs = performance.now() - startedMs;
  const asked = [...queries.map(({ query }) => query), ...namesAsTyped(options.isQuick ? 40 : 8)];
  timesOf(asked);
  const rounds = Array.from({ length: options.rounds }, () => timesOf(asked));
  const at = (share: number) => median(rounds.map((times) => times[Math.floor(times.length * share)] ?? 0));
  const p99 = at(0.99);
  return [
    {
      name: `airport search, p99 ms of ${asked.length} queries`,
      ours: p99.toFixed(2),
      baseline: `p50 ${at(0.5).toFixed(2)}, the first one ${firstMs.toFixed(0)}`,
      ratio: null,
      aim: `<= ${aimMs} ms`,
      isMet: p99 <= aimMs,
    },
  ];
}

/** Every n-th airport, by its city: in full, without its end, with two letters swapped, and with one wrong letter. */
function namesAsTyped(every: number): string[] {
  return airports()
    .filter((_, place) => place % every === 0)
    .flatMap(({ cityName }) => {
      const middle = cityName.length >> 1;
      const [begun, rest] = [cityName.slice(0, middle), cityName.slice(middle)];
      return [
        cityName,
        cityName.slice(0, -2),
        begun + rest.slice(1, 2) + rest.slice(0, 1) + rest.slice(2),
        `${begun}x${rest.slice(1)}`,
      ];
    })
    .filter((query) => query !== '');
}

/** The times in ascending order. */
function timesOf(asked: readonly string[]): number[] {
  return asked
    .map((query) => {
      const startedMs = performance.now();
      findAirports(query);
      return performance.now() - startedMs;
    })
    .sort((one, other) => one - other);
}
