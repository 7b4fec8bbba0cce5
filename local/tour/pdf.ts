import { createHash } from 'node:crypto';
import { dim, print, printStep } from '../terminal';
import { buy, check, type Way } from './buying';
import { invoiceHtml } from './invoice';

type Pdf = { publicUrl: string; bytes: number; pages: number; sha256: string };

/** Has an invoice rendered and answers its public link. */
export async function buyInvoice(way: Way): Promise<string> {
  const body = { html: invoiceHtml, filename: 'invoice-2026-001.pdf' };
  const pdf = await buy<Pdf>({ words: 'an invoice as a PDF', path: '/render/pdf', body }, way);
  const startedMs = performance.now();
  const download = await fetch(pdf.publicUrl);
  const bytes = Buffer.from(await download.arrayBuffer());
  check(download.ok, `The link of the PDF answers ${download.status}.`);
  const digest = createHash('sha256').update(bytes).digest('hex');
  check(
    digest === pdf.sha256 && bytes.length === pdf.bytes,
    'The link gives another file than was rendered.',
  );
  printStep(
    `read its ${pdf.pages} page, ${pdf.bytes} bytes, from its public link`,
    performance.now() - startedMs,
  );
  print(dim(`      ${pdf.publicUrl}`));
  return pdf.publicUrl;
}
