import { parseDataUrl, strippedUrl } from './data-url';
import type { Findings } from './findings';
import { checkSvgDocument } from './svg-document';

/**
 * The references that a document may have: `data:` URLs of a safe type, `#fragment`s of its own, and absolute links
 * where a link loads nothing by itself (docs/decisions/browsers.md).
 */

/** The state of a check: its position in the document, its depth in nested data: documents, and its findings. */
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

/** The limit for data: documents nested in data: documents. No real invoice comes near it. */
const dataDepthMax = 3;

const undecodableRule =
  'data: base64 must be whole, with no other characters than A-Z, a-z, 0-9, + and /, and = at its end';

/**
 * Checks a URL that the browser loads.
 * @param what the name of the attribute or function for the finding, such as `src`
 * @param fragment whether `#…` refers to an element of the document here; as a source it would load the document again
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
  else if (!data.isDecodable()) findings.add(path, undecodableRule);
  else if (data.essence !== 'image/svg+xml') return;
  else if (depth >= dataDepthMax) findings.add(path, 'data: SVG is nested too deep');
  else checkSvgDocument(data, { ...context, depth: depth + 1 });
}

/** Checks a reference that may only point into the document itself. */
export function checkFragment(value: string, what: string, { path, findings }: Context): void {
  const url = strippedUrl(value);
  if (url !== '' && !url.startsWith('#')) findings.add(path, `${what} must be a #fragment`);
}

/** Checks a link, which people follow and which loads nothing by itself. */
export function checkLink(value: string, what: string, { path, findings }: Context): void {
  const url = strippedUrl(value);
  if (url === '' || url.startsWith('#') || /^(https?:\/\/|mailto:|tel:)/i.test(url)) return;
  findings.add(path, `${what} must be an absolute http(s) link, mailto:, tel: or a #fragment`);
}

/** Checks every image of a `srcset`, split as in the HTML standard, because data: URLs contain commas. */
export function checkSrcset(value: string, context: Context): void {
  let rest = value;
  for (;;) {
    rest = rest.replace(/^[\s,]+/, '');
    if (rest === '') return;
    const [candidate = ''] = /^\S+/.exec(rest) ?? [];
    rest = rest.slice(candidate.length);
    checkSource(withoutTrailingCommas(candidate), 'srcset', 'image', context);
    if (!candidate.endsWith(',')) rest = rest.slice(descriptorsLength(rest));
  }
}

function withoutTrailingCommas(text: string): string {
  let end = text.length;
  while (text[end - 1] === ',') end -= 1;
  return text.slice(0, end);
}

/** The length up to and including the comma that ends the descriptors. Commas in parentheses do not count. */
function descriptorsLength(text: string): number {
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] === '(') depth += 1;
    else if (text[at] === ')') depth = Math.max(0, depth - 1);
    else if (text[at] === ',' && depth === 0) return at + 1;
  }
  return text.length;
}
