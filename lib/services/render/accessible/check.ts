import { fontsOf, type PageContent } from './content';
import type { PdfObjects } from './pdf-objects';
import { type Dictionary, PdfString, Ref, type Value } from './pdf-values';
import type { Element } from './structure';

/** A PDF with what is looked at. */
export interface ReadPdf {
  readonly objects: PdfObjects;
  readonly elements: Element[];
  readonly pages: readonly PageContent[];
}

const standardTypes = new Set(
  `Document Part Art Sect Div BlockQuote Caption TOC TOCI Index NonStruct Private P H1 H2 H3 H4 H5 H6 L LI Lbl LBody Table TR TH TD THead TBody
  TFoot Span Quote Note Reference BibEntry Code Link Annot Ruby RB RT RP Warichu WT WP Figure Formula Form`
    .split(/\s+/)
    .map((name) => `/${name}`),
);

const rowGroups = ['/THead', '/TBody', '/TFoot'];
/** What elements with a grammar of their own may contain (ISO 32000-1, 14.8.4.3). */
const mayContain: Readonly<Record<string, readonly string[]>> = {
  '/L': ['/LI', '/L', '/Caption'],
  '/LI': ['/Lbl', '/LBody'],
  '/Table': ['/TR', '/Caption', ...rowGroups],
  '/TR': ['/TH', '/TD'],
  ...Object.fromEntries(rowGroups.map((type) => [type, ['/TR']])),
};
const mayBeIn: Readonly<Record<string, readonly string[]>> = {
  '/LI': ['/L'],
  '/LBody': ['/LI'],
  '/TR': ['/Table', ...rowGroups],
  '/TH': ['/TR'],
  '/TD': ['/TR'],
  ...Object.fromEntries(rowGroups.map((type) => [type, ['/Table']])),
};

/**
 * What in a PDF is not as PDF/UA-1 demands, as far as a program can tell: a clause of ISO 14289-1 for each kind of problem, with a
 * sentence. Whether an alternative text is true, for example, only people can tell.
 */
export function problemsOf(pdf: ReadPdf): readonly string[] {
  const problems = {
    ...documentProblems(pdf),
    ...elementProblems(pdf),
    ...tableProblems(pdf),
    ...contentProblems(pdf),
    ...annotationProblems(pdf),
    ...fontProblems(pdf),
  };
  return Object.keys(problems).filter((problem) => problems[problem]);
}

/** Problems, and whether a PDF has them. */
type Problems = Record<string, boolean>;

const isText = (value: Value | undefined): boolean =>
  value instanceof PdfString && !/^(?:\(\s*\)|<(?:FEFF|00(?:09|0A|0D|20|A0)|20|\s)*>)$/i.test(value.text);

function documentProblems({ objects }: ReadPdf): Problems {
  const { catalog } = objects;
  const mark = objects.dictionary(catalog.get('/MarkInfo'));
  const preferences = objects.dictionary(catalog.get('/ViewerPreferences'));
  return {
    '6.2: it is not marked as tagged': mark.get('/Marked') !== true || mark.get('/Suspects') === true,
    '7.1: it has no title': !isText(objects.dictionary(objects.trailer.get('/Info')).get('/Title')),
    '7.1: viewers do not show its title': preferences.get('/DisplayDocTitle') !== true,
    '7.1: it has types of its own': objects.structure.has('/RoleMap'),
    '7.2: it has no language': !isText(catalog.get('/Lang')),
    '7.10, 7.18: it has forms or layers': catalog.has('/AcroForm') || catalog.has('/OCProperties'),
    '7.16: it is encrypted': objects.trailer.has('/Encrypt'),
  };
}

