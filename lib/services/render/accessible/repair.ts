import type { ReadPdf } from './check';
import type { PageContent } from './content';
import type { PdfObjects } from './pdf-objects';
import { Dictionary, PdfString, Ref, type Value } from './pdf-values';
import type { Content, Element } from './structure';

/**
 * Gives list items a body, and links a description. A `figure` becomes a part with a caption, because its picture has a tag of its own.
 * Decoration becomes artifacts, and so do header cells that the browser repeats on each page: they would be read over and over. What is
 * read is changed together with the objects.
 */
export function repair({ objects, elements, pages }: ReadPdf): void {
  for (const element of elements) {
    if (element.type === '/Figure' && element.content.length === 0 && element.children.length > 0)
      makePart(objects, element);
    if (element.type === '/LI') addBody(objects, elements, element);
    if (element.type === '/Link')
      for (const annotation of element.annotations) describeLink(objects, new Ref(annotation));
  }
  const markedOn = new Map(pages.map(({ ref, marked }) => [ref.number, marked]));
  const markOf = ({ page, id }: Content) => markedOn.get(page)?.get(id);
  const decoration = elements.flatMap((element) => {
    const { content } = element;
    const found = drawing.has(element.type)
      ? content.filter((one) => markOf(one)?.shows === false)
      : isHeader(element)
        ? repetitions(content, (one) => markOf(one)?.text ?? 0)
        : [];
    if (found.length > 0) element.content = content.filter((one) => !found.includes(one));
    return found;
  });
  const byPage = new Map<number, Content[]>(pages.map(({ ref }) => [ref.number, []]));
  for (const one of decoration) byPage.get(one.page)?.push(one);
  for (const page of pages) makeArtifacts(objects, page, byPage.get(page.ref.number) ?? []);
}

/** What contains the borders of tables and lists to the browser, where only rows and items may be. */
const drawing = new Set(['/Table', '/THead', '/TBody', '/TFoot', '/TR', '/L']);

/** Whether it is in a header cell. The browser makes no elements of `thead` and `tfoot` themselves. */
function isHeader({ type, parent }: Element): boolean {
  return type === '/TH' || (parent !== null && isHeader(parent));
}

/** The content that shows the same text as the first of its holder, on another page. */
function repetitions(content: readonly Content[], textOf: (one: Content) => number): readonly Content[] {
  if (content.length < 2) return [];
  const first = new Map<number, Content>();
  return content.filter((one) => {
    const before = first.get(one.holder.number);
    if (!before) first.set(one.holder.number, one);
    return before && before.page !== one.page && textOf(one) !== 0 && textOf(one) === textOf(before);
  });
}

/** @param decoration what becomes an artifact with all that is painted without a mark: backgrounds and images without a text */
function makeArtifacts(objects: PdfObjects, page: PageContent, decoration: readonly Content[]): void {
  if (decoration.length === 0 && page.unmarked.length === 0) return;
  const ids = new Set(decoration.map(({ id }) => id));
  const isHere = (ref: Value | undefined) => ref instanceof Ref && ref.number === page.ref.number;
  for (const { holder } of decoration) {
    const element = objects.dictionary(holder);
    const isGone = (kid: Value) => {
      if (typeof kid === 'number') return ids.has(kid) && isHere(element.get('/Pg'));
      const mark = objects.dictionary(kid instanceof Ref ? null : kid);
      return ids.has(Number(mark.get('/MCID'))) && isHere(mark.get('/Pg') ?? element.get('/Pg'));
    };
    const kids = objects.list(element.get('/K')).filter((kid) => !isGone(kid));
    objects.set(holder, element.with('/K', kids));
  }
  const key = objects.dictionary(page.ref).get('/StructParents');
  forgetParents(objects, objects.structure.get('/ParentTree'), key, ids);
  markArtifacts(objects, page, ids);
}

const beginning = Buffer.from('/Artifact BMC');
const artifact = Buffer.from('/Artifact BMC\n');
const ending = Buffer.from('\nEMC');

/** @param ids of marked content that becomes an artifact, with all that is unmarked */
function markArtifacts(objects: PdfObjects, page: PageContent, ids: ReadonlySet<number>): void {
  const { bytes, marked, unmarked, stream } = page;
  const edits = unmarked.map(({ from, to }) => ({ from, to, isMark: false }));
  for (const id of ids) {
    const mark = marked.get(id);
    if (mark) edits.push({ from: mark.from, to: mark.to, isMark: true });
    marked.delete(id);
  }
  const parts: Buffer[] = [];
  let done = 0;
  for (const { from, to, isMark } of edits.sort((one, other) => one.from - other.from)) {
    parts.push(bytes.subarray(done, from));
    if (isMark) parts.push(beginning);
    else parts.push(artifact, bytes.subarray(from, to), ending);
    done = to;
  }
  parts.push(bytes.subarray(done));
  objects.setStream(stream, Buffer.concat(parts), objects.dictionary(stream));
  page.unmarked = [];
}

/** Artifacts have no parent in the structure. @param key of the page in the tree of numbers (7.9.7) */
function forgetParents(
  objects: PdfObjects,
  node: Value | undefined,
  key: Value | undefined,
  ids: ReadonlySet<number>,
): void {
  const tree = objects.dictionary(node);
  for (const kid of objects.list(tree.get('/Kids'))) forgetParents(objects, kid, key, ids);
  const numbers = objects.list(tree.get('/Nums'));
  const list = numbers[numbers.findIndex((one, at) => at % 2 === 0 && one === key) + 1];
  if (!numbers.includes(key ?? null) || !(list instanceof Ref)) return;
  objects.set(
    list,
    objects.list(list).map((parent, id) => (ids.has(id) ? null : parent)),
  );
}

/** A part needs no alternative text. */
function makePart(objects: PdfObjects, figure: Element): void {
  figure.type = '/Div';
  figure.dictionary = figure.dictionary.with('/S', '/Div');
  objects.set(figure.ref, figure.dictionary);
}

/** The browser puts the content of an item beside its label. */
function addBody(objects: PdfObjects, elements: Element[], item: Element): void {
  const kids = objects.list(item.dictionary.get('/K'));
  const typeOf = (kid: Value) => objects.dictionary(kid).get('/S');
  const rest = kids.filter((kid) => typeOf(kid) !== '/Lbl');
  if (rest.length === 0 || rest.some((kid) => !(kid instanceof Ref) || typeOf(kid) === '/LBody')) return;
  const dictionary = new Dictionary('<</Type /StructElem /S /LBody>>').with('/P', item.ref).with('/K', rest);
  const ref = objects.add(dictionary);
  for (const kid of rest) if (kid instanceof Ref) objects.set(kid, objects.dictionary(kid).with('/P', ref));
  const labels = kids.filter((kid) => !rest.includes(kid));
  objects.set(item.ref, item.dictionary.with('/K', [...labels, ref]));
  const isLabel = ({ type }: Element) => type === '/Lbl';
  const children = item.children.filter((child) => !isLabel(child));
  const { content } = item;
  const body = { ref, type: '/LBody', dictionary, parent: item, children, content, annotations: [] };
  item.children = [...item.children.filter(isLabel), body];
  item.content = [];
  elements.push(body);
}

/** The address describes a link: nothing else is known about its target. */
function describeLink(objects: PdfObjects, ref: Ref): void {
  const annotation = objects.dictionary(ref);
  if (annotation.has('/Contents')) return;
  const address = objects.dictionary(annotation.get('/A')).get('/URI');
  const text = address instanceof PdfString ? address : new PdfString('(Link within this document)');
  objects.set(ref, annotation.with('/Contents', text));
}
