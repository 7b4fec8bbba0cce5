// The tour of the demo: buys each service with the official clients, over HTTP, and checks the balances on the chains.

import { createHash } from 'node:crypto';
import type { LocalNetwork } from '../stack';
import { bold, dim, print, printStep } from '../terminal';
import type { Wallets } from '../wallets';
import { type Buyer, buy, check } from './buy';
import { buyFlights } from './flights';
import { buyForm } from './forms';
import { mpp, x402 } from './rails';
import { buyResearch } from './research';
import { type BoughtUpload, buyUpload, deleteUpload, renewUpload } from './uploads';

/** An invoice with what real ones contain: a picture, a table and several scripts. */
export const invoiceHtml = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Invoice 2026-001</title>
<style>
  @page { margin: 2cm; @bottom-right { content: "Page " counter(page) " of " counter(pages) } }
  body { font: 11pt/1.5 Helvetica, Arial, sans-serif; color: #222 }
  header { display: flex; justify-content: space-between; align-items: center }
  table { width: 100%; border-collapse: collapse; margin: 2em 0 }
  th, td { padding: .4em; border-bottom: 1px solid #ccc; text-align: left }
  td:last-child, th:last-child { text-align: right }
  tfoot td { font-weight: bold }
</style>
</head>
<body>
<header>
  <h1>Invoice 2026-001</h1>
  <svg width="64" height="64" viewBox="0 0 64 64"><circle cx="32" cy="32" r="30" fill="#2775ca"/><text x="32" y="43" font-size="30" text-anchor="middle" fill="#fff">T</text></svg>
</header>
<p>To: 山田商店, شركة النور, Müller &amp; Søn 🧾</p>
<table>
  <thead><tr><th>Item</th><th>USDC</th></tr></thead>
  <tbody><tr><td>Three boxes of paper</td><td>36.00</td></tr><tr><td>Delivery</td><td>6.00</td></tr></tbody>
  <tfoot><tr><td>Total</td><td>42.00</td></tr></tfoot>
</table>
<p>Payable within 30 days at <a href="https://example.com/pay">example.com/pay</a>.</p>
</body>
</html>`;

type Pdf = { publicUrl: string; bytes: number; pages: number; sha256: string };

/** Buys an invoice rendered as a PDF and downloads it. Returns its public link. */
async function buyInvoice(buyer: Buyer): Promise<string> {
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

export type TourOptions = { apiUrl: string; networks: readonly LocalNetwork[]; wallets: Wallets['tour'] };

type Link = { label: string; url: string };

const rails = [x402, mpp];

/** Buys, checks and prints each step. Returns links to what it bought; throws an error with the reason if a check fails. */
export async function runTour(options: TourOptions): Promise<Link[]> {
  print(`\n${bold('Tour')}: an agent with a wallet and no account pays for each service.`);
  const { apiUrl, wallets, networks } = options;
  const links = await buyUploads(options);
  const [network] = networks;
  if (!network) return links;
  const buyer = { apiUrl, wallets, network };
  print(`\n  ${bold('PDF and web form')}`);
  links.push({ label: 'Invoice (PDF)', url: await buyInvoice({ ...buyer, rail: x402 }) });
  links.push({ label: 'Form', url: await buyForm({ ...buyer, rail: x402 }) });
  print(`\n  ${bold('search and reading')}${dim(', from sandbox providers')}`);
  for (const rail of rails) await buyResearch({ ...buyer, rail });
  print(`\n  ${bold('flights')}${dim(', from a sandbox provider')}`);
  await buyFlights(buyer);
  return links;
}

/** Buys an upload on every network over every rail. On each rail it renews the first one and deletes the second. */
async function buyUploads({ apiUrl, wallets, networks }: TourOptions): Promise<Link[]> {
  const uploads: BoughtUpload[] = [];
  for (const rail of rails) {
    for (const network of networks.filter(rail.supports)) {
      print(`\n  ${bold(`${network.name}, over ${rail.name}`)}`);
      uploads.push(await buyUpload({ apiUrl, wallets, network, rail }));
    }
  }
  print(`\n  ${bold('renewal and deletion')}`);
  const deleted: BoughtUpload[] = [];
  for (const rail of rails) {
    const [first, second] = uploads.filter(({ buyer }) => buyer.rail === rail);
    if (first) await renewUpload(first);
    if (!second) continue;
    await deleteUpload(second);
    deleted.push(second);
  }
  return uploads
    .filter((upload) => !deleted.includes(upload))
    .map(({ buyer, upload }) => ({
      label: `Upload on ${buyer.network.name}, ${buyer.rail.name}`,
      url: upload.publicUrl,
    }));
}
