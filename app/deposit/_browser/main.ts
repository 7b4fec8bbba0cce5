import { chosenWallet, listWallets } from '@/app/_wallets/choice';
import { clusterOf } from '@/app/_wallets/solana';
import { Stopped } from '@/app/_wallets/stopped';
import { type FoundWallet, watchWallets } from '@/app/_wallets/wallets';
import { type DepositNetwork, type DepositState, ids } from '../_page/state';
import { signWithEvm } from './evm';
import { askForChallenge, type Order, type Receipt, type SignedOrder, settle, signedOrder } from './payment';
import { signWithSolana } from './solana';

/**
 * Pays a deposit from a wallet in this browser. A signed payment is stored until its outcome is known: after a reload, the
 * page continues with it instead of asking for a second one.
 */

const element = <Kind extends HTMLElement>(id: string) => document.getElementById(id) as Kind | null;

const state = JSON.parse(element(ids.state)?.textContent ?? '{}') as DepositState;
const form = element<HTMLFormElement>(ids.form);
const cluster = clusterOf(state.networks.map(({ name }) => name));
const storageKey = `deposit ${state.accountId}`;
let wallets: readonly FoundWallet[] = [];
let isPaying = false;

function chosenNetwork(): DepositNetwork | undefined {
  const chosen = form?.querySelector<HTMLInputElement>('input[name="network"]:checked')?.value;
  return state.networks.find(({ name }) => name === chosen);
}

function setText(id: string, text: string): void {
  const place = element(id);
  if (place) place.textContent = text;
}

const showStatus = (text: string) => setText(ids.status, text);

function showPayButton(): void {
  const button = element<HTMLButtonElement>(ids.pay);
  if (!button) return;
  button.textContent = isPaying ? 'Paying…' : `Pay ${amountOf() || '…'} USDC`;
  button.toggleAttribute('aria-disabled', isPaying);
}

/** The amount with a decimal point; in some countries people type a comma. */
function amountOf(): string {
  return (element<HTMLInputElement>(ids.amount)?.value ?? '').trim().replace(',', '.');
}

/** Lists the wallets for the chosen network. */
function showWallets(): void {
  const list = element(ids.wallets);
  if (!list) return;
  const fitting = wallets.filter((wallet) => wallet.family === chosenNetwork()?.family);
  listWallets(list, fitting);
  element(ids.noWallet)?.toggleAttribute('hidden', fitting.length > 0);
}

function showProblem(stopped: Stopped | null): void {
  const problem = element(ids.problem);
  if (!problem) return;
  setText(ids.problemTitle, stopped?.title ?? 'Nothing was paid');
  setText(ids.problemText, stopped?.message ?? '');
  problem.hidden = stopped === null;
  if (stopped) problem.focus();
}

function showReceipt({ amount, txHash }: Receipt, network: string): void {
  setText(ids.paidAmount, `${amount} USDC`);
  setText(ids.paidNetwork, network);
  showTransaction(network, txHash);
  if (form) form.hidden = true;
  const receipt = element(ids.receipt);
  if (receipt) receipt.hidden = false;
  receipt?.focus();
}

function showTransaction(network: string, hash: string | null): void {
  const explorer = state.networks.find(({ label }) => label === network)?.explorer;
  if (hash === null || explorer === undefined) {
    setText(ids.paidTransaction, hash ?? '');
    return;
  }
  const link = Object.assign(document.createElement('a'), {
    href: explorer.replace('{hash}', hash),
    textContent: hash,
  });
  element(ids.paidTransaction)?.replaceChildren(link);
}

/** Gets the price from the service and the signature from the wallet. */
async function sign(order: Order): Promise<SignedOrder> {
  const network = chosenNetwork();
  const list = element(ids.wallets);
  const wallet = list ? chosenWallet(list, wallets) : undefined;
  if (!network || !wallet) throw new Stopped('Choose a wallet first.');
  showStatus('Getting the price…');
  const challenge = await askForChallenge(order, network.caip2);
  showStatus(`Confirm the payment of ${order.amount} USDC in ${wallet.name}.`);
  const payload =
    wallet.family === 'evm'
      ? await signWithEvm(wallet.provider, network.label, challenge)
      : await signWithSolana(wallet.wallet, cluster, order);
  return signedOrder(order, network.label, challenge, payload);
}

/** @param begin signs an order, or returns one that was signed before a reload */
async function pay(begin: () => Promise<SignedOrder>): Promise<void> {
  if (isPaying) return;
  isPaying = true;
  showPayButton();
  showProblem(null);
  let problem: Stopped | null = null;
  try {
    const signed = await begin();
    sessionStorage.setItem(storageKey, JSON.stringify(signed));
    showStatus('Signed. Waiting for the network to confirm the payment…');
    const receipt = await settle(signed, (why) =>
      showStatus(`${why} Keep this page open. You will not pay twice.`),
    );
    sessionStorage.removeItem(storageKey);
    showReceipt(receipt, signed.network);
  } catch (error) {
    const stopped =
      error instanceof Stopped ? error : new Stopped('Reload this page.', 'Something went wrong');
    if (error instanceof Stopped) sessionStorage.removeItem(storageKey);
    problem = stopped;
  }
  isPaying = false;
  showStatus('');
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
  watchWallets(cluster, (found) => {
    wallets = found;
    showWallets();
  });
  form.hidden = false;
  showPayButton();
  const unfinished = sessionStorage.getItem(storageKey);
  if (unfinished !== null) void pay(async () => JSON.parse(unfinished) as SignedOrder);
}
