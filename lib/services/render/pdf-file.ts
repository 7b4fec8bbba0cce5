import { inflateSync } from 'node:zlib';

/** How deep a page tree may be. The browser makes one node for eight pages. */
const depthMax = 8;
/** The longest page content that can be without anything painted. */
const emptyBytesMax = 4_096;
/** A color of areas, or an operator that paints: text, images, forms, paths and shadings (ISO 32000-1, tables 51 and 74). */
const painting =
  /(?:^|\s)(?:([\d.]+) ([\d.]+) ([\d.]+) rg|(Tj|TJ|'|"|Do|EI|sh|S|s|f\*?|F|B\*?|b\*?))(?=\s|$)/g;
/** A space that does not break, as the browser writes it: text that shows nothing. */
const spaces = /\/Span<<\/ActualText <(?:FEFF)?(?:00A0)+> >> BDC\s[^/]*(?:\/\w+ [\d.]+ Tf\s)?[^/]*?EMC/g;

/** A color of areas: red, green and blue from 0 to 255. */
export type Color = readonly [number, number, number];
const white: Color = [255, 255, 255];

/**
 * A PDF as the browser writes it, read as viewers do: from the end to the cross-reference table, then to the catalog and the page
 * tree (ISO 32000-1, 7.5 and 7.7). A text search would also match the document's own content.
 */
export class PdfFile {
  readonly #pdf: Buffer;
  readonly #table: string;
  readonly #firstObject: number;
  readonly #entriesAt: number;
  readonly #pageTree: number;

  /** @throws Error for a PDF without this structure */
  constructor(pdf: Buffer) {
    this.#pdf = pdf;
    const tail = pdf.toString('latin1', Math.max(0, pdf.length - 1024));
    const tableAt = Number(/startxref\s+(\d+)\s+%%EOF\s*$/.exec(tail)?.[1]);
    if (!Number.isSafeInteger(tableAt)) throw new Error('no cross-reference table');
    this.#table = pdf.toString('latin1', tableAt);
    const first = /^xref\s+(\d+) (\d+)\s*\n/.exec(this.#table);
    const root = /trailer[\s\S]*?\/Root (\d+) 0 R/.exec(this.#table)?.[1];
    if (!first || root === undefined) throw new Error('no catalog');
    this.#firstObject = Number(first[1]);
    this.#entriesAt = first[0].length;
    const pages = /\/Pages (\d+) 0 R/.exec(this.#dictionary(Number(root)))?.[1];
    if (pages === undefined) throw new Error('no page tree');
    this.#pageTree = Number(pages);
  }

  get pageCount(): number {
    const count = /\/Count (\d+)/.exec(this.#dictionary(this.#pageTree))?.[1];
    if (count === undefined) throw new Error('no page tree');
    return Number(count);
  }

  /**
   * The numbers of the pages on which nothing is to be seen, counted from 1.
   * @param background the color of every page, on which areas of that color do not show
   */
  emptyPages(background: Color = white): readonly number[] {
    return this.#pages(this.#pageTree, 0).flatMap((page, index) =>
      this.#isEmpty(page, background) ? [index + 1] : [],
    );
  }

  #pages(node: number, depth: number): readonly number[] {
    const kids = /\/Kids \[([^\]]*)\]/.exec(this.#dictionary(node))?.[1];
    if (kids === undefined || depth >= depthMax) return [node];
    return [...kids.matchAll(/(\d+) 0 R/g)].flatMap(([, kid]) => this.#pages(Number(kid), depth + 1));
  }

  #isEmpty(page: number, background: Color): boolean {
    const contents = /\/Contents (\d+) 0 R/.exec(this.#dictionary(page))?.[1];
    if (contents === undefined) return false;
    const at = this.#offset(Number(contents));
    const start = this.#pdf.indexOf('stream', at);
    const header = this.#pdf.toString('latin1', at, start);
    const length = Number(/\/Length (\d+)(?! \d+ R)/.exec(header)?.[1]);
    if (!(length <= emptyBytesMax)) return false;
    const bodyAt = start + (this.#pdf[start + 6] === 0x0d ? 8 : 7);
    const body = this.#pdf.subarray(bodyAt, bodyAt + length);
    try {
      const text = /\/FlateDecode/.test(header) ? inflateSync(body, { maxOutputLength: 65_536 }) : body;
      return text.length <= emptyBytesMax && showsNothing(text.toString('latin1'), background);
    } catch {
      return false;
    }
  }

  /** Entries of the table have 20 bytes (7.5.4). */
  #offset(number: number): number {
    return Number(this.#table.slice(this.#entriesAt + (number - this.#firstObject) * 20).slice(0, 10));
  }

  #dictionary(number: number): string {
    const at = this.#offset(number);
    return this.#pdf.toString('latin1', at, this.#pdf.indexOf('endobj', at));
  }
}

/** Whether the content of a page paints nothing but areas in the color of the page. */
function showsNothing(content: string, background: Color): boolean {
  let isSeen = true;
  for (const [, red, green, blue, operator] of content.replace(spaces, '').matchAll(painting)) {
    if (operator === undefined) {
      const color = [red, green, blue].map((part) => Math.round(Number(part) * 255));
      isSeen = [white, background].every((one) =>
        one.some((part, at) => Math.abs(part - (color[at] ?? 0)) > 1),
      );
    } else if (isSeen || !/^f\*?$/i.test(operator)) return false;
  }
  return true;
}
