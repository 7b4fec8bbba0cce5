/** The secrets that no form may ask for. */
export const kinds = ['password', 'one_time_code', 'pin', 'secret_key', 'card', 'bank_account'] as const;
export type Kind = (typeof kinds)[number];

/**
 * The phrases of one language. A phrase is found as whole words, in any spacing, in look-alike characters and with
 * repeated letters.
 * - `{a|b|}` stands for each of its alternatives; the last one here is empty.
 * - `*` at either end: the word may continue there (`*passwort*` is found in `Kundenpasswortes`).
 * - `^` and `$`: nothing but fillers (`please enter your`) may come before or after; only in questions answered in words.
 * Scripts that put no spaces between words need no `*`.
 */
export interface WordList extends Readonly<Partial<Record<Kind, readonly string[]>>> {
  /** Phrases that contain a forbidden phrase and do not ask for a secret: `library card number`. */
  readonly harmless?: readonly string[];
  /** Phrases that talk about a secret. Harmless only in questions with options, which can only be answered with these. */
  readonly harmlessWithOptions?: readonly string[];
  /** Words that do not change what a question asks for: `please`, `enter`, `your`, `again`. */
  readonly fillers?: readonly string[];
  /** How a sentence starts that warns against giving a secret away: `never enter`. */
  readonly warningStarts?: readonly string[];
  /** What else such a sentence may contain besides the names of secrets: `in this form`, `or`. */
  readonly warningWords?: readonly string[];
}
