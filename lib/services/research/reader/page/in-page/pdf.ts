/**
 * Runs on an empty page of the browser (`../pdf.ts`). A hostile file has the browser's limits of time and memory, and is never
 * parsed in our process.
 */

// pdf.js in one module, without a worker.
import { getDocument, type PDFDocumentProxy, type PDFPageProxy } from 'unpdf/pdfjs';
import { short } from './dom';
import { fieldsOf, withFields } from './pdf-fields';
import { type Line, linesOf, paragraphsOf, removeFurniture } from './pdf-lines';
import { type Block, blocksOfTags } from './pdf-tags';

export interface PdfOptions {
  readonly pagesMax: number;
  readonly charactersMax: number;
  readonly linksMax: number;
  /** How many fields of forms. Each is compared with all texts of its page. */
  readonly fieldsMax: number;
  readonly lineLengthMax: number;
  /** How long reading its pages may take, in milliseconds. Those that are read by then are returned. */
  readonly timeMs: number;
}

/** Reads the first pages of a PDF as Markdown. */
export async function readPdf(base64: string, options: PdfOptions) {
  const { pagesMax, charactersMax, linksMax, fieldsMax, lineLengthMax, timeMs } = options;
  const endsAt = performance.now() + timeMs;
  let pdf: PDFDocumentProxy;
  try {
    pdf = await getDocument({
      data: bytesOf(base64),
      // Text is read and nothing is shown: no fonts, no images, no scripts of forms, no further requests.
      disableFontFace: true,
      useSystemFonts: false,
      enableXfa: false,
      useWorkerFetch: false,
      isOffscreenCanvasSupported: false,
      isImageDecoderSupported: false,
      maxImageSize: 1,
      verbosity: 0,
    }).promise;
  } catch (error) {
    const isProtected = error instanceof Error && error.name === 'PasswordException';
    return { kind: isProtected ? ('protected' as const) : ('damaged' as const) };
  }

  const links = new Set<string>();
  let fieldsLeft = fieldsMax;
  const pages: (Block[] | Line[])[] = [];
  const untagged: Line[][] = [];
  const damaged: number[] = [];
  const wanted = Math.min(pdf.numPages, pagesMax);
  for (let number = 1; number <= wanted && (number === 1 || performance.now() < endsAt); number += 1) {
    try {
      pages.push(await readPage(await pdf.getPage(number)));
    } catch {
      damaged.push(number);
      pages.push([]);
    }
  }
  removeFurniture(untagged);
  const blocks = pages.map((page) =>
    untagged.includes(page as Line[]) ? paragraphsOf(page as Line[]) : (page as Block[]),
  );
  const isEmpty = blocks.every((page) => page.length === 0);
  if (isEmpty) return { kind: damaged.length > 0 ? ('damaged' as const) : ('without_text' as const) };
  const shown = withHeadings(blocks);
  return {
    kind: 'read' as const,
    pages: pdf.numPages,
    pagesRead: pages.length,
    damaged,
    withoutText: blocks.flatMap((page, at) =>
      page.length === 0 && !damaged.includes(at + 1) ? [at + 1] : [],
    ),
    metadata: await about(),
    markdown: shown.map(markdownOf).join('\n\n').slice(0, charactersMax),
    links: [...links],
  };

  async function readPage(page: PDFPageProxy): Promise<Block[] | Line[]> {
    const [content, tree, annotations] = [
      await page.getTextContent({ includeMarkedContent: true }),
      await page.getStructTree().catch(() => null),
      await page.getAnnotations().catch(() => []),
    ];
    for (const { subtype, url } of annotations) {
      const isLink = subtype === 'Link' && url !== undefined && /^https?:/i.test(url);
      if (isLink && url.length <= lineLengthMax && links.size < linksMax) links.add(url);
    }
    page.cleanup();
    const fields = fieldsOf(annotations).slice(0, fieldsLeft);
    fieldsLeft -= fields.length;
    const { items, alone } = withFields(content.items, fields);
    const blocks = tree && blocksOfTags(tree, items);
    if (blocks) return [...blocks, ...paragraphsOf(linesOf(alone))];
    const lines = linesOf([...items.flatMap((item) => ('str' in item ? [item] : [])), ...alone]);
    untagged.push(lines);
    return lines;
  }

  async function about() {
    const metadata = await pdf.getMetadata().catch(() => null);
    const info: Readonly<Record<string, unknown>> = { ...metadata?.info };
    const textOf = (value: unknown) => (typeof value === 'string' ? short(value) : undefined);
    const heading = shown.flat().find(({ kind }) => kind === 'heading');
    return {
      title: textOf(info.Title) ?? short(heading && 'text' in heading ? heading.text : undefined),
      description: textOf(info.Subject),
      keywords: textOf(info.Keywords),
      author: textOf(info.Author),
      language: textOf(info.Language),
    };
  }
}

