// Buying as a stranger does: with the official clients, over HTTP, and with the money counted on the chain.
import { formatUsdc, readUsdc } from '../balances';
import type { LocalNetwork } from '../stack';
import { dim, print, printStep } from '../terminal';
import type { Wallets } from '../wallets';
import type { TourRail } from './rails';

/** How something is paid for. */
export type Way = {
  apiUrl: string;
  wallets: Wallets['tourist'];
  network: LocalNetwork;
  rail: TourRail;
};

/** What is bought. */
export type Sale = {
  words: string;
  /** Below `/v1`. */
  path: string;
  /** POST, unless said otherwise. */
  method?: 'POST' | 'GET' | 'DELETE';
  /** Sent as JSON. */
  body?: object;
};

/**
 * Asks for the price, pays with the official client, and counts the money on the chain before and after. Throws with a plain
 * reason when a step does not hold.
 */
export async function buy<Answer>(sale: Sale, way: Way): Promise<Answer> {
  const { network, rail } = way;
  const startedMs = performance.now();
  const url = `${way.apiUrl}${rail.pathOf(sale.path, network)}`;
  const init = requestOf(sale);
  const amountAtomic = await askPrice(url, init, way);
  const client = await rail.openClient(network, way.wallets);
  const before = await readBalances(network, client.payer);
  const paid = await client.fetch(url, init);
  const text = await paid.text();
  check(paid.ok, `Paid, ${url} answers ${paid.status}: ${text}`);
  const transaction = rail.readTransaction(paid);
  check(transaction !== undefined, `${url} answers without a receipt of success.`);
  const after = await readBalances(network, client.payer);
  const lost = before.payer - after.payer;
  check(lost === amountAtomic, `The payer lost ${formatUsdc(lost)} USDC, not ${formatUsdc(amountAtomic)}.`);
  // Others may be paying the seller at the same moment.
  check(after.seller - before.seller >= amountAtomic, 'The seller did not get the money.');
  printStep(`bought ${sale.words} for ${formatUsdc(amountAtomic)} USDC`, performance.now() - startedMs);
  print(dim(`      transaction ${transaction}`));
  print(dim(`      payer ${formatUsdc(before.payer)} → ${formatUsdc(after.payer)} USDC`));
  return JSON.parse(text) as Answer;
}

/** Throws the reason when something does not hold. */
export function check(holds: boolean, reason: string): asserts holds {
  if (!holds) throw new Error(reason);
}

function requestOf({ method = 'POST', body }: Sale): RequestInit {
  if (!body) return { method };
  return { method, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
}

async function askPrice(url: string, init: RequestInit, { rail, network }: Way): Promise<bigint> {
  const unpaid = await fetch(url, init);
  check(
    unpaid.status === 402,
    `Unpaid, ${url} answers ${unpaid.status} and not 402: ${await unpaid.clone().text()}`,
  );
  const amount = await rail.readPrice(unpaid, network);
  check(amount !== undefined, `${url} cannot be paid on ${network.name}.`);
  return BigInt(amount);
}

async function readBalances(network: LocalNetwork, payer: string) {
  const [payerAtomic, sellerAtomic] = await Promise.all([
    readUsdc(network, payer),
    readUsdc(network, network.payTo),
  ]);
  return { payer: payerAtomic, seller: sellerAtomic };
}
