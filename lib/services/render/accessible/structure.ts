import type { PdfObjects } from './pdf-objects';
import { type Dictionary, Ref, type Value } from './pdf-values';

/** An element of the structure tree (ISO 32000-1, 14.7.2). */
export interface Element {
  readonly ref: Ref;
  /** Its type, such as `/P`. */
  type: string;
  dictionary: Dictionary;
  readonly parent: Element | null;
  /** What it contains, without `NonStruct`, which stands for nothing. */
  children: Element[];
  /** The marked content that it contains itself, or in such elements. */
  content: Content[];
  /** The annotations that it contains, as object numbers. */
  readonly annotations: number[];
}

/** Content of a page. */
export interface Content {
  /** The page's object. */
  readonly page: number;
  readonly id: number;
  /** The element with this content: the one itself, or a `NonStruct` in it. */
  readonly holder: Ref;
}

const depthMax = 200;

/** The elements of the structure tree in reading order. @throws Error when it is no tree, or very deep */
export function readStructure(objects: PdfObjects): Element[] {
  const elements: Element[] = [];
  const seen = new Set<number>();

  const addElement = (ref: Ref, parent: Element | null, depth: number): void => {
    const dictionary = objects.dictionary(ref);
    const type = dictionary.get('/S');
    if (typeof type !== 'string' || seen.has(ref.number) || depth > depthMax)
      throw new Error('an unknown part of the structure');
    seen.add(ref.number);
    let inside = parent;
    if (type !== '/NonStruct' || inside === null) {
      inside = { ref, type, dictionary, parent, children: [], content: [], annotations: [] };
      elements.push(inside);
      parent?.children.push(inside);
    }
    for (const kid of objects.list(dictionary.get('/K'))) {
      if (kid instanceof Ref) addElement(kid, inside, depth + 1);
      else if (typeof kid === 'number') addContent(inside, ref, dictionary, kid);
      else addPart(inside, ref, dictionary, objects.dictionary(kid));
    }
  };

  for (const kid of objects.list(objects.structure.get('/K')))
    if (kid instanceof Ref) addElement(kid, null, 0);
  return elements;
}

function addPart(inside: Element, holder: Ref, of: Dictionary, part: Dictionary): void {
  const target = part.get('/Obj');
  if (target instanceof Ref) inside.annotations.push(target.number);
  // Content on another page than the rest of its element (14.7.4.2).
  else
    addContent(inside, holder, part.has('/Pg') ? part : of, part.has('/Stm') ? undefined : part.get('/MCID'));
}

/** @param on what names the page */
function addContent(inside: Element, holder: Ref, on: Dictionary, id: Value | undefined): void {
  const page = on.get('/Pg');
  if (!(page instanceof Ref) || typeof id !== 'number') throw new Error('content of no page');
  inside.content.push({ page: page.number, id, holder });
}
