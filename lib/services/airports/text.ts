/** Letters that Unicode does not decompose, and how people type them on keyboards that lack them. */
const letters: Readonly<Record<string, string>> = {
  ß: 'ss',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  æ: 'ae',
  œ: 'oe',
  ı: 'i',
};

/** Words that do not distinguish airports. */
const fillers = new Set([
  ...[
    'airport',
    'airports',
    'international',
    'intl',
    'int',
    'airfield',
    'aerodrome',
    'municipal',
    'regional',
  ],
  ...['aeropuerto', 'aeroport', 'aeroporto', 'flughafen', 'internacional', 'internazionale', 'apt'],
  ...['the', 'in', 'of', 'to', 'from', 'near', 'all'],
]);

/**
 * The words of a name or query, without case, accents and punctuation. Words that every airport's name has are dropped,
 * unless nothing else is left.
 */
export function wordsOf(text: string): string[] {
  const plain = text
    .toLowerCase()
    // ü also decomposes: München becomes munchen here, and muenchen is one of its names.
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[ßøłđðþæœı]/g, (letter) => letters[letter] ?? letter)
    .replaceAll(/['’‘`.]/g, '');
  const words = plain.match(/[\p{L}\p{N}]+/gu) ?? [];
  const telling = words.filter((word) => !fillers.has(word));
  return telling.length > 0 ? telling : words;
}

/** A name in the form for comparison: `New York`, `new-york` and `NewYork` are equal. */
export function joined(words: readonly string[]): string {
  return words.join('');
}

/** Words that are written in several ways. */
const spellings = [
  ['saint', 'st', 'sankt', 'sainte', 'ste'],
  ['mount', 'mt'],
  ['fort', 'ft'],
];
const spellingsOf = new Map(spellings.flatMap((group) => group.map((word) => [word, group] as const)));

/** The words, and again with each other spelling of a word such as `saint`, which some write as `st`. */
export function withOtherSpellings(words: readonly string[]): readonly (readonly string[])[] {
  const at = words.findIndex((word) => spellingsOf.has(word));
  const group = spellingsOf.get(words[at] ?? '');
  if (!group) return [words];
  return group.map((word) => words.with(at, word));
}
