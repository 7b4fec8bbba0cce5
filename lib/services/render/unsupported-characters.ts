import { covered } from './font-coverage';

const codePointMax = 0x10ffff;
/** Characters that draw nothing or only space. */
const undrawn = /^[\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cs}\p{Z}\ufff9-\ufffb]$/u;
const privateUse = /^\p{Co}$/u;

const numberSign = 0x23;
const ampersand = 0x26;
const backslash = 0x5c;
const letterX = 0x78;

/**
 * The characters of a document that none of our fonts has, in order. They print as boxes. The document is read as text,
 * so comments count too, and fonts or images of the document are not considered. Private-use characters are ignored if
 * the document has its own font.
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

/** The number at this position with at most eight digits, in a character reference or a CSS escape. */
function numberAt(text: string, start: number, base: 10 | 16): number {
  let number = 0;
  for (let at = start; at < start + 8; at += 1) {
    const digit = digitOf(text.charCodeAt(at));
    if (digit >= base) break;
    number = number * base + digit;
  }
  return number;
}

/** The value of a digit; Infinity for any other character. */
function digitOf(unit: number): number {
  if (unit >= 0x30 && unit <= 0x39) return unit - 0x30;
  const letter = (unit | 0x20) - 0x61;
  return letter >= 0 && letter < 6 ? letter + 10 : Number.POSITIVE_INFINITY;
}

const namedMax = 32;

/** A list of characters such as `U+1F8A0, U+1F8A1`. A long list is cut, with the number of the rest. */
export function namesOf(codePoints: readonly number[]): string {
  const names = codePoints
    .slice(0, namedMax)
    .map((codePoint) => `U+${codePoint.toString(16).toUpperCase().padStart(4, '0')}`);
  const more = codePoints.length - names.length;
  return [...names, ...(more > 0 ? [`${more} more`] : [])].join(', ');
}

let bits: Uint8Array | null = null;

/** One bit per code point, 136 KiB, made when first needed. */
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
