import { type DepositNetwork, type DepositState, ids } from '../_page/state';
import { signWithEvm } from './evm';
import { askForChallenge, type Order, type Receipt, type SignedOrder, sealed, settle } from './payment';
import { signWithSolana } from './solana';
import { Stopped } from './stopped';
import { type FoundWallet, watchWallets } from './wallets';

/**
 * Pays a deposit from a wallet in this browser. A payment that was signed is kept until its outcome is known: a page that
 * is loaded anew goes on with it, instead of asking for a second one.
 */

const element = <Kind extends HTMLElement>(id: string) => document.getElementById(id) as Kind | null;

const state = JSON.parse(element(ids.state)?.textContent ?? '{}') as DepositState;
const form = element<HTMLFormElement>(ids.form);
const kept = `deposit ${state.accountId}`;
let wallets: readonly FoundWallet[] = [];
let isPaying = false;

function chosen(name: string): string | undefined {
  return form?.querySelector<HTMLInputElement>(`input[name="${name}"]:checked`)?.value;
}

function chosenNetwork(): DepositNetwork | undefined {
  return state.networks.find(({ name }) => name === chosen('network'));
}

function fill(id: string, text: string): void {
  const place = element(id);
  if (place) place.textContent = text;
}

const say = (text: string) => fill(ids.status, text);

function showPayButton(): void {
  const button = element<HTMLButtonElement>(ids.pay);
  if (!button) return;
  button.textContent = isPaying ? 'Paying…' : `Pay ${amountOf() || '…'} USDC`;
  button.toggleAttribute('aria-disabled', isPaying);
}

/** As the service takes it; in some countries the decimal sign is a comma. */
function amountOf(): string {
  return (element<HTMLInputElement>(ids.amount)?.value ?? '').trim().replace(',', '.');
}

/** Those of the chosen network, with the one marked that was chosen before. */
function showWallets(): void {
  const list = element(ids.wallets);
  if (!list) return;
  const before = chosen('wallet');
  const family = chosenNetwork()?.family;
  const fitting = wallets.filter((wallet) => wallet.family === family);
  const marked = fitting.find(({ id }) => id === before) ?? fitting[0];
  list.replaceChildren(...fitting.map((wallet, index) => walletOption(wallet, index, wallet === marked)));
  element(ids.noWallet)?.toggleAttribute('hidden', fitting.length > 0);
}

function walletOption({ id, name, icon }: FoundWallet, index: number, isChecked: boolean): HTMLElement {
  const input = Object.assign(document.createElement('input'), {
    type: 'radio',
    name: 'wallet',
    id: `wallet-${index}`,
    value: id,
    checked: isChecked,
  });
  const label = document.createElement('label');
  label.htmlFor = input.id;
  // Both standards want icons as data URLs; the page loads nothing else.
  if (icon.startsWith('data:image/'))
    label.append(Object.assign(document.createElement('img'), { src: icon, alt: '' }));
  label.append(name);
  const option = document.createElement('div');
  option.className = 'option';
  option.append(input, label);
  return option;
}

function showProblem(stopped: Stopped | null): void {
  const problem = element(ids.problem);
  if (!problem) return;
  fill(ids.problemTitle, stopped?.title ?? '');
  fill(ids.problemText, stopped?.message ?? '');
  problem.hidden = stopped === null;
  if (stopped) problem.focus();
}

function showReceipt({ amount, txHash }: Receipt, network: string): void {
  fill(ids.paidAmount, `${amount} USDC`);
  fill(ids.paidNetwork, network);
  fill(ids.paidTransaction, txHash ?? '');
  if (form) form.hidden = true;
  const receipt = element(ids.receipt);
  if (receipt) receipt.hidden = false;
  receipt?.focus();
}

/** Asks the service for its price and the wallet for its signature. */
async function sign(order: Order): Promise<SignedOrder> {
  const network = chosenNetwork();
  const wallet = wallets.find(({ id }) => id === chosen('wallet'));
  if (!network || !wallet) throw new Stopped('Choose a wallet first.');
  say('Asking what the deposit costs…');
  const challenge = await askForChallenge(order, network.caip2);
  say(`Confirm the payment of ${order.amount} USDC in ${wallet.name}.`);
  const payload =
    wallet.family === 'evm'
      ? await signWithEvm(wallet.provider, network.label, challenge)
      : await signWithSolana(wallet.wallet, order);
  return sealed(order, network.label, challenge, payload);
}

/** @param begin what there is to settle, or how it comes about */
async function pay(begin: () => Promise<SignedOrder>): Promise<void> {
  if (isPaying) return;
  isPaying = true;
  showPayButton();
  showProblem(null);
  let problem: Stopped | null = null;
  try {
    const signed = await begin();
    sessionStorage.setItem(kept, JSON.stringify(signed));
    say('Signed. Waiting for the network to settle the payment…');
    const receipt = await settle(signed, (why) => say(`${why} Keep this page open; nothing is paid twice.`));
    sessionStorage.removeItem(kept);
    showReceipt(receipt, signed.network);
  } catch (error) {
    const stopped =
      error instanceof Stopped ? error : new Stopped('Load this page again.', 'Something went wrong');
    if (error instanceof Stopped) sessionStorage.removeItem(kept);
    problem = stopped;
  }
  isPaying = false;
  say('');
  showPayButton();
  if (problem !== null) showProblem(problem);
}

if (form) {
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void pay(() => sign({ accountId: state.accountId, amount: amountOf() }));
  });
  form.addEventListener('change', showWallets);
  form.addEventListener('input', showPayButton);
  element(ids.again)?.addEventListener('click', () => {
    const receipt = element(ids.receipt);
    if (receipt) receipt.hidden = true;
    form.hidden = false;
    element(ids.amount)?.focus();
  });
  watchWallets((found) => {
    wallets = found;
    showWallets();
  });
  form.hidden = false;
  showPayButton();
  const unfinished = sessionStorage.getItem(kept);
  if (unfinished !== null) void pay(async () => JSON.parse(unfinished) as SignedOrder);
}