function elementProblems({ elements }: ReadPdf): Problems {
  const levels = elements.flatMap(({ type }) => (/^\/H[1-6]$/.test(type) ? [Number(type.slice(2))] : []));
  const lacksText = ({ type, dictionary }: Element) =>
    (type === '/Figure' || type === '/Formula') &&
    !isText(dictionary.get('/Alt')) &&
    !isText(dictionary.get('/ActualText'));
  return {
    '7.1: its structure is no document': elements[0]?.type !== '/Document',
    '7.1: an element has no standard type': elements.some(({ type }) => !standardTypes.has(type)),
    '7.2: a list or table contains what it may not': elements.some(breaksGrammar),
    '7.3: a figure has no alternative text': elements.some(lacksText),
    '7.4.2: headings skip a level': levels.some((level, at) => level > (levels[at - 1] ?? 0) + 1),
    '7.9: a note is not identified': elements.some(({ type }) => type === '/Note'),
  };
}

function breaksGrammar({ type, children, content, parent }: Element): boolean {
  const kinds = mayContain[type];
  if (kinds && (content.length > 0 || children.some((child) => !kinds.includes(child.type)))) return true;
  return mayBeIn[type]?.includes(parent?.type ?? '') === false;
}

/** Every table has header cells, and each of them says for what it is one. */
function tableProblems({ objects, elements }: ReadPdf): Problems {
  const hasScope = ({ dictionary }: Element) =>
    objects.list(dictionary.get('/A')).some((attribute) => objects.dictionary(attribute).has('/Scope'));
  const hasHeader = ({ type, children }: Element): boolean => type === '/TH' || children.some(hasHeader);
  return {
    '7.5: a table has no header cells': elements.some((one) => one.type === '/Table' && !hasHeader(one)),
    '7.5: a header cell has no scope': elements.some((one) => one.type === '/TH' && !hasScope(one)),
  };
}

function contentProblems({ pages, elements }: ReadPdf): Problems {
  const owned = new Map(pages.map(({ ref }) => [ref.number, new Set<number>()]));
  for (const { content } of elements) for (const { page, id } of content) owned.get(page)?.add(id);
  const isOrphaned = ({ ref, marked }: PageContent) =>
    [...marked.keys()].some((id) => owned.get(ref.number)?.has(id) !== true);
  return {
    '7.1: content is neither tagged nor an artifact': pages.some(
      ({ isMarked, unmarked }) => !isMarked || unmarked.length > 0,
    ),
    '7.1: tagged content is not in the structure': pages.some(isOrphaned),
    '7.21.8: a font lacks a character': pages.some(({ hasMissingGlyph }) => hasMissingGlyph),
  };
}

function annotationProblems({ objects, elements, pages }: ReadPdf): Problems {
  const links = new Set(elements.flatMap(({ type, annotations }) => (type === '/Link' ? annotations : [])));
  const annotated = pages
    .map(({ ref }) => objects.dictionary(ref))
    .filter((page) => objects.list(page.get('/Annots')).length > 0);
  const annotations = annotated.flatMap((page) => objects.list(page.get('/Annots')));
  const isOutside = (annotation: Value) => {
    const about = objects.dictionary(annotation);
    const isTagged = annotation instanceof Ref && links.has(annotation.number);
    return !isTagged || about.get('/Subtype') !== '/Link' || typeof about.get('/StructParent') !== 'number';
  };
  return {
    '7.18.1: an annotation is not in the structure': annotations.some(isOutside),
    '7.18.3: the tab order is not that of the structure': annotated.some(
      (page) => page.get('/Tabs') !== '/S',
    ),
    '7.18.5: a link has no description': annotations.some(
      (one) => !isText(objects.dictionary(one).get('/Contents')),
    ),
  };
}

function fontProblems({ objects, pages }: ReadPdf): Problems {
  const fonts = pages.flatMap(({ ref }) => fontsOf(objects, objects.dictionary(ref)).map(([, font]) => font));
  const isEmbedded = (font: Dictionary) => {
    if (font.get('/Subtype') === '/Type3') return true;
    const [inner] = objects.list(font.get('/DescendantFonts'));
    const descriptor = objects.dictionary((inner ? objects.dictionary(inner) : font).get('/FontDescriptor'));
    return ['/FontFile', '/FontFile2', '/FontFile3'].some((key) => descriptor.has(key));
  };
  return {
    '7.21.4: a font is not embedded': !fonts.every(isEmbedded),
    '7.21.7: characters of a font are not known': !fonts.every((font) => font.has('/ToUnicode')),
  };
}
