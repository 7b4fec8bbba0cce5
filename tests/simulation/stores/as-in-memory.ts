import { expect } from '../../support/without-browser';

/** Something that a test does to a row, with a name. */
interface Move {
  readonly name: string;
}

/** Moves from one situation, in memory and in PostgreSQL. Each returns the effects, in words that can be compared. */
export interface Twins<M extends Move> {
  readonly inMemory: (moves: readonly M[], order: 'in order' | 'in reverse') => Promise<string>;
  /** @param name of the row, which no other situation, move or pair has */
  readonly inPostgres: (name: string, moves: readonly M[], order: 'in order' | 'at once') => Promise<string>;
}

const atOnce = 8;

/** Expects each move to have the effects that it has in memory. */
export async function expectAsInMemory<M extends Move>(
  { inMemory, inPostgres }: Twins<M>,
  situation: number,
  moves: readonly M[],
): Promise<void> {
  for (const [number, move] of moves.entries()) {
    const effects = await inPostgres(`single-${situation}-${number}-`, [move], 'in order');
    expect(effects, move.name).toBe(await inMemory([move], 'in order'));
  }
}

/** Expects each two moves by two processes at once to have the effects that they have in memory, in one of the two orders. */
export async function expectPairsAsInMemory<M extends Move>(
  { inMemory, inPostgres }: Twins<M>,
  situation: number,
  moves: readonly M[],
): Promise<void> {
  const pairs = moves.flatMap((one, at) => moves.slice(at).map((other): [M, M] => [one, other]));
  const check = async (pair: [M, M], number: number) => {
    const inOrder = await inMemory(pair, 'in order');
    const inReverse = await inMemory(pair, 'in reverse');
    // Where the order makes no difference, there is nothing to race for.
    if (inOrder === inReverse && pair[0] !== pair[1]) return;
    const effects = await inPostgres(`pair-${situation}-${number}-`, pair, 'at once');
    expect([inOrder, inReverse], pair.map((move) => move.name).join(' | ')).toContain(effects);
  };
  for (let at = 0; at < pairs.length; at += atOnce)
    await Promise.all(pairs.slice(at, at + atOnce).map((pair, offset) => check(pair, at + offset)));
}
