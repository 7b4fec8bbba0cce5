/** The attribute `lang` of the root element, if that is the document's first tag. */
const language =
  /^\ufeff?\s*(?:<!doctype[^>]*>\s*)?<html(?:\s+[^\s"'<>/=]+(?:\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'=<>`]+))?)*?\s+lang\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'=<>`]+))/i;
const title = /<title\b[^<>]*>[^<]/i;
/** Their content is painted without being tagged, like decoration, and so is text that a filter turns into an image. */
const untagged =
  /<(?:svg|math|input|select|textarea|button|meter|progress|video|audio|canvas)\b|\bfilter\s*:/i;

/**
 * Whether the PDF of a document may declare PDF/UA-1. What the document lacks is seen here before anything is read; what the PDF
 * does not show is refused when in doubt.
 * @returns the document's language; null if its PDF declares nothing
 */
export function languageOfCandidate(html: string): string | null {
  if (!title.test(html) || untagged.test(html)) return null;
  const [, double, single, bare] = language.exec(html) ?? [];
  return (double ?? single ?? bare)?.trim() || null;
}
