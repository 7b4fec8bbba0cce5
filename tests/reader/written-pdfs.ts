import { deflateSync } from 'node:zlib';

/** A piece of text on a page: its lower left corner and its font size, in points. */
export interface Text {
  readonly text: string;
  readonly x?: number;
  readonly y: number;
  readonly size?: number;
}

interface PdfParts {
  /** The content stream of each page. */
  readonly contents: readonly Buffer[];
  /** Further entries of the trailer and of the pages' root, in PDF syntax. */
  readonly trailer?: string;
  readonly kids?: string;
  readonly count?: number;
  readonly info?: string;
  /** Further entries of the catalog and of each page, and the objects that they refer to. The first is number 5 and twice the number of pages. */
  readonly catalog?: string;
  readonly page?: string;
  readonly more?: readonly string[];
  /** Whether content streams are compressed. */
  readonly isDeflated?: boolean;
}

/** A small PDF in Helvetica without tags, as older programs write them. Texts are Latin-1, and bullets. */
export function pdfOf(pages: readonly (readonly Text[])[], info = ''): Buffer {
  return writePdf({ contents: pages.map(contentOf), info });
}

function contentOf(texts: readonly Text[]): Buffer {
  const shown = texts.map(
    ({ text, x = 72, y, size = 11 }) =>
      `BT /F1 ${size} Tf ${x} ${y} Td (${text.replace(/[\\()]/g, '\\$&').replaceAll('•', '\x95')}) Tj ET`,
  );
  return Buffer.from(shown.join('\n'), 'latin1');
}

/** A one-page PDF with a form: its text, and its fields as entries of dictionaries in PDF syntax, each with its place. They are widgets unless they say otherwise. */
export function formOf(
  texts: readonly Text[],
  fields: readonly (readonly [rect: readonly [number, number, number, number], entries: string])[],
): Buffer {
  const first = 7;
  const references = fields.map((_, at) => `${first + at} 0 R`).join(' ');
  return writePdf({
    contents: [contentOf(texts)],
    catalog: `/AcroForm << /Fields [${references}] /NeedAppearances true >>`,
    page: `/Annots [${references}]`,
    more: fields.map(
      ([rect, entries]) =>
        `<< /Type /Annot /Rect [${rect.join(' ')}] ${entries} ${entries.includes('/Subtype') ? '' : '/Subtype /Widget'} >>`,
    ),
  });
}

/** Lines of one size below each other. */
export function linesFrom(y: number, texts: readonly string[], more: Partial<Text> = {}): Text[] {
  const { size = 11 } = more;
  return texts.map((text, at) => ({ ...more, text, y: y - at * size * 1.2 }));
}

/** A PDF of these parts. */
export function writePdf({
  contents,
  trailer = '',
  kids,
  count,
  info = '',
  isDeflated,
  ...parts
}: PdfParts): Buffer {
  const { catalog = '', page = '', more = [] } = parts;
  const first = 5;
  const pageOf = (at: number) => first + 2 * at;
  const objects: Buffer[] = [
    Buffer.from(`<< /Type /Catalog /Pages 2 0 R ${catalog} >>`),
    Buffer.from(
      `<< /Type /Pages /Kids [${kids ?? contents.map((_, at) => `${pageOf(at)} 0 R`).join(' ')}] /Count ${count ?? contents.length} >>`,
    ),
    Buffer.from('<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>'),
    Buffer.from(`<< ${info} >>`, 'latin1'),
    ...contents.flatMap((content, at) => {
      const data = isDeflated ? deflateSync(content) : content;
      const filter = isDeflated ? '/Filter /FlateDecode ' : '';
      return [
        Buffer.from(
          `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 3 0 R >> >> /Contents ${pageOf(at) + 1} 0 R ${page} >>`,
        ),
        Buffer.concat([
          Buffer.from(`<< ${filter}/Length ${data.length} >>\nstream\n`),
          data,
          Buffer.from('\nendstream'),
        ]),
      ];
    }),
    ...more.map((object) => Buffer.from(object, 'latin1')),
  ];
  const file = [Buffer.from('%PDF-1.7\n')];
  const offsets: number[] = [];
  let length = file[0]?.length ?? 0;
  for (const [at, object] of objects.entries()) {
    const written = Buffer.concat([Buffer.from(`${at + 1} 0 obj\n`), object, Buffer.from('\nendobj\n')]);
    offsets.push(length);
    length += written.length;
    file.push(written);
  }
  const table = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  const size = objects.length + 1;
  file.push(
    Buffer.from(
      `xref\n0 ${size}\n0000000000 65535 f \n${table}trailer\n<< /Size ${size} /Root 1 0 R /Info 4 0 R ${trailer} >>\nstartxref\n${length}\n%%EOF\n`,
    ),
  );
  return Buffer.concat(file);
}
