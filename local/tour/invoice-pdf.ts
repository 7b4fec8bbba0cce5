import { createHash } from 'node:crypto';
import { dim, print, printStep } from '../terminal';
import { type Buyer, buy, check } from './buy';
import { invoiceHtml } from './invoice';

type Pdf = { publicUrl: string; bytes: number; pages: number; sha256: string };

/** Buys an invoice rendered as a PDF and downloads it. Returns its public link. */
export async function buyInvoice(buyer: Buyer): Promise<string> {
  const body = { html: invoiceHtml, filename: 'invoice-2026-001.pdf' };
  const pdf = await buy<Pdf>({ label: 'an invoice as a PDF', path: '/render/pdf', body }, buyer);
  const startedMs = performance.now();
  const download = await fetch(pdf.publicUrl);
  const bytes = Buffer.from(await download.arrayBuffer());
  check(download.ok, `The link of the PDF was answered with ${download.status}.`);
  const digest = createHash('sha256').update(bytes).digest('hex');
  check(
    digest === pdf.sha256 && bytes.length === pdf.bytes,
    'The link returned another file than was rendered.',
  );
  printStep(`downloaded it: ${pdf.pages} page, ${pdf.bytes} bytes`, performance.now() - startedMs);
  print(dim(`      ${pdf.publicUrl}`));
  return pdf.publicUrl;
}
