// The tour of the demo: buys each service with the official clients, over HTTP, and checks the balances on the chains.
import type { LocalNetwork } from '../stack';
import { bold, dim, print } from '../terminal';
import type { Wallets } from '../wallets';
import { buyFlights } from './flights';
import { buyForm } from './forms';
import { buyInvoice } from './invoice-pdf';
import { mpp, x402 } from './rails';
import { buyResearch } from './research';
import { type BoughtUpload, buyUpload, deleteUpload, renewUpload } from './uploads';

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
