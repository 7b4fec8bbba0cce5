/**
 * What runs inside the browser, in a world of its own beside the page's scripts: it sees the page's document, they do not see
 * it. It is handed over as source text (`extraction.ts`), so it may use nothing from outside the function.
 */

/** The parts of @mozilla/readability, turndown and its GFM plugin that are used; they are loaded beside this. */
interface Tools {
  readonly Readability: new (
    document: Document,
    options: object,
  ) => { parse(): { title?: string | null; content: Element } | null };
  readonly TurndownService: new (options: object) => Turndown;
  readonly gfm: (service: Turndown) => void;
}
interface Turndown {
  use(plugin: (service: Turndown) => void): void;
  remove(names: readonly string[]): void;
  addRule(name: string, rule: object): void;
  turndown(element: Element): string;
}

export interface Wanted {
  readonly markdown: boolean;
  readonly rawHtml: boolean;
  readonly links: boolean;
  readonly paragraphs: boolean;
  readonly onlyMainContent: boolean;
  readonly charactersMax: number;
  readonly linksMax: number;
}

/** What is wanted of the page that is shown. Made of functions within the function, because nothing else goes along. */
export function extractPage(wanted: Wanted, { Readability, TurndownService, gfm }: Tools) {
  const cut = (text: string) => text.slice(0, wanted.charactersMax);
  const short = (text: string | null | undefined) => {
    const trimmed = (text ?? '').replace(/\s+/g, ' ').trim();
    return trimmed === '' ? undefined : trimmed.slice(0, 2_000);
  };
  const isAddress = (address: string) => /^https?:/i.test(address);
  const base = document.baseURI;
  const absolute = (reference: string | null): string | null => {
    if (reference === null || reference.trim() === '' || !URL.canParse(reference, base)) return null;
    const { href } = new URL(reference, base);
    return isAddress(href) ? href : null;
  };

  function metadata() {
    const named = (name: string) =>
      short(
        document.querySelector(`meta[name="${name}" i], meta[property="${name}" i]`)?.getAttribute('content'),
      );
    return {
      title: short(document.querySelector('head > title')?.textContent) ?? named('og:title'),
      description: named('description') ?? named('og:description'),
      language: short(document.documentElement.getAttribute('lang')),
      keywords: named('keywords'),
      author: named('author'),
      ogTitle: named('og:title'),
      ogDescription: named('og:description'),
      ogUrl: named('og:url'),
      ogImage: named('og:image'),
      ogSiteName: named('og:site_name'),
      publishedTime: named('article:published_time'),
      modifiedTime: named('article:modified_time'),
    };
  }

  function links(): string[] {
    const found = new Set<string>();
    for (const anchor of document.querySelectorAll('a[href], area[href]')) {
      if (found.size >= wanted.linksMax) break;
      const address = absolute(anchor.getAttribute('href'));
      if (address !== null) found.add(address);
    }
    return [...found];
  }

  /** A copy that no script of the page knows, with what is never text taken out and addresses made whole. */
  function copy(): Document {
    const cloned = Node.prototype.cloneNode.call(document, true) as Document;
    const silent =
      'script, style, noscript, template, iframe, object, embed, canvas, svg, [hidden], [aria-hidden="true"]';
    for (const element of cloned.querySelectorAll(silent)) element.remove();
    for (const [attribute, selector] of [
      ['href', 'a[href], area[href]'],
      ['src', 'img[src], video[src], audio[src], source[src]'],
    ] as const) {
      for (const element of cloned.querySelectorAll(selector)) {
        const address = absolute(element.getAttribute(attribute));
        if (address === null) element.removeAttribute(attribute);
        else element.setAttribute(attribute, address);
      }
    }
    return cloned;
  }

  const lengthOf = (element: Element) => (element.textContent ?? '').replace(/\s+/g, ' ').length;

  /** The article, when there is one that carries the page; otherwise the page without what surrounds its content. */
  function content(): { element: Element; title: string | undefined } {
    const whole = copy();
    const body = whole.body ?? whole.documentElement;
    if (!wanted.onlyMainContent) return { element: body, title: undefined };
    const article = readArticle();
    const around =
      'nav, aside, body > header, body > footer, [role="navigation"], [role="banner"], [role="contentinfo"]';
    for (const element of body.querySelectorAll(around)) element.remove();
    const isCarrying = article && lengthOf(article.element) >= Math.min(1_400, lengthOf(body) * 0.4);
    return article && isCarrying ? article : { element: body, title: undefined };
  }

  function readArticle(): { element: Element; title: string | undefined } | null {
    try {
      const options = {
        keepClasses: true,
        charThreshold: 200,
        maxElemsToParse: 60_000,
        serializer: (e: Element) => e,
      };
      const article = new Readability(copy(), options).parse();
      return article && { element: article.content, title: short(article.title) };
    } catch {
      return null;
    }
  }

  function markdownOf(element: Element, title: string | undefined): string {
    const service = new TurndownService({
      headingStyle: 'atx',
      hr: '---',
      bulletListMarker: '-',
      codeBlockStyle: 'fenced',
      emDelimiter: '*',
    });
    service.use(gfm);
    service.remove([
      'script',
      'style',
      'noscript',
      'template',
      'iframe',
      'object',
      'button',
      'select',
      'textarea',
    ]);
    service.addRule('a link without an address is its text', {
      filter: (node: Element) => node.nodeName === 'A' && !node.getAttribute('href'),
      replacement: (text: string) => text,
    });
    const text = service.turndown(element).trim();
    const hasTitle = title === undefined || element.querySelector('h1') !== null;
    return hasTitle ? text : `# ${title}\n\n${text}`;
  }

  function paragraphsOf(element: Element): string[] {
    const blocks = [...element.querySelectorAll('p, li, blockquote, dd')].filter(
      (block) => block.querySelector('p, li, blockquote, dd, pre, table') === null,
    );
    const texts = (blocks.length > 0 ? blocks : [element]).map((block) => short(block.textContent) ?? '');
    return texts.filter((text) => text.length >= 40).slice(0, 200);
  }

  const main = wanted.markdown || wanted.paragraphs ? content() : null;
  const doctype = document.doctype ? `<!DOCTYPE ${document.doctype.name}>` : '';
  return {
    url: document.URL.slice(0, 4_096),
    metadata: metadata(),
    markdown: wanted.markdown && main ? cut(markdownOf(main.element, main.title)) : undefined,
    paragraphs: wanted.paragraphs && main ? paragraphsOf(main.element) : undefined,
    rawHtml: wanted.rawHtml ? cut(`${doctype}${document.documentElement.outerHTML}`) : undefined,
    links: wanted.links ? links() : undefined,
  };
}
