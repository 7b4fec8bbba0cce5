import type { PdfObjects } from './pdf-objects';
import { type Dictionary, ending, endOfString, Ref } from './pdf-values';

/** What operators do (ISO 32000-1, table 51). All others only set something. */
type Kind = 'text' | 'object' | 'area' | 'path' | 'font' | 'begin' | 'end' | 'unexpected';

/** An operator of at most three bytes as one number, which is looked up faster than a string. */
const keyOf = (word: string) => [...word].reduce((key, one) => key * 256 + one.charCodeAt(0), 0);
const operators = new Map<number, Kind>(
  (
    [
      ['text', 'Tj TJ \' "'],
      ['object', 'Do'],
      ['area', 'sh S s f F f* B B* b b*'],
      // No mark may be between the operators of a path (14.6.1).
      ['path', 'm l c v y h re W W*'],
      ['font', 'Tf'],
      ['begin', 'BDC BMC'],
      ['end', 'EMC'],
      ['unexpected', 'BI ID EI BX EX'],
    ] as const
  ).flatMap(([kind, words]) => words.split(' ').map((word) => [keyOf(word), kind] as const)),
);

/** Where something is written in the content of a page, as bytes. */
interface Span {
  readonly from: number;
  readonly to: number;
}

/** Content that begins with a mark. */
interface Marked extends Span {
  /** Whether it shows text or images, and not only lines and areas. */
  shows: boolean;
  /** A hash of the codes of its text, which tells repeated text; 0 without text. */
  text: number;
}

/** The content of a page. */
export interface PageContent {
  readonly ref: Ref;
  readonly stream: Ref;
  readonly bytes: Buffer;
  /** The marked content of the structure by its id, with the place of its mark. */
  readonly marked: Map<number, Marked>;
  /** Whether all text is marked content of the structure, or an artifact. */
  isMarked: boolean;
  /** Where lines, areas and images are painted that are neither, without a mark or text in between. */
  unmarked: Span[];
  /** Whether a glyph is shown that stands for a missing one (ISO 14289-1, 7.21.8). */
  hasMissingGlyph: boolean;
}

/** Reads the content of a page. @throws Error for content that the browser does not write */
export function readContent(objects: PdfObjects, ref: Ref, page: Dictionary, bytesMax: number): PageContent {
  const stream = page.get('/Contents');
  if (!(stream instanceof Ref)) throw new Error('a page without content');
  const bytes = objects.stream(stream, bytesMax);
  const content: PageContent = {
    ...{ ref, stream, bytes, marked: new Map(), isMarked: true, unmarked: [], hasMissingGlyph: false },
  };
  // Codes of composite fonts have two bytes, as the browser writes them.
  const simple = fontsOf(objects, page).filter(([, font]) => font.get('/Subtype') !== '/Type0');
  new ContentReader(content, new Set(simple.map(([name]) => name))).read();
  return content;
}

/** The fonts of a page by their names. */
export function fontsOf(objects: PdfObjects, page: Dictionary): readonly (readonly [string, Dictionary])[] {
  const fonts = objects.dictionary(objects.dictionary(page.get('/Resources')).get('/Font'));
  return fonts.keys.map((name) => [name, objects.dictionary(fonts.get(name))]);
}

/** Looks once at every byte of a page's content. */
class ContentReader {
  readonly #content: PageContent;
  /** With a character for each byte. */
  readonly #text: string;
  /** The marks that are open. */
  readonly #open: (Marked | 'artifact' | undefined)[] = [];
  /** Where the path begins that is not painted yet; -1 without one. */
  #pathFrom = -1;

  /** Those whose codes have one byte. */
  readonly #simpleFonts: ReadonlySet<string>;
  /** The unmarked content that goes on if no mark begins before. */
  #unmarked: { from: number; to: number } | null = null;
  /** The length of the font's codes, in hexadecimal digits. */
  #codeLength = 4;

  constructor(content: PageContent, simpleFonts: ReadonlySet<string>) {
    this.#content = content;
    this.#text = content.bytes.toString('latin1');
    this.#simpleFonts = simpleFonts;
  }

