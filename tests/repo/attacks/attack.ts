/** A test that shows what happens under an attack: its file, and its title in the source with `…` for each `${…}`. */
export interface Shown {
  readonly file: string;
  readonly title: string;
  /** The relevant cases of a parametrized test, by words in the file. */
  readonly cases?: readonly string[];
}

export interface Attack {
  /** Its number in the list of known attacks on services paid over x402 or MPP (A) or on payment channels (V). */
  readonly id: string;
  readonly what: string;
  readonly shownBy: readonly Shown[];
}

export const attack = (id: string, what: string, shownBy: readonly Shown[]): Attack => ({
  id,
  what,
  shownBy,
});
export const shown = (file: string, title: string, cases?: readonly string[]): Shown => ({
  file: `tests/${file}.spec.ts`,
  title,
  cases,
});
export const refusedEvm = (...cases: string[]) =>
  shown(
    'api/refused-evm',
    'payments that lie about … are refused uncharged with a reason, and the honest payment still works',
    cases,
  );
export const refusedSolana = (...cases: string[]) =>
  shown(
    'api/refused-solana',
    'Solana payments with other instructions are refused with a reason, and charge nothing',
    cases,
  );
export const lostSettlements = shown(
  'recovery/lost-settlements',
  '… settlements with lost, late, truncated, duplicated or false responses, on every network and both rails, all end delivered or proven unpaid, and nobody pays twice',
);
export const crashPoints = shown(
  'recovery/crash-points',
  '…: whichever message is lost, late, doubled or broken, or the server killed at it, it is paid once and delivered once',
);
