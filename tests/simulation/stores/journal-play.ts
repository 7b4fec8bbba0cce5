import { worldTime } from './call-world';
import type { Move, Situation } from './journal-moves';
import { describeWorld } from './journal-rows';
import type { JournalWorld, Writer } from './journal-world';

/** What moves did to a world: what each returned, or the message of its error, and every row by what it is about. */
export interface Effects {
  /** Null for a move that was not made. */
  readonly results: readonly (string | null)[];
  readonly rows: Readonly<Record<string, readonly string[]>>;
}

type Order = (runs: readonly (() => Promise<string>)[]) => Promise<readonly (string | null)[]>;

/**
 * Arranges a situation in an empty world, and lets two processes make moves. The first holds the lease of the signer.
 * @param order makes the moves, which it gets as functions
 */
export async function play(
  world: JournalWorld,
  situation: Situation,
  moves: readonly Move[],
  order: Order,
): Promise<Effects> {
  await situation.arrange(world);
  const lease = { network: 'base', signer: 'signer', holder: world.one.id, nextNonce: null };
  const [a, b] = await Promise.all([
    world.chargeOf('a'),
    world.chargeOf('b'),
    world.insert('settlementSigner', lease),
  ]);
  const writers: readonly Writer[] = [world.one, world.other];
  const results = await order(
    moves.map(({ run }, index) => {
      const writer = writers[index % writers.length] ?? world.one;
      return () => described(run(writer, world, { a, b }));
    }),
  );
  return { results, rows: await describeWorld(world) };
}

async function described(result: Promise<unknown>): Promise<string> {
  try {
    return JSON.stringify((await result) ?? null);
  } catch (error) {
    // Prisma puts what the database said last.
    const [said] = String(error instanceof Error ? error.message : error)
      .split('\n')
      .slice(-1);
    return `error: ${said?.replace(/^.*Message: `(.*)`$/, '$1').replace(/^(error|DatabaseError): /i, '')}`;
  }
}

/** One after the other, in this order. */
export const inOrder: Order = async (runs) => {
  const results: string[] = [];
  for (const run of runs) results.push(await run());
  return results;
};

/** The last first. The results are still in the order of the moves. */
export const inReverse: Order = async (runs) => (await inOrder(runs.toReversed())).toReversed();

export const atOnce: Order = (runs) => Promise.all(runs.map((run) => run()));

/** Only one of them. */
export const only =
  (chosen: number): Order =>
  (runs) =>
    Promise.all(runs.map((run, index) => (index === chosen ? run() : null)));

/** What a statement returns that has done nothing, because the other was faster. */
const cameToNothing: readonly (string | null)[] = [
  '{"settled":[],"isRaced":true}',
  '{"settled":[],"isRaced":false}',
];

/**
 * The same effects with a replaced transaction that is open once more. A look-up that began before its call was settled by another
 * transaction leaves it so, and its sender finds the nonce used (tests/repo/journal-interleavings.spec.ts).
 */
export function reopened({ results, rows }: Effects, hash: string): Effects {
  const lines = (rows[hash] ?? []).map((line) =>
    line.startsWith('settlements: ')
      ? line
          .replace('"state":"replaced"', '"state":"prepared"')
          .replace('"reorganizedAt":null', `"reorganizedAt":${JSON.stringify(worldTime)}`)
      : line,
  );
  return { results, rows: { ...rows, [hash]: lines } };
}

/** Everything in the effects of moves, row by row and result by result, that is in none of the possible effects. */
export function findUnexpected(found: Effects, possible: readonly Effects[]): string[] {
  const rows = Object.entries(found.rows).filter(([subject, lines]) =>
    possible.every(({ rows }) => rows[subject]?.join() !== lines.join()),
  );
  const gone = possible.every(({ rows }) => Object.keys(rows).some((subject) => !(subject in found.rows)));
  const results = found.results.filter(
    (result, index) =>
      !cameToNothing.includes(result) && possible.every(({ results }) => results[index] !== result),
  );
  return [
    ...rows.map(([subject, lines]) => [subject, ...lines].join('\n')),
    ...results.map((result) => `returned ${result}`),
    ...(gone ? ['rows are missing'] : []),
  ];
}

/** Every pair of items, an item with itself included. */
export function pairsOf<Item>(items: readonly Item[]): [Item, Item][] {
  return items.flatMap((one, index) => items.slice(index).map((other): [Item, Item] => [one, other]));
}
