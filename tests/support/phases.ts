/** A part of a run and how long it took. */
export interface Phase {
  readonly name: string;
  readonly ms: number;
}

const variable = 'TUPPENCE_PHASES';

/** The phases so far: installing, building and checking, as timed by bootstrap.mjs, and those recorded since. */
export function phases(): Phase[] {
  return JSON.parse(process.env[variable] ?? '[]') as Phase[];
}

export function notePhases(...added: readonly Phase[]): void {
  process.env[variable] = JSON.stringify([...phases(), ...added]);
}
