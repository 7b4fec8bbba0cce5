// What a buyer does, done for real: with the official clients, over HTTP, and with the money counted on the chains.
import { createHash, randomBytes } from 'node:crypto';
import { decodePaymentResponseHeader } from '@x402/fetch';
import { formatUsdc, readUsdc } from './balances';
import { openPayingClient, type PayingFetch } from './paying-client';
import type { LocalNetwork } from './stack';
import { bold, dim, print, printStep } from './terminal';
import type { Wallets } from './wallets';

export type TourOptions = { apiUrl: string; networks: readonly LocalNetwork[]; wallets: Wallets['tourist'] };

type Upload = {
  id: string;
  uploadUrl: string;
  uploadMethod: string;
  uploadHeaders: Record<string, string>;
  publicUrl: string;
  expiresAt: string;
};
type Offer = { network: string; amount: string };
type Purchase<Answer> = { answer: Answer; amountAtomic: bigint; transaction: string };

/** Buys, checks and prints every step; throws with a plain reason when a step does not hold. Answers links worth opening. */
export async function runTour(options: TourOptions): Promise<{ words: string; url: string }[]> {
  print(`\n${bold('The tour')}: an agent with a wallet and no account buys what is sold here.`);
  const uploads: { network: LocalNetwork; upload: Upload }[] = [];
  for (const network of options.networks) {
    print(`\n  ${bold(network.name)}`);
    uploads.push({ network, upload: await buyUpload(network, options) });
  }
  const [first, second] = uploads;
  print(`\n  ${bold('afterwards')}`);
  if (first) await renewUpload(first.network, first.upload, options);
  if (second) await deleteUpload(second.network, second.upload, options);
  return uploads
    .filter((entry) => entry !== second)
    .map(({ network, upload }) => ({ words: `The file bought on ${network.name}`, url: upload.publicUrl }));
}

async function buyUpload(network: LocalNetwork, options: TourOptions): Promise<Upload> {
  const bytes = Buffer.from(`Hello from ${network.name}. ${randomBytes(24).toString('hex')}\n`);
  const digest = createHash('sha256').update(bytes).digest();
  const body = JSON.stringify({
    mime: 'text/plain',
    size: bytes.length,
    sha256: digest.toString('hex'),
    sha256Base64: digest.toString('base64'),
    filename: `hello-from-${network.name}.txt`,
  });
  const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body };
  const { answer: upload } = await buy<Upload>('a place for a file', network, '/v1/uploads', init, options);

  let startedMs = performance.now();
  const put = await fetch(upload.uploadUrl, {
    method: upload.uploadMethod,
    headers: upload.uploadHeaders,
    body: bytes,
  });
  check(put.ok, `The upload was refused with ${put.status}: ${await put.text()}`);
  printStep(`sent the ${bytes.length} bytes`, performance.now() - startedMs);

  startedMs = performance.now();
  const download = await fetch(upload.publicUrl);
  const received = Buffer.from(await download.arrayBuffer());
  check(download.ok, `The public link answers ${download.status}.`);
  check(received.equals(bytes), 'The public link gives other bytes than were uploaded.');
  printStep('read the same bytes from its public link', performance.now() - startedMs);
  return upload;
}

async function renewUpload(network: LocalNetwork, upload: Upload, options: TourOptions): Promise<void> {
  const route = `/v1/uploads/${upload.id}/renew`;
  const words = `a longer life for the file of ${network.name}`;
  const { answer } = await buy<{ expiresAt: string }>(words, network, route, { method: 'POST' }, options);
  check(
    answer.expiresAt > upload.expiresAt,
    `The link was to live past ${upload.expiresAt}, not to ${answer.expiresAt}.`,
  );
}

async function deleteUpload(network: LocalNetwork, upload: Upload, options: TourOptions): Promise<void> {
  const route = `/v1/uploads/${upload.id}`;
  const words = `the deletion of the file of ${network.name}`;
  const { answer } = await buy<{ deleted: boolean }>(words, network, route, { method: 'DELETE' }, options);
  check(answer.deleted === true, 'The answer does not say that the file is deleted.');
  const gone = await fetch(upload.publicUrl);
  check(
    gone.status === 410 || gone.status === 404,
    `The public link of a deleted file answers ${gone.status}.`,
  );
}

/** Asks for the price, pays with the official client, and counts the money on the chain before and after. */
async function buy<Answer>(
  words: string,
  network: LocalNetwork,
  route: string,
  init: RequestInit,
  options: TourOptions,
): Promise<Purchase<Answer>> {
  const startedMs = performance.now();
  const url = `${options.apiUrl}${route}`;
  const amountAtomic = await askPrice(network, url, init);
  const { payer, fetch: payingFetch } = await openPayingClient(network, options.wallets);
  const before = await readBalances(network, payer);
  const { answer, transaction } = await pay<Answer>(payingFetch, url, init);
  const after = await readBalances(network, payer);
  const paid = before.payer - after.payer;
  check(paid === amountAtomic, `The payer lost ${formatUsdc(paid)} USDC, not ${formatUsdc(amountAtomic)}.`);
  // Others may be paying the seller at the same moment.
  check(after.seller - before.seller >= amountAtomic, 'The seller did not get the money.');
  printStep(`bought ${words} for ${formatUsdc(amountAtomic)} USDC`, performance.now() - startedMs);
  print(dim(`      transaction ${transaction}`));
  print(dim(`      payer ${formatUsdc(before.payer)} → ${formatUsdc(after.payer)} USDC`));
  return { answer, amountAtomic, transaction };
}

async function askPrice(network: LocalNetwork, url: string, init: RequestInit): Promise<bigint> {
  const unpaid = await fetch(url, init);
  check(
    unpaid.status === 402,
    `Unpaid, ${url} answers ${unpaid.status} and not 402: ${await unpaid.clone().text()}`,
  );
  const { accepts } = (await unpaid.json()) as { accepts: Offer[] };
  const offer = accepts.find((candidate) => candidate.network === network.caip2);
  if (!offer) throw new Error(`${url} cannot be paid on ${network.name}.`);
  return BigInt(offer.amount);
}

async function pay<Answer>(payingFetch: PayingFetch, url: string, init: RequestInit) {
  const response = await payingFetch(url, init);
  const text = await response.text();
  check(response.ok, `Paid, ${url} answers ${response.status}: ${text}`);
  const receipt = response.headers.get('payment-response');
  if (!receipt) throw new Error(`${url} answers without a receipt.`);
  const { success, transaction } = decodePaymentResponseHeader(receipt);
  check(success, 'The receipt does not say that the payment succeeded.');
  return { answer: JSON.parse(text) as Answer, transaction };
}

async function readBalances(network: LocalNetwork, payer: string) {
  const [payerAtomic, sellerAtomic] = await Promise.all([
    readUsdc(network, payer),
    readUsdc(network, network.payTo),
  ]);
  return { payer: payerAtomic, seller: sellerAtomic };
}

function check(holds: boolean, reason: string): asserts holds {
  if (!holds) throw new Error(reason);
}
