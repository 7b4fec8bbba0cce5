import { parseDataUrl, strippedUrl } from './data-url';
import type { Findings } from './findings';
import { checkSvgDocument } from './svg-document';

/**
 * What a document may refer to: a `data:` URL of a safe type, a `#fragment` of its own, and, where a reference loads
 * nothing by itself, an absolute link (docs/decisions/links-in-pdf.md).
 */

/** Where a check stands: the place to name, how deep it is inside data: documents, and where findings go. */
export interface Context {
  readonly path: string;
  readonly depth: number;
  readonly findings: Findings;
}

const imageTypes: ReadonlySet<string> = new Set([
  'image/apng',
  'image/avif',
  'image/bmp',
  'image/gif',
  'image/jpeg',
  'image/jpg',
  'image/png',
  'image/svg+xml',
  'image/vnd.microsoft.icon',
  'image/webp',
  'image/x-icon',
]);
const fontType =
  /^(font\/[a-z0-9-]+|application\/(font-(woff2?|sfnt|otf|ttf)|x-font-[a-z0-9-]+|vnd\.ms-(fontobject|opentype)|octet-stream))$/;

export type Kind = 'image' | 'image or font';

/** A data: document inside a data: document inside …: deeper than this is nobody's invoice. */
const dataDepthMax = 3;

/**
 * @param what names the holder in words of ours, such as `src`
 * @param fragment whether `#…` stays inside the document here: as a source of its own it would load the document again
 */
export function checkSource(
  value: string,
  what: string,
  kind: Kind,
  context: Context,
  fragment: 'allowed' | 'refused' = 'refused',
): void {
  const url = strippedUrl(value);
  if (url === '' || (fragment === 'allowed' && url.startsWith('#'))) return;
  const { path, depth, findings } = context;
  const rule = `${what} must be a data: ${kind}${fragment === 'allowed' ? ' or a #fragment' : ''}`;
  const data = parseDataUrl(url);
  const isAllowed =
    data !== null &&
    (imageTypes.has(data.essence) || (kind === 'image or font' && fontType.test(data.essence)));
  if (!isAllowed) findings.add(path, data ? `${rule}, of a common type` : rule);
  else if (data.essence !== 'image/svg+xml') return;
  else if (depth >= dataDepthMax) findings.add(path, 'data: SVG is nested too deep');
  else checkSvgDocument(data, { ...context, depth: depth + 1 });
}

/** A reference that may only point into the document itself. */
export function checkFragment(value: string, what: string, { path, findings }: Context): void {
  const url = strippedUrl(value);
  if (url !== '' && !url.startsWith('#')) findings.add(path, `${what} must be a #fragment`);
}

/** A link, which is followed by people and loads nothing by itself. */
export function checkLink(value: string, what: string, { path, findings }: Context): void {
  const url = strippedUrl(value);
  if (url === '' || url.startsWith('#') || /^(https?:\/\/|mailto:|tel:)/i.test(url)) return;
  findings.add(path, `${what} must be an absolute http(s) link, mailto:, tel: or a #fragment`);
}

/** Every image of a `srcset`, taken apart as the HTML standard does: data: URLs carry commas of their own. */
export function checkSrcset(value: string, context: Context): void {
  let rest = value;
  for (;;) {
    rest = rest.replace(/^[\s,]+/, '');
    if (rest === '') return;
    const [candidate = ''] = /^\S+/.exec(rest) ?? [];
    rest = rest.slice(candidate.length);
    checkSource(candidate.replace(/,+$/, ''), 'srcset', 'image', context);
    if (!candidate.endsWith(',')) rest = rest.slice(descriptorsLength(rest));
  }
}

/** Up to and including the comma that ends the descriptors, or all of it; parentheses hide commas. */
function descriptorsLength(text: string): number {
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] === '(') depth += 1;
    else if (text[at] === ')') depth = Math.max(0, depth - 1);
    else if (text[at] === ',' && depth === 0) return at + 1;
  }
  return text.length;
}
