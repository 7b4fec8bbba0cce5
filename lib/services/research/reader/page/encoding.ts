/** The characters that windows-1252 has for the bytes 0x80 to 0x9F: https://encoding.spec.whatwg.org/#windows-1252 */
const from0x80 = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ';
const bytes = new Map([...from0x80].map((character, at) => [character.charCodeAt(0), at + 0x80]));
/** Other characters than ASCII of windows-1252. */
const upper = new RegExp(`[${from0x80}\xa0-\xff]+`, 'g');

/** The bytes of a text in windows-1252; null if it has other characters. */
function encode(text: string): Uint8Array | null {
  const encoded = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    const byte = code <= 0xff ? code : (bytes.get(code) ?? code);
    if (byte > 0xff) return null;
    encoded[at] = byte;
  }
  return encoded;
}

/** @param mayEndWithin whether the end of a character may be missing */
function decode(encoded: Uint8Array | null, mayEndWithin: boolean): string | null {
  if (encoded === null) return null;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(encoded, {
      stream: mayEndWithin,
    });
  } catch {
    return null;
  }
}

/**
 * Reads a whole text as UTF-8 that was read as windows-1252. It may end within a character.
 * @returns null if the text is not UTF-8, or has ASCII characters only
 */
export function wholeAsUtf8(text: string): string | null {
  const read = decode(encode(text), true);
  // Without another character than ASCII, the end is a letter of windows-1252, and not the beginning of one of UTF-8.
  return read !== null && /\P{ASCII}/u.test(read) ? read : null;
}

/** A text that was read as windows-1252, read as UTF-8. */
interface ReadAgain {
  readonly text: string;
  /** How many runs of other characters than ASCII are UTF-8, and how many are not. */
  readonly utf8: number;
  readonly others: number;
}

/** Reads those parts of a text as UTF-8 that were read as windows-1252, as browsers do where no encoding is declared. */
export function readAsUtf8(text: string): ReadAgain {
  let [utf8, others] = [0, 0];
  const again = text.replace(upper, (run) => {
    const read = decode(encode(run), false);
    if (read === null) others += 1;
    else utf8 += 1;
    return read ?? run;
  });
  return { text: again, utf8, others };
}
