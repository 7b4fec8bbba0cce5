import { html, type Token } from 'parse5';

/** How many elements a warning names. */
const namedMax = 20;

/**
 * What readers of a PDF need and only its author can give: a title, a language, descriptions of images, headings in order and header
 * cells of tables (ISO 14289-1, 7.1, 7.2, 7.3, 7.4.2 and 7.5). Collected while the document is parsed.
 */
export class Accessibility {
  #hasTitle = false;
  #hasLanguage = false;
  #images = 0;
  #drawings = 0;
  /** The drawing whose next tag would be its title, if it needs one. */
  #untitled: string | null = null;
  readonly #undescribed: string[] = [];
  readonly #drawn: string[] = [];
  readonly #headings = new Map<string, number>();
  #level = 0;
  readonly #skipping: string[] = [];
  #tables = 0;
  readonly #openTables: { readonly name: string; hasHeader: boolean }[] = [];
  readonly #headless: string[] = [];

  addStartTag(name: string, attributes: readonly Token.Attribute[]): void {
    if (name === 'html') this.#hasLanguage ||= hasText(attributes, 'lang');
    if (name === 'img') this.#addImage(attributes);
    if (this.#untitled && name !== 'title') this.#drawn.push(this.#untitled);
    this.#untitled = null;
    if (name === 'svg') this.#addDrawing(attributes);
    if (/^h[1-6]$/.test(name)) this.#addHeading(name);
    if (name === 'table') {
      this.#tables += 1;
      this.#openTables.push({ name: `table ${this.#tables}`, hasHeader: isDecoration(attributes) });
    }
    const table = this.#openTables.at(-1);
    if (table && (name === 'th' || isHeaderCell(attributes))) table.hasHeader = true;
  }

  addEndTag(name: string): void {
    if (name !== 'table') return;
    const table = this.#openTables.pop();
    if (table?.hasHeader === false) this.#headless.push(table.name);
  }

  /** @param element the name and namespace of the element that contains the text */
  addText(text: string, element: { readonly tagName: string; readonly namespaceURI: string } | null): void {
    if (this.#hasTitle || element?.tagName !== 'title' || element.namespaceURI !== html.NS.HTML) return;
    this.#hasTitle = text.trim() !== '';
  }

  /** A warning for each thing that is missing. It never repeats the document. */
  get warnings(): readonly string[] {
    return [
      ...(this.#hasTitle ? [] : ['The document has no title. Add <title>.']),
      ...(this.#hasLanguage ? [] : ['The document has no language. Add lang to <html>, such as lang="en".']),
      ...warningAbout(this.#undescribed, 'Images without alt (alt="" marks decoration):'),
      ...warningAbout(
        this.#untitled ? [...this.#drawn, this.#untitled] : this.#drawn,
        'Drawings without an alternative (use role="img" with aria-label, or aria-hidden="true"):',
      ),
      ...warningAbout(
        this.#headless,
        'Tables without header cells (use th; role="presentation" marks layout):',
      ),
      ...warningAbout(this.#skipping, 'Headings that skip a level (the first is h1):'),
    ];
  }

  #addImage(attributes: readonly Token.Attribute[]): void {
    this.#images += 1;
    const isDescribed =
      attributes.some(({ name }) => name === 'alt') ||
      ['aria-label', 'aria-labelledby', 'title'].some((name) => hasText(attributes, name)) ||
      isDecoration(attributes);
    if (!isDescribed) this.#undescribed.push(`img ${this.#images}`);
  }

  #addDrawing(attributes: readonly Token.Attribute[]): void {
    this.#drawings += 1;
    if (isDecoration(attributes)) return;
    const isPicture = attributes.some(({ name, value }) => name === 'role' && value === 'img');
    const name = `svg ${this.#drawings}`;
    if (!isPicture) this.#drawn.push(name);
    else if (!['aria-label', 'aria-labelledby'].some((label) => hasText(attributes, label)))
      this.#untitled = name;
  }

  #addHeading(name: string): void {
    const number = (this.#headings.get(name) ?? 0) + 1;
    this.#headings.set(name, number);
    const level = Number(name.slice(1));
    if (level > this.#level + 1) this.#skipping.push(`${name} ${number}`);
    this.#level = level;
  }
}

function isDecoration(attributes: readonly Token.Attribute[]): boolean {
  return attributes.some(
    ({ name, value }) =>
      (name === 'aria-hidden' && value === 'true') ||
      (name === 'role' && /^(none|presentation)$/.test(value)),
  );
}

function isHeaderCell(attributes: readonly Token.Attribute[]): boolean {
  return attributes.some(({ name, value }) => name === 'role' && /^(column|row)header$/.test(value));
}

function hasText(attributes: readonly Token.Attribute[], wanted: string): boolean {
  return attributes.some(({ name, value }) => name === wanted && value.trim() !== '');
}

function warningAbout(elements: readonly string[], message: string): readonly string[] {
  if (elements.length === 0) return [];
  const more = elements.length - namedMax;
  const named = [...elements.slice(0, namedMax), ...(more > 0 ? [`${more} more`] : [])];
  return [`${message} ${named.join(', ')}.`];
}
