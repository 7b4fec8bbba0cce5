/** Ways to write a text so that people can still read it but a plain search does not find it. */
export type Random = () => number;

/** Random numbers from a seed (Mulberry32), so that every run tries the same disguises. */
export function seeded(seed: number): Random {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

const oneOf = (choices: readonly string[], random: Random): string =>
  choices[Math.floor(random() * choices.length)] ?? '';

const letters = (text: string) => Array.from(text.normalize('NFC'));
const isLetter = (letter: string) => /\p{L}/u.test(letter);

/** Writes ASCII letters in another Unicode alphabet, given by its `A` and `a`. */
const alphabet = (capitalA: number, smallA: number) => (text: string) =>
  text
    .replace(/[A-Z]/g, (letter) => String.fromCodePoint(capitalA + letter.charCodeAt(0) - 65))
    .replace(/[a-z]/g, (letter) => String.fromCodePoint(smallA + letter.charCodeAt(0) - 97));

const replaced =
  (table: Readonly<Record<string, readonly string[]>>, share = 0.7) =>
  (text: string, random: Random) =>
    letters(text)
      .map((letter) => {
        const choices = table[letter];
        return choices && random() < share ? oneOf(choices, random) : letter;
      })
      .join('');

const between = (choices: readonly string[], share: number) => (text: string, random: Random) =>
  letters(text)
    .map((letter, at, all) => {
      const next = all[at + 1];
      const isInside = isLetter(letter) && next !== undefined && isLetter(next);
      return isInside && random() < share ? letter + oneOf(choices, random) : letter;
    })
    .join('');

/** Separates all letters, with the same sign between letters and between words. */
const spaced = (sign: string) => (text: string) =>
  letters(text)
    .filter((letter) => /[\p{L}\p{N}\p{M}]/u.test(letter))
    .join(sign);

export type Disguise = (text: string, random: Random) => string;

/** For look-alikes that exist only as capitals, which are not read as Latin next to letters of a third script. */
const inLatinTexts =
  (disguise: Disguise): Disguise =>
  (text, random) =>
    /^[\p{Script=Latin}\p{Script=Common}]+$/u.test(text) ? disguise(text, random) : text;

/** Other characters for the same letters. What is forbidden stays forbidden, and what is allowed stays allowed. */
export const otherCharacters: Readonly<Record<string, Disguise>> = {
  'in capitals': (text) => text.toUpperCase(),
  'in full width': alphabet(0xff21, 0xff41),
  'in bold mathematical letters': alphabet(0x1d400, 0x1d41a),
  'in monospaced mathematical letters': alphabet(0x1d670, 0x1d68a),
  'in bold sans-serif mathematical letters': alphabet(0x1d5d4, 0x1d5ee),
  'in circled letters': alphabet(0x24b6, 0x24d0),
  'in negative squared capitals': (text) => alphabet(0x1f170, 0x1f170)(text),
  'in small capitals': replaced(
    Object.fromEntries(
      Array.from('ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘǫʀꜱᴛᴜᴠᴡxʏᴢ', (letter, at) => [String.fromCharCode(97 + at), [letter]]),
    ),
    1,
  ),
  'in decomposed characters': (text) => text.normalize('NFD'),
  'with Latin letters in Cyrillic words': replaced({
    а: ['a'],
    е: ['e'],
    о: ['o'],
    р: ['p'],
    с: ['c'],
    у: ['y'],
    х: ['x'],
    і: ['i'],
    А: ['A'],
    В: ['B'],
    Е: ['E'],
    К: ['K'],
    М: ['M'],
    Н: ['H'],
    О: ['O'],
    Р: ['P'],
    С: ['C'],
    Т: ['T'],
  }),
  'with l for I and I for l': (text) => text.replace(/[Il]/g, (letter) => (letter === 'I' ? 'l' : 'I')),
  'with rn for m and vv for w': (text) =>
    text.replaceAll('m', 'rn').replaceAll('w', 'vv').replaceAll('W', 'VV'),
  'with zero-width characters': between(
    ['\u200b', '\u200c', '\u200d', '\u2060', '\ufeff', '\u00ad', '\u034f'],
    0.6,
  ),
  'with direction marks': between(['\u200e', '\u200f', '\u061c', '\u2066\u2069', '\u202a\u202c'], 0.6),
  'with variation selectors and tags': between(['\ufe0f', '\ufe00', '\u{e0061}', '\u{e0100}'], 0.6),
  'with invisible fillers': between(['\u115f', '\u3164', '\uffa0'], 0.4),
  'under combining marks': (text, random) =>
    letters(text)
      .map((letter) =>
        /\p{Script=Latin}|\p{Script=Cyrillic}/u.test(letter)
          ? letter + oneOf(['\u0301', '\u0336', '\u0338', '\u0308\u0323', '\u20e3', '\u0489'], random)
          : letter,
      )
      .join(''),
  'behind a right-to-left override': (text) => `\u202e${letters(text).reverse().join('')}\u202c`,
};

/** Spaces, signs and digits inside words. Forbidden texts stay forbidden; harmless texts may become something else. */
export const brokenWords: Readonly<Record<string, Disguise>> = {
  'with Cyrillic and Greek letters in Latin words': inLatinTexts(
    replaced({
      a: ['а', 'α'],
      c: ['с', 'ϲ'],
      d: ['ԁ'],
      e: ['е', 'є'],
      h: ['һ'],
      i: ['і'],
      j: ['ј'],
      k: ['к', 'κ'],
      n: ['п'],
      o: ['о', 'ο', 'օ'],
      p: ['р', 'ρ'],
      q: ['ԛ'],
      s: ['ѕ'],
      u: ['υ', 'ս'],
      v: ['ν', 'ѵ'],
      w: ['ԝ', 'ш'],
      x: ['х', 'χ'],
      y: ['у', 'γ'],
      A: ['А', 'Α'],
      B: ['В', 'Β'],
      C: ['С'],
      E: ['Е', 'Ε'],
      H: ['Н', 'Η'],
      I: ['І', 'Ι'],
      K: ['К', 'Κ'],
      M: ['М', 'Μ'],
      N: ['Ν'],
      O: ['О', 'Ο'],
      P: ['Р', 'Ρ'],
      S: ['Ѕ'],
      T: ['Т', 'Τ'],
      X: ['Х', 'Χ'],
      Y: ['Υ', 'Ү'],
    }),
  ),
  'in leetspeak': replaced({
    a: ['4', '@'],
    e: ['3', '€'],
    i: ['1'],
    o: ['0'],
    s: ['5', '$'],
    t: ['7'],
    l: ['1'],
    g: ['9'],
    b: ['8'],
    z: ['2'],
  }),
  'with ! and | for i': (text) =>
    text.replace(/(?<=\p{L})i(?=\p{L})/gu, '!').replace(/(?<=\p{L})l(?=\p{L})/gu, '|'),
  'with spaces': spaced(' '),
  'with no-break spaces': spaced('\u00a0'),
  'with dots': spaced('.'),
  'with hyphens': spaced('-'),
  'with underscores': spaced('_'),
  'with asterisks': spaced('*'),
  'with middle dots': spaced(' · '),
  'with line breaks': spaced('\n'),
  'with emoji between letters': spaced('🔑'),
  'with emoji between words': (text) => text.replaceAll(' ', ' 🔐 '),
  'with repeated letters': (text, random) =>
    letters(text)
      .map((letter) =>
        /\p{Script=Latin}|\p{Script=Cyrillic}/u.test(letter) && random() < 0.4 ? letter.repeat(3) : letter,
      )
      .join(''),
  'after a request': (text) => `Please enter: ${text}!`,
};
