/** The parts of a data: URL (RFC 2397, parsed as in the Fetch standard). */
export interface DataUrl {
  /** The media type without parameters, in lower case; empty when none is given. */
  readonly essence: string;
  /** Its charset parameter in lower case; null when none is given. */
  readonly charset: string | null;
  /** Whether a # follows the data, which ends there. */
  readonly hasFragment: boolean;
  /** The decoded bytes; null if the base64 is not valid. */
  bytes(): Buffer | null;
  /** Whether a browser can decode it. */
  isDecodable(): boolean;
}

/** Removes what URL parsers ignore: control characters and spaces at the ends, and tabs and line breaks anywhere. */
export function strippedUrl(value: string): string {
  let start = 0;
  let end = value.length;
  while (start < end && value.charCodeAt(start) <= 0x20) start += 1;
  while (end > start && value.charCodeAt(end - 1) <= 0x20) end -= 1;
  return value.slice(start, end).replace(/[\t\n\r]+/g, '');
}

/** @returns null if the (stripped) URL is not a data: URL, or has no comma */
export function parseDataUrl(url: string): DataUrl | null {
  if (!/^data:/i.test(url)) return null;
  const comma = url.indexOf(',');
  if (comma < 0) return null;
  const [type = '', ...parameters] = url.slice('data:'.length, comma).split(';');
  const isBase64 = /^ *base64 *$/i.test(parameters.at(-1) ?? '');
  const charset = parameters.find((parameter) => /^\s*charset\s*=/i.test(parameter));
  return {
    essence: type.trim().toLowerCase(),
    charset: charset === undefined ? null : unquoted(charset.slice(charset.indexOf('=') + 1)).toLowerCase(),
    hasFragment: url.includes('#', comma),
    bytes: () => decode(url.slice(comma + 1), isBase64),
    isDecodable: () => !isBase64 || isBase64Text(url.slice(comma + 1)),
  };
}

/** A parameter's value without spaces around it and without quotation marks, one of which may be missing. */
function unquoted(value: string): string {
  const text = value.trim();
  const start = text.startsWith('"') ? 1 : 0;
  return text.slice(start, text.length > start && text.endsWith('"') ? -1 : undefined);
}

/** Base64 as browsers take it: without its padding too. What is escaped is decoded first, which takes longer. */
function isBase64Text(data: string): boolean {
  const plain = /^[A-Za-z0-9+/]*={0,2}$/.test(data) ? data : withoutSpaces(unescapedBody(data));
  const [digits = ''] = /^[A-Za-z0-9+/]*(?=={0,2}$)/.exec(plain) ?? ['*****'];
  return digits.length % 4 !== 1;
}

const withoutSpaces = (bytes: Buffer) => bytes.toString('latin1').replace(/[\t\n\f\r ]+/g, '');

function unescapedBody(data: string): Buffer {
  // An unescaped # ends the data: what follows is the fragment.
  const [body = ''] = data.split('#', 1);
  return percentDecoded(Buffer.from(body, 'utf8'));
}

function decode(data: string, isBase64: boolean): Buffer | null {
  const bytes = unescapedBody(data);
  if (!isBase64) return bytes;
  const text = withoutSpaces(bytes);
  return /^[A-Za-z0-9+/]*={0,2}$/.test(text) ? Buffer.from(text, 'base64') : null;
}

function percentDecoded(bytes: Buffer): Buffer {
  const decoded = Buffer.allocUnsafe(bytes.length);
  let length = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const hex = bytes[at] === 0x25 ? bytes.toString('latin1', at + 1, at + 3) : '';
    const isEscape = /^[0-9a-fA-F]{2}$/.test(hex);
    decoded[length] = isEscape ? Number.parseInt(hex, 16) : (bytes[at] ?? 0);
    length += 1;
    if (isEscape) at += 2;
  }
  return decoded.subarray(0, length);
}
