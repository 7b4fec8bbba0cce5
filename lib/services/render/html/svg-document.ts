import { SaxesParser } from 'saxes';
import { checkCss } from './css';
import type { DataUrl } from './data-url';
import { checkElement } from './elements';
import type { Context } from './references';

const elementDepthMax = 256;
const plainCharset = /^(utf-8|utf8|us-ascii|ascii)$/;
const malformedRule = 'data: SVG must be well-formed XML in UTF-8';
const unfinishedRule =
  'data: SVG ends within a tag or element, so it is not well-formed: write quotation marks like those around it as %22 or %27, and & as %26amp;';
const cutRule = 'data: SVG ends at its first #, so it is not well-formed: write each # as %23';

/** Checks an SVG document in a data: URL by the same rules. It is XML, so an XML parser reads it. */
export function checkSvgDocument(data: DataUrl, context: Context): void {
  const { path, findings } = context;
  const malformed = data.hasFragment ? cutRule : malformedRule;
  const refuse = (rule: string) => findings.add(path, rule);
  const text = plainTextOf(data);
  if (text === null) {
    refuse(malformed);
    return;
  }

  const parser = new SaxesParser({ xmlns: true });
  let depth = 0;
  let css: string | null = null;
  const appendCss = (part: string) => {
    if (css !== null) css += part;
  };
  // The parser would otherwise continue.
  let isWritten = false;
  const unfinished = data.hasFragment ? cutRule : unfinishedRule;
  parser.on('error', () => findings.stop(path, isWritten ? unfinished : malformed));
  parser.on('xmldecl', ({ encoding }) => {
    if (encoding !== undefined && !plainCharset.test(encoding.toLowerCase())) refuse(malformed);
  });
  parser.on('doctype', (doctype) => {
    // An entity could hide content from the check.
    if (doctype.includes('[')) refuse('data: SVG must not declare anything of its own');
  });
  parser.on('processinginstruction', () => refuse('data: SVG must have no processing instruction'));
  parser.on('opentag', (tag) => {
    depth += 1;
    if (depth > elementDepthMax) findings.stop(path, 'data: SVG is nested too deep');
    if (css !== null) refuse('style must contain nothing but text');
    const name = tag.local.toLowerCase();
    const attributes = Object.values(tag.attributes)
      .filter(({ prefix, name: full }) => prefix !== 'xmlns' && full !== 'xmlns')
      .map(({ prefix, local, value }) => ({
        name: (prefix === 'xml' ? `xml:${local}` : local).toLowerCase(),
        value,
      }));
    checkElement(name, attributes, context);
    if (name === 'style') css = '';
  });
  parser.on('comment', () => {
    if (css !== null) refuse('style must contain nothing but text');
  });
  parser.on('text', appendCss);
  parser.on('cdata', appendCss);
  parser.on('closetag', () => {
    depth -= 1;
    if (css !== null) checkCss(css, context);
    css = null;
  });
  parser.write(text);
  isWritten = true;
  parser.close();
}

function plainTextOf(data: DataUrl): string | null {
  if (data.charset !== null && !plainCharset.test(data.charset)) return null;
  const bytes = data.bytes();
  if (!bytes) return null;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}
