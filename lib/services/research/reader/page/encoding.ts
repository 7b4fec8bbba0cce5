/** The characters that windows-1252 has for the bytes 0x80 to 0x9F: https://encoding.spec.whatwg.org/#windows-1252 */
const from0x80 = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ';
const bytes = new Map([...from0x80].map((character, at) => [character, at + 0x80]));
/** Other characters than ASCII of windows-1252. */
const upper = new RegExp(`[${from0x80}\xa0-\xff]+`, 'g');

function readRun(text: string): string | null {
  const encoded = Uint8Array.from(text, (character) => bytes.get(character) ?? character.charCodeAt(0));
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(encoded, { stream: true });
  } catch {
    return null;
  }
}

/** A text that was read as windows-1252, read as UTF-8. */
interface ReadAgain {
  readonly text: string;
  /** How many runs of other characters than ASCII are UTF-8, and how many are not. */
  readonly utf8: number;
  readonly others: number;
}

/** Reads a text as UTF-8 that was read as windows-1252, as browsers do where no encoding is declared. It may end within a character. */
export function readAsUtf8(text: string): ReadAgain {
  let [utf8, others] = [0, 0];
  const again = text.replace(upper, (run) => {
    const read = readRun(run);
    if (read === null) others += 1;
    else utf8 += 1;
    return read ?? run;
  });
  return { text: again, utf8, others };
}
