import type { Platform } from '@/lib/platform/platform';
import type { BotIdentity } from '../bot-identity';
import type { FreshPage } from '../chromium/reading-browser';
import { blocksOf } from './blocks';
import { wholeAsUtf8 } from './encoding';
import { extract } from './extraction';
import { type LoadedPage, type LoadedPdf, openAndWait, type Unreadable } from './open-page';
import { pageLimits } from './page-limits';
import { extractPdf, type PdfText } from './pdf';
import { summarize } from './summary';

/** `html` is the main content with its tags. */
export type Format = 'markdown' | 'rawHtml' | 'links' | 'summary' | 'html';

/** A read request in the catalog's terms. */
export interface ReadRequest {
  /** http or https, without credentials. */
  readonly url: string;
  readonly formats: readonly Format[];
  readonly onlyMainContent: boolean;
  /** How long to wait after a page has loaded, in milliseconds. */
  readonly waitFor: number;
  readonly mobile: boolean;
  /** How long the page may take, in milliseconds. */
  readonly timeout: number;
}

/** The data of a scrape, in the documented shape of Firecrawl's v2 response. */
export interface PageData {
  readonly markdown?: string;
  readonly rawHtml?: string;
  readonly links?: readonly string[];
  readonly summary?: string;
  readonly html?: string;
  readonly warning?: string;
  readonly metadata: Readonly<Record<string, string | number>>;
}

/** Why a PDF cannot be read, although it came. */
export type UnreadablePdf = Exclude<PdfText['kind'], 'read'> | 'without_html';

export type ReadResult =
  | { readonly kind: 'read'; readonly data: PageData }
  | { readonly kind: Unreadable }
  | { readonly kind: 'pdf'; readonly problem: UnreadablePdf };

const { charactersMax, lineLengthMax } = pageLimits;
const tooLong = `The page is longer than ${charactersMax} characters and was cut.`;

/** Reads one page. Throws only for errors that the page did not cause. */
export async function readPage(
  app: Pick<Platform, 'clock' | 'timings'> & { readonly identity: BotIdentity | null },
  page: FreshPage,
  request: ReadRequest,
): Promise<ReadResult> {
  const { url, formats, onlyMainContent, waitFor, timeout } = request;
  await showAs(page, request);
  const deadline = app.clock.monotonic() + Math.min(timeout, app.timings.browsers.readMs);
  const shown = await openAndWait(app, page, { url, waitMs: waitFor, deadline });
  if (typeof shown === 'string') return { kind: shown };
  const wants = (format: Format) => formats.includes(format);
  if (shown.kind === 'pdf') return readPdf(app, page, { shown, wants, url, deadline });
  const read = shown.kind === 'text' ? readText : readHtml;
  const result = await read(page, shown, wants, onlyMainContent);
  if (typeof result === 'string') return { kind: result };
  const { metadata, ...content } = result;
  const warning = warningOf(shown, content);
  return {
    kind: 'read',
    data: {
      ...content,
      ...(warning === null ? {} : { warning }),
      metadata: {
        ...metadata,
        sourceURL: url,
        statusCode: shown.response.status,
        contentType: shown.response.contentType.slice(0, lineLengthMax),
      },
    },
  };
}

type Wants = (format: Format) => boolean;

async function readHtml(
  page: FreshPage,
  { response: { status } }: LoadedPage,
  wants: Wants,
  onlyMainContent: boolean,
): Promise<PageData | Unreadable> {
  const { url, metadata, rawHtml, html, links, ...read } = await extract(page.session, page.frameId, {
    markdown: wants('markdown') || wants('summary'),
    rawHtml: wants('rawHtml'),
    links: wants('links'),
    html: wants('html'),
    onlyMainContent,
    ...pageLimits,
  });
  // The title of an error page says enough.
  const isError = status >= 400 && metadata.title !== undefined;
  const markdown = read.markdown === '' && isError ? `# ${metadata.title}` : read.markdown;
  if (markdown === '') return 'without_text';
  return {
    ...textsOf(markdown ?? '', metadata.language, wants),
    ...(rawHtml === undefined ? {} : { rawHtml }),
    ...(links === undefined ? {} : { links }),
    ...(html === undefined ? {} : { html }),
    metadata: known({ ...metadata, url }),
  };
}

function known(facts: Readonly<Record<string, string | undefined>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(facts).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}

