import { chosenWallet, listWallets } from '@/app/_wallets/choice';
import type { PayableNetwork } from '@/app/_wallets/networks';
import { PagePayment, type Paid, type Purchase } from '@/app/_wallets/payment';
import { type CallRequest, type Offers, offersIn, sendUnpaid } from '@/app/_wallets/request';
import { clusterOf } from '@/app/_wallets/solana';
import { problemOf, Stopped } from '@/app/_wallets/stopped';
import { type FoundWallet, watchWallets } from '@/app/_wallets/wallets';
import { usdc } from '@/app/_wallets/words';
import { tryIds as ids, pageOf, type TryState } from '../../reference/try/state';
import { connectBodyFields, readBody } from './body-fields';
import { code, facts, option } from './elements';
import { showPaid, showUnpaid } from './views';

/** "Try it": makes the call from the page, shows its 402, and pays for it from a wallet in this browser. */

const find = <Kind extends HTMLElement>(id: string): Kind => {
  const found = document.getElementById(id);
  if (!found) throw new Error(`The page has no element ${id}.`);
  // The server renders these elements (reference/try/section.tsx).
  return found as Kind;
};

const state = JSON.parse(find(ids.state).textContent ?? '') as TryState;
const cluster = clusterOf(state.networks.map(({ name }) => name));
const payment = new PagePayment(pageOf(state.operation), cluster, (_, words) => setText(ids.status, words));
const coin = state.isTest ? 'test USDC' : 'USDC';

const form = find<HTMLFormElement>(ids.form);
const payForm = find<HTMLFormElement>(ids.payForm);
const dialog = find<HTMLDialogElement>(ids.dialog);
const walletList = find(ids.wallets);

/** The offers of the last unpaid call, and the request that they are for. */
interface Quote {
  readonly request: CallRequest;
  readonly offers: Offers;
}

let wallets: readonly FoundWallet[] = [];
let quote: Quote | null = null;
let isBusy = false;
let isNetworkChosen = false;

const setText = (id: string, text: string) => {
  find(id).textContent = text;
};

function showProblem(stopped: Stopped | null): void {
  const problem = find(ids.problem);
  setText(ids.problemTitle, stopped?.title ?? 'Nothing was paid');
  setText(ids.problemText, stopped?.message ?? '');
  problem.hidden = stopped === null;
  if (stopped) problem.focus();
}

/** Marks buttons as disabled but leaves them focusable. Once a call is paid, the button that pays stays disabled. */
function setBusy(isNow: boolean): void {
  isBusy = isNow;
  for (const button of document.querySelectorAll(`#${ids.form} button, #${ids.review}`)) {
    if (isNow || (button.id === ids.review && quote === null)) button.setAttribute('aria-disabled', 'true');
    else button.removeAttribute('aria-disabled');
  }
}

/** Runs one thing at a time, and shows its problem. */
async function run(work: () => Promise<void>): Promise<void> {
  if (isBusy) return;
  setBusy(true);
  showProblem(null);
  const problem = await work().then(
    () => null,
    (error: unknown) => problemOf(error, payment.open !== null),
  );
  setBusy(false);
  setText(ids.status, '');
  if (problem) showProblem(problem);
}

function forget(): void {
  quote = null;
  find(ids.answer).hidden = true;
  showPayForm(false);
}

/** Once a call can be paid, that is the next step, and sending it again is not. */
function showPayForm(isShown: boolean): void {
  payForm.hidden = !isShown;
  form.querySelector('button')?.classList.toggle('secondary', isShown);
}

async function ask(): Promise<void> {
  forget();
  find(ids.paid).hidden = true;
  const request = readRequest(form, state);
  setText(ids.status, 'Sending…');
  const answer = await sendUnpaid(request);
  const offers = offersIn(answer);
  showUnpaid(find(ids.answer), answer, offers, state);
  if (!offers) return;
  quote = { request, offers };
  const networks = state.networks.filter(({ caip2 }) => offers.accepts.some((one) => one.network === caip2));
  find(ids.networks).replaceChildren(
    ...networks.map(({ name, label }, at) => option('try-network', name, at === 0, label)),
  );
  showPayForm(networks.length > 0);
  showChoice();
}

