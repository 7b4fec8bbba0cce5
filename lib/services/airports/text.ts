/** Letters that no decomposition takes apart, as keyboards without them write them. */
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

/** Words that say nothing about which airport is meant. */
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
 * The words of a name or query, without case, accents and punctuation. Airports are called by fewer words than they have,
 * so what every airport is called is left out, unless nothing else is there.
 */
export function wordsOf(text: string): string[] {
  const plain = text
    .toLowerCase()
    // ü and its like also decompose: München is munchen here, and muenchen stands among its names.
    .normalize('NFKD')
    .replaceAll(/\p{Mn}/gu, '')
    .replaceAll(/[ßøłđðþæœı]/g, (letter) => letters[letter] ?? letter)
    .replaceAll(/['’‘`.]/g, '');
  const words = plain.match(/[\p{L}\p{N}]+/gu) ?? [];
  const telling = words.filter((word) => !fillers.has(word));
  return telling.length > 0 ? telling : words;
}

/** A name as it is compared: `New York`, `new-york` and `NewYork` are one. */
export function joined(words: readonly string[]): string {
  return words.join('');
}
