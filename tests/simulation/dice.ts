import { pick, randomNumbers } from '../support/random';

/**
 * Decisions of one part of a history. Each part has its own, which follow from the seed and its name, so that a change to one
 * part leaves the decisions of the others alone.
 */
export class Dice {
  /** Numbers from 0 to 1. */
  readonly next: () => number;

  constructor(seed: number, part: string) {
    let mixed = Math.imul(seed, 0x9e3779b1) ^ 0x811c9dc5;
    for (const character of part) mixed = Math.imul(mixed ^ character.charCodeAt(0), 0x01000193);
    this.next = randomNumbers(mixed);
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  /** A whole number from `least` to `most`. */
  between(least: number, most: number): number {
    return least + Math.floor(this.next() * (most - least + 1));
  }

  pick<T>(from: readonly T[]): T {
    return pick(from, this.next());
  }
}
