/**
 * The code of this folder runs inside the browser, in an isolated world: it sees the page's document, but the page's scripts
 * cannot see it. scripts/build-in-page.mjs makes one script of it.
 */

import { Readability } from '@mozilla/readability';
import { removeBeside } from './beside';
import { cleanPage } from './clean';
import { copyPage } from './copy';
import { isListOfPages } from './lists';
import { toMarkdown } from './markdown';
import { measure } from './measure';
import { showMedia } from './media';
import { removeRepeats } from './repeats';
import { removeOtherSections } from './sections';
import { spellOut } from './spell-out';
import { readStructuredData } from './structured-data';
import { removeMemberDetails } from './threads';

export interface ExtractOptions {
  readonly markdown: boolean;
  readonly rawHtml: boolean;
  readonly links: boolean;
  readonly html: boolean;
  readonly onlyMainContent: boolean;
  readonly charactersMax: number;
  readonly linksMax: number;
  readonly lineLengthMax: number;
}

/** Extracts what is wanted from the page. */
export function extractPage(wanted: ExtractOptions) {
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
    const structured = readStructuredData(document);
    return {
      title: short(document.querySelector('head > title')?.textContent) ?? named('og:title'),
      description: named('description') ?? named('og:description'),
      language: short(document.documentElement.getAttribute('lang')),
      keywords: named('keywords'),
      author: named('author') ?? short(structured.author),
      ogTitle: named('og:title'),
      ogDescription: named('og:description'),
      ogUrl: named('og:url'),
      ogImage: named('og:image'),
      ogSiteName: named('og:site_name'),
      publishedTime: named('article:published_time') ?? short(structured.publishedTime),
      modifiedTime: named('article:modified_time') ?? short(structured.modifiedTime),
    };
  }

  function links(): string[] {
    const found = new Set<string>();
    let characters = 0;
    for (const anchor of document.querySelectorAll('a[href], area[href]')) {
      if (found.size >= wanted.linksMax) break;
      const address = absolute(anchor.getAttribute('href'));
      if (address === null || address.length > wanted.lineLengthMax || found.has(address)) continue;
      characters += address.length;
      if (characters > wanted.charactersMax) break;
      found.add(address);
    }
    return [...found];
  }

  /** A copy of the page with its media. */
  function copy(): Document {
    const copied = copyPage(document);
    showMedia(copied);
    return copied;
  }

  const lengthOf = (element: Element) => (element.textContent ?? '').replace(/\s+/g, ' ').length;

  /** The main content, and its title if that is outside of it. */
  function content(): { element: Element; title: string | undefined } {
    const page = copy();
    const heading = short(page.querySelector('h1')?.textContent);
    if (wanted.onlyMainContent) removeBeside(page);
    cleanPage(page, !wanted.onlyMainContent, spellOut);
    const body = page.body ?? page.documentElement;
    if (!wanted.onlyMainContent) return { element: body, title: undefined };
    if (short(body.textContent) === undefined && body.querySelector('img') === null) return everything();
    const { element, title } = mainPart(page, body);
    const measured = measure();
    removeMemberDetails(element, measured);
    if (!isListOfPages(element, measured)) {
      removeRepeats(element, measured);
      removeOtherSections(element, measured);
    }
    return { element, title: element.querySelector('h1') === null ? (heading ?? title) : undefined };
  }

  /** For a page that consists only of what is usually not content, such as a site map or a login. */
  function everything(): { element: Element; title: string | undefined } {
    const page = copy();
    cleanPage(page, true, spellOut);
    return { element: page.body ?? page.documentElement, title: undefined };
  }

  /** The element that the page marks as its content, or that contains it. */
  function mainPart(page: Document, body: Element): { element: Element; title?: string } {
    const [main] = body.querySelectorAll('main, [role="main"]');
    const region = main && lengthOf(main) >= 0.3 * lengthOf(body) ? main : body;
    const articles = [...region.querySelectorAll('article, [role="article"]')].filter(
      (article) => !article.parentElement?.closest('article, [role="article"]'),
    );
    const [article] = articles;
    if (article && articles.length === 1 && lengthOf(article) >= 0.7 * lengthOf(region))
      return { element: article };
    return region === body ? carryingPart(page, body) : { element: region };
  }

  /** If nothing is marked: the smallest element that contains all of Readability's article. */
  function carryingPart(page: Document, body: Element): { element: Element; title?: string } {
    const elements = [...body.querySelectorAll('*')];
    const mark = 'data-reader-at';
    for (const [at, element] of elements.entries()) element.setAttribute(mark, String(at));
    const article = readArticle(Node.prototype.cloneNode.call(page, true) as Document);
    for (const element of elements) element.removeAttribute(mark);
    const content = article?.content instanceof Element ? article.content : null;
    const taken = [...(content?.querySelectorAll(`[${mark}]`) ?? [])].flatMap(
      (element) => elements[Number(element.getAttribute(mark))] ?? [],
    );
    const [first, last] = [taken[0], taken.at(-1)];
    if (!article || !first || !last) return { element: body };
    const range = page.createRange();
    range.setStartBefore(first);
    range.setEndAfter(last);
    const common = range.commonAncestorContainer;
    const element = outsideTables(common instanceof Element && body.contains(common) ? common : body, body);
    return lengthOf(element) >= 0.4 * lengthOf(body)
      ? { element, title: short(article.title) }
      : { element: body };
  }

  /** A part of a layout table is not a table, so the whole table is taken. */
  function outsideTables(element: Element, body: Element): Element {
    let outside = element;
    for (let table = outside.closest('table'); table; table = outside.closest('table')) {
      outside = table.parentElement ?? body;
    }
    return outside;
  }

  function readArticle(page: Document) {
    try {
      const options = {
        keepClasses: true,
        charThreshold: 200,
        maxElemsToParse: 60_000,
        serializer: (node: Node) => node,
      };
      return new Readability(page, options).parse();
    } catch {
      return null;
    }
  }

  function markdownOf({ element, title }: ReturnType<typeof content>): string {
    const text = toMarkdown(element);
    if (text.trim() !== '') return title === undefined ? text : `# ${title}\n\n${text}`;
    // Nothing but what the page says about itself.
    const about = metadata();
    return [about.title && `# ${about.title}`, about.description].filter(Boolean).join('\n\n');
  }

  const main = wanted.markdown || wanted.html ? content() : null;
  // Before toMarkdown, which changes the element.
  const html = wanted.html && main ? cut(main.element.innerHTML) : undefined;
  const doctype = document.doctype ? `<!DOCTYPE ${document.doctype.name}>` : '';
  return {
    url: document.URL.slice(0, wanted.lineLengthMax),
    metadata: metadata(),
    markdown: wanted.markdown && main ? cut(markdownOf(main)) : undefined,
    html,
    rawHtml: wanted.rawHtml ? cut(`${doctype}${document.documentElement.outerHTML}`) : undefined,
    links: wanted.links ? links() : undefined,
  };
}
