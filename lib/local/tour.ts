// What a buyer does, done for real: with the official clients, over HTTP, and with the money counted on the chains.
import { createHash, randomBytes } from 'node:crypto';
import { formatUsdc, readUsdc } from './balances';
import type { LocalNetwork } from './stack';
import { bold, dim, print, printStep } from './terminal';
import { invoiceHtml } from './tour-invoice';
import { mpp, type TourRail, x402 } from './tour-rails';
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
type Bought = { network: LocalNetwork; rail: TourRail; upload: Upload };
type Pdf = { publicUrl: string; bytes: number; pages: number; sha256: string };
type Form = { url: string; readToken: string; responsesUrl: string };

/** Buys, checks and prints every step; throws with a plain reason when a step does not hold. Answers links worth opening. */
export async function runTour(options: TourOptions): Promise<{ words: string; url: string }[]> {
  print(`\n${bold('The tour')}: an agent with a wallet and no account buys what is sold here.`);
  const uploads: Bought[] = [];
  for (const rail of [x402, mpp]) {
    for (const network of options.networks.filter(rail.takes)) {
      print(`\n  ${bold(`${network.name}, over ${rail.name}`)}`);
      uploads.push(await buyUpload(network, rail, options));
    }
  }
  print(`\n  ${bold('afterwards')}`);
  const deleted: Bought[] = [];
  for (const rail of [x402, mpp]) {
    const [first, second] = uploads.filter((bought) => bought.rail === rail);
    if (first) await renewUpload(first, options);
    if (!second) continue;
    await deleteUpload(second, options);
    deleted.push(second);
  }
  const links = uploads
    .filter((bought) => !deleted.includes(bought))
    .map(({ network, rail, upload }) => ({
      words: `The file of ${network.name}, ${rail.name}`,
      url: upload.publicUrl,
    }));
  const [network] = options.networks;
  if (!network) return links;
  links.push({ words: 'The invoice, a PDF', url: await buyInvoice(network, options) });
  links.push({ words: 'A form to fill in', url: await buyForm(network, options) });
  print(`\n  ${bold('search and reading')}${dim(', from a sandbox')}`);
  for (const rail of [x402, mpp]) await buyResearch(network, rail, options);
  return links;
}

/** One of each kind of research: a search by meaning, a page read, a search engine's results. */
async function buyResearch(network: LocalNetwork, rail: TourRail, options: TourOptions): Promise<void> {
  const neural = await buyJson<{ results: unknown[] }>(
    `a search by meaning, over ${rail.name},`,
    '/neural/search',
    { query: 'sodium-ion storage pilots', numResults: 2 },
  );
  check(neural.results.length === 2, 'The search does not answer two results.');
  const page = await buyJson<{ data: { markdown: string } }>(
    `a web page as markdown, over ${rail.name},`,
    '/crawl/scrape',
    { url: 'https://example.com/' },
  );
  check(page.data.markdown.length > 0, 'The page has no markdown.');
  const serp = await buyJson<{ organic: unknown[] }>(
    `the results of a search engine, over ${rail.name},`,
    '/serp/search',
    { q: 'tallest lighthouse in europe', gl: 'gb' },
  );
  check(serp.organic.length > 0, 'The search engine found nothing.');

  function buyJson<Answer>(words: string, path: string, body: object): Promise<Answer> {
    const headers = { 'content-type': 'application/json' };
    return buy<Answer>(
      { words, path, init: { method: 'POST', headers, body: JSON.stringify(body) } },
      network,
      rail,
      options,
    );
  }
}