const listMark = /^([•◦▪‣●○■·–—-]|\d{1,3}[.)])\s+/u;

function bytesOf(text: string): Uint8Array {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let at = 0; at < binary.length; at += 1) bytes[at] = binary.charCodeAt(at);
  return bytes;
}

/** In a file that does not tag headings, short paragraphs in a larger font are headings, the largest of level 1. */
function withHeadings(all: readonly (readonly Block[])[]): readonly (readonly Block[])[] {
  const found = all.flat();
  if (found.some(({ kind }) => kind === 'heading')) return all;
  const characters = new Map<number, number>();
  for (const block of found) {
    if (block.kind !== 'paragraph') continue;
    characters.set(block.size, (characters.get(block.size) ?? 0) + block.text.length);
  }
  const [body = 0] = [...characters].sort((one, other) => other[1] - one[1])[0] ?? [];
  const isHeading = (block: Block) =>
    block.kind === 'paragraph' &&
    block.size >= 1.15 * body &&
    block.lines <= 3 &&
    block.text.length <= 200 &&
    /\p{L}/u.test(block.text);
  const sizes = found.flatMap((block) =>
    block.kind === 'paragraph' && isHeading(block) ? [block.size] : [],
  );
  const levels = [...new Set(sizes)].sort((one, other) => other - one);
  return all.map((page) =>
    page.map((block) =>
      block.kind === 'paragraph' && isHeading(block)
        ? { kind: 'heading', level: Math.min(6, levels.indexOf(block.size) + 1), text: block.text }
        : block,
    ),
  );
}

/** A page: a comment with its number, and its blocks. Items of one list follow each other without an empty line. */
function markdownOf(page: readonly Block[], at: number): string {
  let markdown = `<!-- Page ${at + 1} -->`;
  let wasItem = false;
  for (const block of page) {
    const isItem = isListItem(block);
    markdown += `${wasItem && isItem ? '\n' : '\n\n'}${blockAsMarkdown(block)}`;
    wasItem = isItem;
  }
  return markdown;
}

function isListItem(block: Block): boolean {
  return block.kind === 'item' || (block.kind === 'paragraph' && listMark.test(block.text));
}

function blockAsMarkdown(block: Block): string {
  if (block.kind === 'heading') return `${'#'.repeat(block.level)} ${escaped(block.text)}`;
  if (block.kind === 'table') return tableOf(block.rows);
  if (!isListItem(block)) return escaped(block.text);
  const indent = '   '.repeat(block.kind === 'item' ? block.depth : 0);
  const mark = /^\d{1,3}(?=[.)]\s)/.exec(block.text);
  return `${indent}${mark ? `${mark[0]}.` : '-'} ${escaped(block.text.replace(listMark, ''))}`;
}

function escaped(text: string): string {
  return text.replace(/[\\`*_[\]<]/g, '\\$&').replace(/^[#>+-]/, '\\$&');
}

function tableOf(rows: readonly (readonly string[])[]): string {
  const columns = Math.max(...rows.map((row) => row.length));
  const lineOf = (row: readonly string[]) =>
    `| ${Array.from({ length: columns }, (_, at) => escaped(row[at] ?? '').replaceAll('|', '\\|')).join(' | ')} |`;
  const [head = [], ...rest] = rows;
  return [lineOf(head), `|${' --- |'.repeat(columns)}`, ...rest.map(lineOf)].join('\n');
}
