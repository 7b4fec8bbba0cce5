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

/** Without case, accents and the marks inside words. */
function plainOf(text: string): string {
  return (
    text
      .toLowerCase()
      // ü also decomposes: München becomes munchen here, and muenchen is one of its names.
      .normalize('NFKD')
      .replaceAll(/\p{M}/gu, '')
      .replaceAll(/[ßøłđðþæœı]/g, (letter) => letters[letter] ?? letter)
      .replaceAll(/['’‘`.״"]/g, '')
  );
}

const plainWords = (list: string) => list.split(/\s+/).map(plainOf);

/** Words that do not distinguish airports. */
const fillers = new Set([
  ...plainWords('airport airports international intl int airfield aerodrome municipal regional apt terminal'),
  ...plainWords('aeropuerto aéroport aeroporto aeroport aeroportul internacional internazionale'),
  ...plainWords('flughafen flugplatz luchthaven vliegveld flygplats lufthavn lufthavnen flyplass flugvöllur'),
  ...plainWords('lentoasema lentokenttä lotnisko letiště letisko letališče repülőtér havalimanı havaalanı'),
  ...plainWords('bandara аэропорт аеропорт аэрапорт летище аеродром международный αεροδρόμιο αερολιμένας'),
  ...plainWords('مطار الدولي دولي فرودگاه अंतरराष्ट्रीय एयरपोर्ट'),
  ...plainWords('the in of to from for near nearest all any code iata icao fly flight flights'),
]);

/** The same as names of several words, and words for an airport with what connects them to its name. */
const fillerPhrases = new RegExp(
  `(?<!\\p{L})(?:${[
    'aerop(?:uerto|orto|ort)(?: inter[a-z]+)?(?: (?:de las?|de los|del|de|della|di|do|da|dos|des|du))',
    'terminal \\d[a-z]?|t\\d[a-z]?',
    'san bay|port lotniczy|zracna luka|hava limani|lapangan terbang|bandar udara',
    ...['שדה התעופה', 'נמל התעופה', 'हवाई अड्डा', 'हवाई अड्डे'].map(plainOf),
  ].join('|')})(?!\\p{L})`,
  'gu',
);

/**
 * The words of a name or query, without case, accents and punctuation. Words that every airport's name has are dropped,
 * unless nothing else is left.
 */
export function wordsOf(text: string): string[] {
  const plain = plainOf(text);
  const telling = splitWords(plain.replaceAll(fillerPhrases, ' ')).filter((word) => !fillers.has(word));
  return telling.length > 0 ? telling : splitWords(plain);
}

const splitWords = (plain: string): string[] => plain.match(/[\p{L}\p{N}]+/gu) ?? [];

/** A name in the form for comparison: `New York`, `new-york` and `NewYork` are equal. */
export function joined(words: readonly string[]): string {
  return words.join('');
}

/** Words that are written in several ways. */
const spellings = [
  ['saint', 'st', 'sankt', 'sainte', 'ste'],
  ['mount', 'mt'],
  ['fort', 'ft'],
  ['santa', 'sta'],
  ['santo', 'sto'],
];
const spellingsOf = new Map(spellings.flatMap((group) => group.map((word) => [word, group] as const)));

/** The words, and again with each other spelling of words such as `saint`, which some write as `st`. */
export function withOtherSpellings(words: readonly string[]): readonly (readonly string[])[] {
  if (!words.some((word) => spellingsOf.has(word))) return [words];
  return words.reduce<string[][]>(
    (begun, word) =>
      (spellingsOf.get(word) ?? [word]).flatMap((one) => begun.map((start) => [...start, one])),
    [[]],
  );
}

/** Scripts that put no spaces between words. */
const unspaced =
  /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hangul}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Mymr}]/u;

/** What names in these scripts end or begin with: words for airports and cities. */
const affixes = new Set(
  plainWords(
    '机场 機場 空港 飛行場 国际 國際 国際 市 都 府 県 공항 국제 시 สนามบิน ท่าอากาศยาน นานาชาติ ประเทศ ສະໜາມບິນ ព្រលានយន្តហោះ လေဆိပ်',
  ),
);
const pieceLengthMax = 30;

/**
 * The words of a text without spaces, such as city, airport and the word for one: `羽田空港` is `羽田`. The text itself if it is known, or
 * is not made of known words.
 */
export function withSpaces(word: string, isKnown: (piece: string) => boolean): readonly string[] {
  if (!unspaced.test(word) || isKnown(word) || word.length > pieceLengthMax) return [word];
  // By the position where they end: the pieces up to there, as few as possible.
  const upTo: (readonly string[] | undefined)[] = [[]];
  for (let end = 1; end <= word.length; end += 1) {
    for (let start = 0; start < end; start += 1) {
      const before = upTo[start];
      const piece = word.slice(start, end);
      if (!before || (upTo[end] && before.length >= (upTo[end]?.length ?? 0))) continue;
      if (affixes.has(piece)) upTo[end] = before;
      else if (isKnown(piece)) upTo[end] = [...before, piece];
    }
  }
  const pieces = upTo[word.length] ?? [];
  return pieces.length > 0 ? pieces : [word];
}
