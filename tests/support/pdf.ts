import { payingFetch, type Wallet } from './buyer';
import { stack, type TestNetwork } from './stack';

export const pdfUrl = () => `${stack().apiUrl}/v1/render/pdf`;

/** The response fields for a rendered PDF, as docs/html-to-pdf.md lists them. */
export interface Pdf {
  id: string;
  publicUrl: string;
  expiresAt: string;
  bytes: number;
  pages: number;
  sha256: string;
  renderMs: number;
}

export const minimalHtml = '<!doctype html><title>Invoice</title><h1>Invoice 1</h1>';

/** Buys a PDF with the official client. */
export async function buyPdf(
  wallet: Wallet,
  on: TestNetwork['name'],
  body: { html: string; filename?: string } = { html: minimalHtml },
): Promise<Pdf> {
  const answer = await payingFetch(wallet, on)(pdfUrl(), { method: 'POST', body: JSON.stringify(body) });
  if (answer.status !== 200) throw new Error(`the PDF was not sold: ${answer.status} ${await answer.text()}`);
  return answer.json();
}