  read(): void {
    const text = this.#text;
    let operandsFrom = -1;
    for (let at = 0; at < text.length; ) {
      const character = text.charCodeAt(at);
      if (ending[character] === 1) {
        at++;
        continue;
      }
      const from = at;
      if (isOperator(character)) {
        let key = 0;
        for (; ending[text.charCodeAt(at)] === 0; at++) key = key * 256 + text.charCodeAt(at);
        this.#operate(operators.get(key), operandsFrom < 0 ? from : operandsFrom, from, at);
        operandsFrom = -1;
        continue;
      }
      if (operandsFrom < 0) operandsFrom = from;
      at = this.#endOfOperand(character, from);
    }
    if (this.#open.length > 0) throw new Error('content that does not end');
  }

  #endOfOperand(character: number, from: number): number {
    const text = this.#text;
    if (character === 0x28) return endOfString(text, from);
    if (character === 0x3c && text.charCodeAt(from + 1) !== 0x3c) return this.#endOfCodes(from + 1);
    // Dictionaries and lists are read as their parts.
    if (ending[character] === 2 && character !== 0x2f) return from + 1;
    let at = from + 1;
    while (ending[text.charCodeAt(at)] === 0) at++;
    return at;
  }

  /** The end of a string in hexadecimal. Code 0 of a font is the glyph that stands for missing ones. */
  #endOfCodes(from: number): number {
    const to = this.#text.indexOf('>', from);
    if (to < 0) throw new Error('a string of the PDF does not end');
    const length = this.#codeLength;
    let [zeros, hash] = [0, 0];
    for (let at = from; at < to; at++) {
      const character = this.#text.charCodeAt(at);
      hash = (hash * 31 + character) | 0;
      if ((at - from) % length === 0) zeros = 0;
      if (character === 0x30 && ++zeros === length) this.#content.hasMissingGlyph = true;
    }
    const within = this.#open.at(-1);
    if (typeof within === 'object') within.text = (within.text * 31 + hash) | 0;
    return to + 1;
  }

  #operate(kind: Kind | undefined, start: number, from: number, to: number): void {
    if (kind === 'path') {
      if (this.#pathFrom < 0) this.#pathFrom = start;
      return;
    }
    const painted = this.#pathFrom < 0 ? start : this.#pathFrom;
    this.#pathFrom = -1;
    if (kind === undefined) return;
    if (kind === 'begin') this.#begin(start, from, to);
    else if (kind === 'end') this.#open.pop();
    else if (kind === 'font') this.#setFont(start, from);
    else if (kind === 'unexpected') throw new Error('unexpected content');
    else this.#paint(kind, painted, to);
  }

  #begin(start: number, from: number, to: number): void {
    this.#unmarked = null;
    const { marked } = this.#content;
    const mark = this.#text.slice(start, from);
    const id = /^\/\w+ <<\/MCID (\d+) ?>> ?$/.exec(mark)?.[1];
    if (id === undefined) {
      this.#open.push(this.#withoutId(mark));
      return;
    }
    if (marked.has(Number(id)) || this.#open.length > 0) throw new Error('nested or repeated content');
    const content: Marked = { from: start, to, shows: false, text: 0 };
    marked.set(Number(id), content);
    this.#open.push(content);
  }

  /** Text from right to left (14.8.2.3.3) and text for which another stands (14.9.4) have a mark within that of the structure. */
  #withoutId(mark: string): Marked | 'artifact' | undefined {
    if (/^\/(ReversedChars |Span ?<<\/ActualText )/.test(mark)) return this.#open.at(-1);
    if (mark.startsWith('/Artifact ')) return 'artifact';
    throw new Error('an unknown mark');
  }

  #setFont(start: number, from: number): void {
    const [name = ''] = this.#text.slice(start, from).split(' ', 1);
    this.#codeLength = this.#simpleFonts.has(name) ? 2 : 4;
  }

  #paint(kind: 'text' | 'object' | 'area', from: number, to: number): void {
    const within = this.#open.at(-1);
    if (within === undefined && kind === 'text') this.#content.isMarked = false;
    else if (within === undefined) this.#addUnmarked(from, to);
    else if (within !== 'artifact' && kind !== 'area') within.shows = true;
  }

  #addUnmarked(from: number, to: number): void {
    if (this.#unmarked) this.#unmarked.to = to;
    else {
      this.#unmarked = { from, to };
      this.#content.unmarked.push(this.#unmarked);
    }
  }
}

/** Letters, ' and ". */
const isOperator = (character: number) =>
  ((character | 32) >= 97 && (character | 32) <= 122) || character === 0x27 || character === 0x22;
