/** The attribute `lang` of the root element, if that is the document's first tag. */
const language =
  /^\ufeff?\s*(?:<!doctype[^>]*>\s*)?<html(?:\s+[^\s"'<>/=]+(?:\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'=<>`]+))?)*?\s+lang\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'=<>`]+))/i;
const title = /<title\b[^<>]*>[^<]/i;
/** Their content is painted without being tagged, like decoration, and so is text that a filter turns into an image. */
const untagged = /<(?:math|input|select|textarea|button|meter|progress|video|audio|canvas)\b|\bfilter\s*:/i;

/** An attribute, at the position where the one before it ends. */
const attribute = /\s+([^\s"'<>/=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'=<>`]+)))?/y;
const endOfTag = /\s*\/?>(?:\s*<title>[^<]*[^<\s])?/y;

/** Whether every drawing is tagged as a picture with a text, or is decoration for everybody. The browser leaves others without a tag. */
function areDrawingsDescribed(html: string): boolean {
  for (const { index } of html.matchAll(/<svg\b/gi)) {
    const values = new Map<string, string>();
    attribute.lastIndex = index + '<svg'.length;
    for (let end = attribute.lastIndex; ; end = attribute.lastIndex) {
      const [, name, double, single, bare] = attribute.exec(html) ?? [];
      endOfTag.lastIndex = end;
      if (name === undefined) break;
      if (!values.has(name.toLowerCase())) values.set(name.toLowerCase(), double ?? single ?? bare ?? '');
    }
    const [tag] = endOfTag.exec(html) ?? [];
    if (tag === undefined) return false;
    const role = values.get('role');
    const isDecoration = values.get('aria-hidden') === 'true' || role === 'presentation' || role === 'none';
    const isNamed = values.get('aria-label')?.trim() || tag.includes('<title>');
    if (!isDecoration && !(role === 'img' && isNamed)) return false;
  }
  return true;
}

/**
 * Whether the PDF of a document may declare PDF/UA-1. What the document lacks is seen here before anything is read; what the PDF
 * does not show is refused when in doubt.
 * @returns the document's language; null if its PDF declares nothing
 */
export function languageOfCandidate(html: string): string | null {
  if (!title.test(html) || untagged.test(html) || !areDrawingsDescribed(html)) return null;
  const [, double, single, bare] = language.exec(html) ?? [];
  return (double ?? single ?? bare)?.trim() || null;
}
