import { formatUsdc, readUsdc } from '../balances';
import type { LocalNetwork } from '../stack';
import { dim, print, printStep } from '../terminal';
import type { Wallets } from '../wallets';
import type { TourRail } from './rails';

/** Who buys, and over which network and rail it pays. */
export type Buyer = {
  apiUrl: string;
  wallets: Wallets['tour'];
  network: LocalNetwork;
  rail: TourRail;
};

/** The paid request. */
export type Purchase = {
  /** Completes the sentence "bought …". */
  label: string;
  /** Below `/v1`. */
  path: string;
  /** POST by default. */
  method?: 'POST' | 'GET' | 'DELETE';
  /** Sent as JSON. */
  body?: object;
};

/**
 * Asks for the price, pays with the official client, and compares the balances on the chain before and after. Throws an error
 * that says what went wrong if any check fails.
 */
export async function buy<Result>(purchase: Purchase, buyer: Buyer): Promise<Result> {
  const { network, rail } = buyer;
  const startedMs = performance.now();
  const url = `${buyer.apiUrl}${rail.pathOf(purchase.path, network)}`;
  const init = toRequest(purchase);
  const amountAtomic = await readPrice(url, init, buyer);
  const client = await rail.openClient(network, buyer.wallets);
  const before = await readBalances(network, client.payer);
  const paid = await client.fetch(url, init);
  const text = await paid.text();
  check(paid.ok, `The paid request to ${url} was answered with ${paid.status}: ${text}`);
  const transaction = rail.readTransaction(paid);
  check(transaction !== undefined, `The response of ${url} has no receipt of a successful payment.`);
  const after = await readBalances(network, client.payer);
  const spent = before.payer - after.payer;
  check(
    spent === amountAtomic,
    `The payer spent ${formatUsdc(spent)} USDC, not ${formatUsdc(amountAtomic)}.`,
  );
  // Other payers may pay at the same time.
  check(after.recipient - before.recipient >= amountAtomic, 'The recipient did not receive the payment.');
  printStep(`bought ${purchase.label} for ${formatUsdc(amountAtomic)} USDC`, performance.now() - startedMs);
  print(dim(`      transaction ${transaction}`));
  print(dim(`      payer ${formatUsdc(before.payer)} → ${formatUsdc(after.payer)} USDC`));
  return JSON.parse(text) as Result;
}

/** Throws an error with the message unless the condition holds. */
export function check(condition: boolean, message: string): asserts condition {
  if (!condition) throw new Error(message);
}

function toRequest({ method = 'POST', body }: Purchase): RequestInit {
  if (!body) return { method };
  return { method, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
}

async function readPrice(url: string, init: RequestInit, { rail, network }: Buyer): Promise<bigint> {
  const unpaid = await fetch(url, init);
  check(
    unpaid.status === 402,
    `The unpaid request to ${url} was answered with ${unpaid.status}, not 402: ${await unpaid.clone().text()}`,
  );
  const amount = await rail.readPrice(unpaid, network);
  check(amount !== undefined, `${url} does not accept payments on ${network.name}.`);
  return BigInt(amount);
}

async function readBalances(network: LocalNetwork, payer: string) {
  const [payerAtomic, recipientAtomic] = await Promise.all([
    readUsdc(network, payer),
    readUsdc(network, network.payTo),
  ]);
  return { payer: payerAtomic, recipient: recipientAtomic };
}
