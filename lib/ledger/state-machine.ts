/**
 * How an event sets a column: to NULL, to 0, to the time of the move (`at`), to one more than before (`next`), or to what the
 * statement gives.
 */
type Change = null | 0 | 'at' | 'next' | 'given';

export type Changes = Readonly<Record<string, Change>>;

export interface Event<State extends string> {
  /** The states in which it can happen. */
  readonly from: readonly State[];
  readonly to: State;
  /** Columns that must be `empty` (NULL) or `filled` for it to happen. */
  readonly only?: Readonly<Record<string, 'empty' | 'filled'>>;
  readonly sets: Changes;
}

export type Events<State extends string> = Readonly<Record<string, Event<State>>>;

/** The moves that a table of events allows. */
export function legalMovesOf<State extends string>(
  states: readonly State[],
  events: Events<State>,
): Readonly<Record<State, readonly State[]>> {
  const movesFrom = (state: State) => {
    const leaving = Object.values(events).filter(({ from, to }) => from.includes(state) && to !== state);
    return [...new Set(leaving.map(({ to }) => to))];
  };
  // One entry for each state.
  return Object.fromEntries(states.map((state) => [state, movesFrom(state)])) as Record<State, State[]>;
}
