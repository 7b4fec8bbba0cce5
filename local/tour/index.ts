// What a buyer does, done for real: with the official clients, over HTTP, and with the money counted on the chains.
import type { LocalNetwork } from '../stack';
import { bold, dim, print } from '../terminal';
import type { Wallets } from '../wallets';
import { type Bought, buyUpload, deleteUpload, renewUpload } from './files';
import { buyFlights } from './flights';
import { buyForm } from './form';
import { buyInvoice } from './pdf';
import { mpp, x402 } from './rails';
import { buyResearch } from './research';

export type TourOptions = { apiUrl: string; networks: readonly LocalNetwork[]; wallets: Wallets['tourist'] };

const rails = [x402, mpp];

/** Buys, checks and prints every step; throws with a plain reason when a step does not hold. Answers links worth opening. */
export async function runTour(options: TourOptions): Promise<{ words: string; url: string }[]> {
  print(`\n${bold('The tour')}: an agent with a wallet and no account buys what is sold here.`);
  const { apiUrl, wallets, networks } = options;
  const links = await buyFiles(options);
  const [network] = networks;
  if (!network) return links;
  const way = { apiUrl, wallets, network };
  links.push({ words: 'The invoice, a PDF', url: await buyInvoice({ ...way, rail: x402 }) });
  links.push({ words: 'A form to fill in', url: await buyForm({ ...way, rail: x402 }) });
  print(`\n  ${bold('search and reading')}${dim(', from a sandbox')}`);
  for (const rail of rails) await buyResearch({ ...way, rail });
  print(`\n  ${bold('flights')}${dim(', from a sandbox')}`);
  await buyFlights(way);
  return links;
}

/** A file on every network over every rail; of each rail's, the first is renewed and the second deleted. */
async function buyFiles({
  apiUrl,
  wallets,
  networks,
}: TourOptions): Promise<{ words: string; url: string }[]> {
  const files: Bought[] = [];
  for (const rail of rails) {
    for (const network of networks.filter(rail.takes)) {
      print(`\n  ${bold(`${network.name}, over ${rail.name}`)}`);
      files.push(await buyUpload({ apiUrl, wallets, network, rail }));
    }
  }
  print(`\n  ${bold('afterwards')}`);
  const deleted: Bought[] = [];
  for (const rail of rails) {
    const [first, second] = files.filter(({ way }) => way.rail === rail);
    if (first) await renewUpload(first);
    if (!second) continue;
    await deleteUpload(second);
    deleted.push(second);
  }
  return files
    .filter((file) => !deleted.includes(file))
    .map(({ way, upload }) => ({
      words: `The file of ${way.network.name}, ${way.rail.name}`,
      url: upload.publicUrl,
    }));
}
