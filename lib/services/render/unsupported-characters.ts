import { covered } from './font-coverage';

const codePointMax = 0x10ffff;
/** Nothing is drawn for these, or nothing but room. */
const undrawn = /^[\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cs}\p{Z}\ufff9-\ufffb]$/u;
const privateUse = /^\p{Co}$/u;

const numberSign = 0x23;
const ampersand = 0x26;
const backslash = 0x5c;
const letterX = 0x78;

/**
 * The characters of a document that none of our fonts has, in order: they print as boxes. Takes the document as text, so
 * what a comment holds counts too, and what a font or an image of the document's own draws cannot be told; of private-use
 * characters, which only a font can give a meaning, nothing is said when the document brings one.
 */
export function unsupportedCharacters(html: string): readonly number[] {
  const hasOwnFont = /@font-face/i.test(html);
  const unsupported = new Set<number>();
  const look = (codePoint: number) => {
    if (isCovered(codePoint) || unsupported.has(codePoint) || codePoint > codePointMax) return;
    const character = String.fromCodePoint(codePoint);
    if (undrawn.test(character) || (hasOwnFont && privateUse.test(character))) return;
    unsupported.add(codePoint);
  };
  for (let at = 0; at < html.length; at += 1) {
    const unit = html.charCodeAt(at);
    if (unit >= 0x80) {
      const codePoint = html.codePointAt(at) ?? 0;
      if (codePoint > 0xffff) at += 1;
      look(codePoint);
    } else if (unit === ampersand && html.charCodeAt(at + 1) === numberSign) {
      const isHex = (html.charCodeAt(at + 2) | 0x20) === letterX;
      look(isHex ? numberAt(html, at + 3, 16) : numberAt(html, at + 2, 10));
    } else if (unit === backslash) look(numberAt(html, at + 1, 16));
  }
  return [...unsupported].sort((one, other) => one - other);
}

/** The number that is written from here on in at most eight digits: of a character reference, or of an escape in CSS. */
function numberAt(text: string, start: number, base: 10 | 16): number {
  let number = 0;
  for (let at = start; at < start + 8; at += 1) {
    const digit = digitOf(text.charCodeAt(at));
    if (digit >= base) break;
    number = number * base + digit;
  }
  return number;
}

/** The value of a digit; Infinity for what is none. */
function digitOf(unit: number): number {
  if (unit >= 0x30 && unit <= 0x39) return unit - 0x30;
  const letter = (unit | 0x20) - 0x61;
  return letter >= 0 && letter < 6 ? letter + 10 : Number.POSITIVE_INFINITY;
}

const namedMax = 32;

/** A list of characters by their numbers, `U+1F8A0, U+1F8A1`; of very many the first, and how many more there are. */
export function namesOf(codePoints: readonly number[]): string {
  const names = codePoints
    .slice(0, namedMax)
    .map((codePoint) => `U+${codePoint.toString(16).toUpperCase().padStart(4, '0')}`);
  const more = codePoints.length - names.length;
  return [...names, ...(more > 0 ? [`${more} more`] : [])].join(', ');
}

let bits: Uint8Array | null = null;

/** A bit per code point: 136 KiB, made when the first document is looked at. */
function isCovered(codePoint: number): boolean {
  bits ??= bitsOf(covered);
  return (((bits[codePoint >> 3] ?? 0) >> (codePoint & 7)) & 1) === 1;
}

function bitsOf(ranges: string): Uint8Array {
  const set = new Uint8Array((codePointMax >> 3) + 1);
  for (const range of ranges.split(',')) {
    const [first = 0, last = first] = range.split('-').map((end) => Number.parseInt(end, 16));
    for (let codePoint = first; codePoint <= last; codePoint += 1) {
      set[codePoint >> 3] = (set[codePoint >> 3] ?? 0) | (1 << (codePoint & 7));
    }
  }
  return set;
}
