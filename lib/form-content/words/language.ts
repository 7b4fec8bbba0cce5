/** What no form may ask for. */
export const kinds = ['password', 'one_time_code', 'pin', 'secret_key', 'card', 'bank_account'] as const;
export type Kind = (typeof kinds)[number];

export const isKind = (name: string): name is Kind => kinds.some((kind) => kind === name);

/**
 * The words of one language. Every entry is a word or a phrase, matched as whole words, however they are spaced, spelled
 * in other glyphs, or stretched.
 * - `{a|b|}` stands for each of its alternatives.
 * - `*` at an end: the word may go on there (`*passwort*` is found in `Kundenpasswortes`).
 * - `^` and `$`: the question begins or ends there, fillers (`please enter your`) aside; free-text questions only.
 * In scripts that are written without spaces words need no `*`.
 */
export interface Words extends Readonly<Partial<Record<Kind, readonly string[]>>> {
  /** Phrases that contain a forbidden word and ask for nothing of the kind. */
  readonly lookAlikes?: readonly string[];
  /** Phrases that talk about a secret; let through in questions with options, whose answers are the form's own words. */
  readonly about?: readonly string[];
  /** Words that leave a question the same: `please`, `enter`, `your`, `again`. */
  readonly fillers?: readonly string[];
  /** First words of a sentence that warns against giving a secret away: `never enter`. */
  readonly warnings?: readonly string[];
  /** All else that such a sentence may contain beside the names of secrets: `in this form`, `or`. */
  readonly warningRest?: readonly string[];
}
