import { chosenWallet, listWallets } from '@/app/_wallets/choice';
import { clusterOf } from '@/app/_wallets/solana';
import { Stopped } from '@/app/_wallets/stopped';
import { type FoundWallet, watchWallets } from '@/app/_wallets/wallets';
import { tryIds as ids, type TryNetwork, type TryState } from '../../reference/try/state';
import { remember, remembered } from '../storage';
import {
  type Answer,
  challengeFor,
  type Offers,
  offersIn,
  type SignedRequest,
  sendUnpaid,
  settle,
  signedRequest,
  type TriedRequest,
} from './call';
import { option } from './elements';
import { readRequest } from './request';
import { sign } from './sign';
import { showPaid, showUnpaid } from './views';
import { usdc } from './words';

/**
 * "Try it": makes the call from the page, shows its 402, and pays for it from a wallet in this browser. A signed payment is
 * stored until its outcome is known: after a lost answer or a reload, it is sent again instead of signing a second one.
 */

const find = <Kind extends HTMLElement>(id: string): Kind => {
  const found = document.getElementById(id);
  if (!found) throw new Error(`The page has no element ${id}.`);
  // The server renders these elements (reference/try/section.tsx).
  return found as Kind;
};

const state = JSON.parse(find(ids.state).textContent ?? '') as TryState;
const cluster = clusterOf(state.networks.map(({ name }) => name));
const storageKey = `try ${location.pathname}`;
const coin = state.isTest ? 'test USDC' : 'USDC';

const form = find<HTMLFormElement>(ids.form);
const payForm = find<HTMLFormElement>(ids.payForm);
const dialog = find<HTMLDialogElement>(ids.dialog);
const walletList = find(ids.wallets);

/** What the last unpaid call was answered with, for the request that it was. */
interface Quote {
  readonly request: TriedRequest;
  readonly answer: Answer;
  readonly offers: Offers;
}

let wallets: readonly FoundWallet[] = [];
let quote: Quote | null = null;
let isBusy = false;

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

/** One thing at a time, with its problem shown. */
async function run(work: () => Promise<void>): Promise<void> {
  if (isBusy) return;
  isBusy = true;
  showProblem(null);
  const problem = await work().then(
    () => null,
    (error: unknown) =>
      error instanceof Stopped ? error : new Stopped('Reload this page.', 'Something went wrong'),
  );
  isBusy = false;
  setText(ids.status, '');
  if (problem) showProblem(problem);
}

function forget(): void {
  quote = null;
  find(ids.answer).hidden = true;
  payForm.hidden = true;
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
  quote = { request, answer, offers };
  const networks = state.networks.filter(({ caip2 }) => offers.accepts.some((one) => one.network === caip2));
  find(ids.networks).replaceChildren(
    ...networks.map(({ name, label }, at) => option('try-network', name, at === 0, label)),
  );
  payForm.hidden = networks.length === 0;
  showChoice();
}

function chosenNetwork(): TryNetwork | undefined {
  const chosen = payForm.querySelector<HTMLInputElement>('input[name="try-network"]:checked')?.value;
  return state.networks.find(({ name }) => name === chosen);
}

/** Lists the wallets of the chosen network. */
function showChoice(): void {
  const network = chosenNetwork();
  const fitting = wallets.filter(({ family }) => family === network?.family);
  listWallets(walletList, fitting);
  find(ids.noWallet).hidden = fitting.length > 0;
  find(ids.review).hidden = fitting.length === 0;
  setText(ids.review, network ? `Pay ${amountOn(network)} on ${network.label}` : 'Pay');
}

const acceptedOn = ({ caip2 }: TryNetwork) => quote?.offers.accepts.find(({ network }) => network === caip2);
const amountOn = (network: TryNetwork) => `${usdc(acceptedOn(network)?.amount ?? '0')} ${coin}`;

/** Asks before a wallet is asked. */
function review(): void {
  const [network, wallet] = [chosenNetwork(), chosenWallet(walletList, wallets)];
  const accepted = network && acceptedOn(network);
  if (!network || !wallet || !accepted) return;
  const amount = amountOn(network);
  const worth = state.isTest ? ' Test USDC has no value.' : '';
  setText(
    ids.dialogText,
    `${wallet.name} pays ${amount} on ${network.label} to ${accepted.payTo}. There is no network fee for you.${worth}`,
  );
  setText(ids.confirm, `Pay ${amount} on ${network.label}`);
  dialog.showModal();
}

async function signChosen(): Promise<SignedRequest> {
  const [network, wallet] = [chosenNetwork(), chosenWallet(walletList, wallets)];
  const accepted = network && acceptedOn(network);
  if (!network || !wallet || !accepted || !quote) throw new Stopped('Choose a wallet first.');
  const { request, offers, answer } = quote;
  setText(ids.status, `Confirm the payment of ${amountOn(network)} in ${wallet.name}.`);
  const challenge = challengeFor(offers, accepted, answer);
  const amount = usdc(accepted.amount);
  const purchase = { operation: state.operation, amount, networkLabel: network.label };
  const payload = await sign(wallet, cluster, challenge, purchase);
  return signedRequest(request, challenge, payload, { networkLabel: network.label, amount });
}

/** Sends a signed payment to its end. @param wasSent whether that began before a reload */
async function pay(signed: SignedRequest, wasSent: boolean): Promise<void> {
  remember('session', storageKey, JSON.stringify(signed));
  setText(ids.status, 'Signed. Waiting for the answer…');
  try {
    const answer = await settle(signed, wasSent, (why) =>
      setText(ids.status, `${why} The same payment is sent again. You will not pay twice.`),
    );
    remember('session', storageKey, null);
    forget();
    showPaid(find(ids.paid), answer, signed, state);
  } catch (error) {
    if (error instanceof Stopped) remember('session', storageKey, null);
    throw error;
  }
}

form.addEventListener('submit', (event) => {
  event.preventDefault();
  void run(ask);
});
// The price is that of the request that was sent.
form.addEventListener('input', forget);
payForm.addEventListener('change', showChoice);
payForm.addEventListener('submit', (event) => {
  event.preventDefault();
  if (!isBusy) review();
});
dialog.addEventListener('close', () => {
  if (dialog.returnValue === 'pay') void run(async () => pay(await signChosen(), false));
  dialog.returnValue = '';
});
watchWallets(cluster, (found) => {
  wallets = found;
  showChoice();
});
form.hidden = false;

const unfinished = remembered('session', storageKey);
if (unfinished !== null) void run(() => pay(JSON.parse(unfinished) as SignedRequest, true));
