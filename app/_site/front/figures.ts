/** What the tests measured, as docs/reliability.md has it: the front page shows these figures and never its own. */

export interface Figure {
  readonly count: string;
  readonly meaning: string;
}

/** Each pattern has the figure in its only group. */
const sought = [
  [
    /\*\*Attacks\.\*\* `[^`]+` lists (\d+) attacks on payments/,
    'attacks on payments, each with the tests that show what happens',
  ],
  [
    /and (\d[\d,]*) broken messages: each call paid once/,
    'lost, duplicated or truncated messages: each call was paid once',
  ],
  [
    /\| (\d+) kills, [\d,]+ calls delivered .*nobody paid twice/,
    'kills of the server at random moments: nobody paid twice',
  ],
  [
    /(\d[\d,]*) inputs: each refused with an error that names the field, none charged/,
    'signed calls with invalid input: none was charged',
  ],
] as const;

/** The figures in a text; one that the text does not have is left out. */
export function figuresIn(text: string): readonly Figure[] {
  return sought.flatMap(([pattern, meaning]) => {
    const count = pattern.exec(text)?.[1];
    return count === undefined ? [] : [{ count, meaning }];
  });
}

/** How many figures there are if the text has all of them. */
export const figuresMax = sought.length;
