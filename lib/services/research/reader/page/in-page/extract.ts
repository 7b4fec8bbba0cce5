import { correctCharset } from './charset';
import { type Content, findContent } from './content';
import { short } from './dom';
import { toMarkdown } from './markdown';
import { readStructuredData } from './structured-data';

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
  correctCharset(document);
  const cut = (text: string) => text.slice(0, wanted.charactersMax);
  const main = wanted.markdown || wanted.html ? findContent(wanted.onlyMainContent) : null;
  // Before toMarkdown, which changes the element.
  const html = wanted.html && main ? cut(main.element.innerHTML) : undefined;
  const doctype = document.doctype ? `<!DOCTYPE ${document.doctype.name}>` : '';
  return {
    url: document.URL.slice(0, wanted.lineLengthMax),
    metadata: metadata(),
    markdown: wanted.markdown && main ? cut(markdownOf(main)) : undefined,
    html,
    rawHtml: wanted.rawHtml ? cut(`${doctype}${document.documentElement.outerHTML}`) : undefined,
    links: wanted.links ? linksOf(wanted) : undefined,
  };
}

/** What the page says about itself. */
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

function linksOf(wanted: ExtractOptions): string[] {
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

function absolute(reference: string | null): string | null {
  const base = document.baseURI;
  if (reference === null || reference.trim() === '' || !URL.canParse(reference, base)) return null;
  const { href, protocol } = new URL(reference, base);
  return /^https?:$/.test(protocol) ? href : null;
}

function markdownOf({ element, title }: Content): string {
  const alternatives = [...element.querySelectorAll('img[alt]')].map((image) => image.getAttribute('alt'));
  const hasWords = /[\p{L}\p{N}]/u.test([element.textContent, ...alternatives].join(' '));
  const text = toMarkdown(element);
  if (hasWords) return title === undefined ? text : `# ${title}\n\n${text}`;
  // Nothing but images and what the page says about itself. A title alone is not a text.
  const about = metadata();
  const images = text.includes('![') ? text : '';
  if (about.description === undefined) return images;
  return [about.title && `# ${about.title}`, about.description, images].filter(Boolean).join('\n\n');
}