function textsOf(
  markdown: string,
  language: string | undefined,
  wants: Wants,
): Pick<PageData, 'markdown' | 'summary'> {
  return {
    ...(wants('markdown') ? { markdown } : {}),
    ...(wants('summary') ? { summary: summarize(blocksOf(markdown), language) } : {}),
  };
}

/** Text is returned unchanged. */
async function readText(
  { session }: FreshPage,
  { response: { requestId }, language }: LoadedPage,
  wants: Wants,
): Promise<PageData | Unreadable> {
  const { body, base64Encoded } = await session.send('Network.getResponseBody', { requestId });
  const received = base64Encoded ? Buffer.from(body, 'base64').toString('utf8') : body;
  if (received.includes('\0')) return 'unsupported';
  const text = (wholeAsUtf8(received) ?? received).replace(/^\ufeff/, '').slice(0, charactersMax);
  if (text.trim() === '') return 'without_text';
  const { frameTree } = await session.send('Page.getFrameTree');
  return {
    ...textsOf(language === null ? text : fenced(text, language), undefined, wants),
    ...(wants('rawHtml') ? { rawHtml: text } : {}),
    ...(wants('links') ? { links: [] } : {}),
    metadata: { url: frameTree.frame.url.slice(0, lineLengthMax) },
  };
}

async function readPdf(
  app: Pick<Platform, 'clock'>,
  { session, frameId }: FreshPage,
  { shown: { pdf }, wants, url, deadline }: { shown: LoadedPdf; wants: Wants; url: string; deadline: number },
): Promise<ReadResult> {
  const wantsText = wants('markdown') || wants('links') || wants('summary');
  if (!wantsText) return { kind: 'pdf', problem: 'without_html' };
  const read = await extractPdf(session, frameId, pdf.base64, deadline - app.clock.monotonic());
  if (read.kind !== 'read') return { kind: 'pdf', problem: read.kind };
  const { metadata, markdown, links, pages, pagesRead } = read;
  const warning = warningOfPdf(read);
  return {
    kind: 'read',
    data: {
      ...textsOf(markdown, metadata.language, wants),
      ...(wants('links') ? { links } : {}),
      ...(warning === null ? {} : { warning }),
      metadata: {
        ...known(metadata),
        url: pdf.url.slice(0, lineLengthMax),
        sourceURL: url,
        statusCode: pdf.response.status,
        contentType: pdf.response.contentType.slice(0, lineLengthMax),
        numPages: pagesRead,
        totalPages: pages,
      },
    },
  };
}

/** What of a PDF is not in its text. */
function warningOfPdf({
  pages,
  pagesRead,
  markdown,
  damaged,
  withoutText,
}: Extract<PdfText, { kind: 'read' }>): string | null {
  const warnings = [
    ...(pagesRead < pages ? [`The PDF has ${pages} pages. The first ${pagesRead} were read.`] : []),
    ...(markdown.length >= charactersMax ? [tooLong] : []),
    ...(damaged.length > 0 ? [`These pages are damaged: ${rangesOf(damaged)}.`] : []),
    ...(withoutText.length > 0
      ? [`These pages have no text, because they are empty or images: ${rangesOf(withoutText)}.`]
      : []),
  ];
  return warnings.length > 0 ? warnings.join(' ') : null;
}

/** Ascending numbers, such as `1, 4-6`. */
function rangesOf(numbers: readonly number[]): string {
  const ranges: [first: number, last: number][] = [];
  for (const number of numbers) {
    const range = ranges.at(-1);
    if (range && range[1] === number - 1) range[1] = number;
    else ranges.push([number, number]);
  }
  return ranges.map(([first, last]) => (first === last ? first : `${first}-${last}`)).join(', ');
}

function fenced(text: string, language: string): string {
  let longest = 2;
  // A loop, because there may be more runs than a call may have arguments.
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${text.trim()}\n${fence}`;
}

function warningOf({ isFinished }: LoadedPage, content: Omit<PageData, 'metadata'>): string | null {
  const isCut = [content.markdown, content.rawHtml].some(
    (text) => text !== undefined && text.length >= charactersMax,
  );
  if (isCut) return tooLong;
  return isFinished ? null : 'The page was still loading when its time was over; what had arrived was read.';
}

async function showAs({ session }: FreshPage, { mobile }: ReadRequest): Promise<void> {
  const size = mobile ? { width: 390, height: 844 } : { width: 1280, height: 1024 };
  await session.send('Emulation.setDeviceMetricsOverride', { ...size, mobile, deviceScaleFactor: 1 });
}