function chosenNetwork(): PayableNetwork | undefined {
  const chosen = payForm.querySelector<HTMLInputElement>('input[name="try-network"]:checked')?.value;
  return state.networks.find(({ name }) => name === chosen);
}

/** Unless a person has chosen a network, it is the first one that a wallet in this browser can pay on. */
function followWallets(): void {
  if (isNetworkChosen) return;
  const payable = [...payForm.querySelectorAll<HTMLInputElement>('input[name="try-network"]')].find(
    ({ value }) =>
      wallets.some(({ family }) => state.networks.some((one) => one.name === value && one.family === family)),
  );
  if (payable) payable.checked = true;
}

/** Lists the wallets of the chosen network. */
function showChoice(): void {
  if (quote === null) return;
  followWallets();
  const network = chosenNetwork();
  const fitting = wallets.filter(({ family }) => family === network?.family);
  listWallets(walletList, fitting);
  find(ids.noWallet).hidden = fitting.length > 0;
  find(ids.review).hidden = fitting.length === 0;
  setText(ids.review, network ? `Pay ${amountOn(network)} on ${network.label}` : 'Pay');
}

const acceptedOn = ({ caip2 }: PayableNetwork) =>
  quote?.offers.accepts.find(({ network }) => network === caip2);
const amountOn = (network: PayableNetwork) => `${usdc(acceptedOn(network)?.amount ?? '0')} ${coin}`;

/** @throws Stopped while something is not chosen */
function chosen() {
  const [network, wallet] = [chosenNetwork(), chosenWallet(walletList, wallets)];
  const accepted = network && acceptedOn(network);
  if (!network || !wallet || !accepted || !quote) throw new Stopped('Choose a wallet.');
  return { network, wallet, accepted, request: quote.request };
}

/** Asks for confirmation before the wallet is asked. */
async function review(): Promise<void> {
  const { network, wallet, accepted } = chosen();
  const amount = amountOn(network);
  find(ids.dialogText).replaceChildren(
    facts({
      Amount: `${amount} on ${network.label}`,
      'Network fee': 'None',
      From: wallet.name,
      To: code(accepted.payTo),
      Worth: state.isTest ? 'Nothing: test USDC has no value' : null,
    }),
  );
  setText(ids.confirm, `Pay ${amount} on ${network.label}`);
  dialog.showModal();
}

function purchase(): Purchase {
  const { network, wallet, accepted, request } = chosen();
  const amount = usdc(accepted.amount);
  const input = { operation: state.operation, amount };
  return { request, amount, wallet, network, transaction: { path: '/try/solana', input } };
}

async function show(work: Promise<Paid>): Promise<void> {
  const result = await work;
  // The price stays above the answer, so that nothing moves.
  quote = null;
  setText(ids.review, 'Paid');
  showPaid(find(ids.paid), result, state);
}

form.addEventListener('submit', (event) => {
  event.preventDefault();
  void run(ask);
});
// A price is only for the request that was sent, so a change discards it.
form.addEventListener('input', forget);
payForm.addEventListener('change', ({ target }) => {
  if (target instanceof HTMLInputElement && target.name === 'try-network') isNetworkChosen = true;
  showChoice();
});
payForm.addEventListener('submit', (event) => {
  event.preventDefault();
  if (quote !== null) void run(review);
});
dialog.addEventListener('close', () => {
  if (dialog.returnValue === 'pay') void run(() => show(payment.pay(purchase())));
  dialog.returnValue = '';
});
watchWallets(cluster, (found) => {
  wallets = found;
  showChoice();
});
connectBodyFields(form, showProblem);
form.hidden = false;

const unfinished = payment.open;
if (unfinished !== null) void run(() => show(payment.finish(unfinished)));

/**
 * The request that the form describes.
 * @throws Stopped with the field that has to be corrected
 */
function readRequest(form: HTMLFormElement, { method, path, takesBody }: TryState): CallRequest {
  const values = new FormData(form);
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = String(values.get(name) ?? '').trim();
    if (value === '') throw new Stopped(`Enter ${name}.`, 'Nothing was sent');
    return encodeURIComponent(value);
  });
  return { method, path: filled, body: takesBody ? readBody(form) : null };
}