/** Opens a form, reads its answers and answers its address. */
async function buyForm(network: LocalNetwork, options: TourOptions): Promise<string> {
  const body = JSON.stringify({
    title: 'Team lunch',
    description: 'Friday at noon.',
    questions: [
      { id: 'name', type: 'text', label: 'Your name', required: true },
      {
        id: 'food',
        type: 'choice',
        label: 'What would you like?',
        options: ['Soup', 'Salad'],
        allowOther: true,
      },
      { id: 'note', type: 'long_text', label: 'Anything that we should know?' },
    ],
  });
  const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body };
  const sale = { words: 'a web form', path: '/forms', init };
  const form = await buy<Form>(sale, network, x402, options);
  const startedMs = performance.now();
  const page = await fetch(form.url);
  check(page.ok, `The page of the form answers ${page.status}.`);
  const answers = await fetch(form.responsesUrl, { headers: { authorization: `Bearer ${form.readToken}` } });
  check(answers.ok, `The answers of the form cannot be read: ${answers.status} ${await answers.text()}`);
  printStep(
    'opened its page and read its answers, of which there are none yet',
    performance.now() - startedMs,
  );
  print(
    dim(`      fill it in, then: curl -H "Authorization: Bearer ${form.readToken}" ${form.responsesUrl}`),
  );
  return form.url;
}

/** Has an invoice rendered and answers its public link. */
async function buyInvoice(network: LocalNetwork, options: TourOptions): Promise<string> {
  const body = JSON.stringify({ html: invoiceHtml, filename: 'invoice-2026-001.pdf' });
  const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body };
  const sale = { words: 'an invoice as a PDF', path: '/render/pdf', init };
  const pdf = await buy<Pdf>(sale, network, x402, options);
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

async function buyUpload(network: LocalNetwork, rail: TourRail, options: TourOptions): Promise<Bought> {
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
  const sale = { words: 'a place for a file', path: '/uploads', init };
  const upload = await buy<Upload>(sale, network, rail, options);

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
  return { network, rail, upload };
}

async function renewUpload({ network, rail, upload }: Bought, options: TourOptions): Promise<void> {
  const words = `a longer life for the file of ${network.name}, over ${rail.name},`;
  const sale = { words, path: `/uploads/${upload.id}/renew`, init: { method: 'POST' } };
  const answer = await buy<{ expiresAt: string }>(sale, network, rail, options);
  check(
    answer.expiresAt > upload.expiresAt,
    `The link was to live past ${upload.expiresAt}, not to ${answer.expiresAt}.`,
  );
}

async function deleteUpload({ network, rail, upload }: Bought, options: TourOptions): Promise<void> {
  const words = `the deletion of the file of ${network.name}, over ${rail.name},`;
  const sale = { words, path: `/uploads/${upload.id}`, init: { method: 'DELETE' } };
  const answer = await buy<{ deleted: boolean }>(sale, network, rail, options);
  check(answer.deleted === true, 'The answer does not say that the file is deleted.');
  const gone = await fetch(upload.publicUrl);
  check(
    gone.status === 410 || gone.status === 404,
    `The public link of a deleted file answers ${gone.status}.`,
  );
}

/** What is bought, by its path below `/v1`. */
type Sale = { words: string; path: string; init: RequestInit };

/** Asks for the price, pays with the official client, and counts the money on the chain before and after. */
async function buy<Answer>(
  { words, path, init }: Sale,
  network: LocalNetwork,
  rail: TourRail,
  options: TourOptions,
): Promise<Answer> {
  const startedMs = performance.now();
  const url = `${options.apiUrl}${rail.pathOf(path, network)}`;
  const amountAtomic = await askPrice(network, rail, url, init);
  const client = await rail.openClient(network, options.wallets);
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
  printStep(`bought ${words} for ${formatUsdc(amountAtomic)} USDC`, performance.now() - startedMs);
  print(dim(`      transaction ${transaction}`));
  print(dim(`      payer ${formatUsdc(before.payer)} → ${formatUsdc(after.payer)} USDC`));
  return JSON.parse(text) as Answer;
}

async function askPrice(
  network: LocalNetwork,
  rail: TourRail,
  url: string,
  init: RequestInit,
): Promise<bigint> {
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

function check(holds: boolean, reason: string): asserts holds {
  if (!holds) throw new Error(reason);
}
