/**
 * The number of pages in a PDF, read as viewers do: from the end to the cross-reference table, then to the catalog and
 * the root of the page tree (ISO 32000-1, 7.5 and 7.7). A text search would also match the document's own content.
 * @throws Error for a PDF without this structure
 */
export function countPages(pdf: Buffer): number {
  const tail = pdf.toString('latin1', Math.max(0, pdf.length - 1024));
  const tableAt = Number(/startxref\s+(\d+)\s+%%EOF\s*$/.exec(tail)?.[1]);
  if (!Number.isSafeInteger(tableAt)) throw new Error('no cross-reference table');
  const table = pdf.toString('latin1', tableAt);
  const first = /^xref\s+(\d+) (\d+)\s*\n/.exec(table);
  const root = /trailer[\s\S]*?\/Root (\d+) 0 R/.exec(table)?.[1];
  if (!first || root === undefined) throw new Error('no catalog');
  // Entries have 20 bytes (7.5.4).
  const objectAt = (number: number) =>
    Number(table.slice(first[0].length + (number - Number(first[1])) * 20).slice(0, 10));
  const dictionary = (number: number) => {
    const at = objectAt(number);
    return pdf.toString('latin1', at, pdf.indexOf('endobj', at));
  };
  const pages = /\/Pages (\d+) 0 R/.exec(dictionary(Number(root)))?.[1];
  const count = pages === undefined ? undefined : /\/Count (\d+)/.exec(dictionary(Number(pages)))?.[1];
  if (count === undefined) throw new Error('no page tree');
  return Number(count);
}
