import { problemsOf, type ReadPdf } from './check';
import { type PageContent, readContent } from './content';
import { addMetadata, textOf } from './metadata';
import { PdfObjects } from './pdf-objects';
import { Ref, type Value } from './pdf-values';
import { repair } from './repair';
import { readStructure } from './structure';

/** What is looked at, which limits the time. A PDF with more is left as it is. */
const objectsMax = 20_000;
const contentBytesMax = 4 * 1024 * 1024;

/** A PDF of the browser. */
export interface PrintedPdf {
  readonly pdf: Uint8Array;
  /** That of the document: the browser names its own when there is none. */
  readonly language: string;
}

/** The PDF that declares its conformance; null, and at least one problem, if it does not. */
export interface Declared {
  readonly pdf: Buffer | null;
  readonly problems: readonly string[];
}

/** Makes a PDF of the browser conform to PDF/UA-1 (ISO 14289-1) where it can, and declares it if nothing is found wrong then. */
export function declareAccessible({ pdf, language }: PrintedPdf): Declared {
  try {
    const read = readAccessible(Buffer.from(pdf.buffer, pdf.byteOffset, pdf.length));
    const { objects } = read;
    if (textOf(objects.catalog.get('/Lang')) !== language)
      return { pdf: null, problems: ['7.2: it has no language'] };
    repair(read);
    const problems = problemsOf(read);
    if (problems.length > 0) return { pdf: null, problems };
    addMetadata(objects);
    return { pdf: objects.write(), problems };
  } catch (error) {
    return { pdf: null, problems: [`the structure is not one that the browser writes: ${String(error)}`] };
  }
}

/** Reads a PDF as far as it is checked. @throws Error for structures that the browser does not write, and for very large ones */
export function readAccessible(pdf: Buffer): ReadPdf {
  const objects = new PdfObjects(pdf, objectsMax);
  return { objects, elements: readStructure(objects), pages: readPages(objects) };
}

function readPages(objects: PdfObjects): readonly PageContent[] {
  let left = contentBytesMax;
  const pages: PageContent[] = [];
  const addPages = (node: Value) => {
    const dictionary = objects.dictionary(node);
    if (dictionary.get('/Type') === '/Pages')
      for (const kid of objects.list(dictionary.get('/Kids'))) addPages(kid);
    else if (node instanceof Ref) {
      const page = readContent(objects, node, dictionary, left);
      left -= page.bytes.length;
      pages.push(page);
    }
  };
  addPages(objects.catalog.get('/Pages') ?? null);
  return pages;
}
