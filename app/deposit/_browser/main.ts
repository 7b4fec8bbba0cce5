import { Kept } from '@/app/_wallets/kept';
import { explorerLink } from '@/app/_wallets/networks';
import { PagePayment, type Paid, type Purchase, type Step } from '@/app/_wallets/payment';
import { receiptIn } from '@/app/_wallets/request';
import { clusterOf } from '@/app/_wallets/solana';
import { problemOf, type Stopped } from '@/app/_wallets/stopped';
import { type DepositNetwork, type DepositState, ids, steps } from '../_page/deposit-state';
import { Checkout, type Choice } from './checkout';
import { element, setHidden, setText } from './elements';

/** What the page says about a payment. */
interface ShownReceipt {
  readonly amount: string;
  readonly txHash: string | null;
  readonly creditedAt: string;
  readonly paidCallId: string | null;
  /** The name of the network that people see. */
  readonly network: string;
  /** USDC in the account after it, decimal; null when it is not known. */
  readonly balance: string | null;
}

function receiptOf({ signed, answer }: Paid, balance: string | null): ShownReceipt {
  const credited = answer.body as Pick<ShownReceipt, 'amount' | 'txHash' | 'creditedAt'>;
  return { ...credited, paidCallId: receiptIn(answer).paidCallId, network: signed.network, balance };
}

const moment = new Intl.DateTimeFormat('en', { dateStyle: 'long', timeStyle: 'long' });

function showReceipt(receipt: ShownReceipt, networks: readonly DepositNetwork[]): void {
  setText(ids.paidAmount, `${receipt.amount} USDC`);
  const at = element<HTMLTimeElement>(ids.paidAt);
  if (at) at.dateTime = receipt.creditedAt;
  setText(ids.paidAt, moment.format(new Date(receipt.creditedAt)));
  setText(ids.paidNetwork, receipt.network);
  setText(ids.paidBalance, receipt.balance === null ? 'not known at the moment' : `${receipt.balance} USDC`);
  const { txHash, network } = receipt;
  setLink(ids.paidTransaction, txHash, txHash && explorerLink(networks, network, txHash));
  setLink(ids.paidCall, receipt.paidCallId, `/v1/paid-calls/${receipt.paidCallId}`);
  setHidden(ids.form, true);
  setHidden(ids.receipt, false);
}

/** Shows something with a link about it; without an address only the text. */
function setLink(
  id: typeof ids.paidTransaction | typeof ids.paidCall,
  text: string | null,
  href: string | null,
) {
  if (text === null || href === null) return setText(id, text ?? 'none');
  element(id)?.replaceChildren(Object.assign(document.createElement('a'), { href, textContent: text }));
}

/** Pays a deposit from a wallet in this browser: the same POST that an agent makes, with a wallet's signature. */

const state = JSON.parse(element(ids.state)?.textContent ?? '{}') as DepositState;
const cluster = clusterOf(state.networks.map(({ name }) => name));
const payment = new PagePayment(`deposit ${state.accountId}`, cluster, (step, words) =>
  showStep(step, words),
);
const lastReceipt = new Kept<ShownReceipt>(`deposit receipt ${state.accountId}`, () => sessionStorage);
let isPaying = false;

/** The steps stay visible after a payment that was not made, so that nothing moves. */
function showStep(current: Step | null, status = ''): void {
  if (current !== null) setHidden(ids.steps, false);
  const reached = current === null ? -1 : steps.indexOf(current);
  for (const [index, item] of [...(element(ids.steps)?.children ?? [])].entries()) {
    item.classList.toggle('done', index < reached);
    if (index === reached) item.setAttribute('aria-current', 'step');
    else item.removeAttribute('aria-current');
  }
  setText(ids.status, status);
}

function showProblem(stopped: Stopped | null): void {
  setText(ids.problemTitle, stopped?.title ?? 'Nothing was paid');
  setText(ids.problemText, stopped?.message ?? '');
  setHidden(ids.problem, stopped === null);
  if (stopped) element(ids.problem)?.focus();
}

function purchaseOf({ amount, wallet, network }: Choice): Purchase {
  const { accountId } = state;
  const body = JSON.stringify({ accountId, amount });
  return {
    request: { method: 'POST', path: '/v1/billing/deposits', body },
    amount,
    wallet,
    network,
    transaction: { path: `/deposit/${accountId}/solana`, input: { amount } },
  };
}

async function show(checkout: Checkout, paid: Paid): Promise<void> {
  const receipt = receiptOf(paid, await checkout.refresh());
  lastReceipt.write(receipt);
  showReceipt(receipt, state.networks);
  // The receipt takes the place of the form, so the page is shorter now.
  scrollTo(0, 0);
  element(ids.receipt)?.focus({ preventScroll: true });
}

async function run(checkout: Checkout, work: () => Promise<Paid>): Promise<void> {
  if (isPaying) return;
  isPaying = true;
  checkout.setPaying(true);
  showProblem(null);
  const problem = await work()
    .then((paid) => show(checkout, paid))
    .then(
      () => null,
      (error: unknown) => problemOf(error, payment.open !== null),
    );
  isPaying = false;
  showStep(null);
  checkout.setPaying(false);
  if (problem !== null) showProblem(problem);
}

function start(form: HTMLFormElement): void {
  const checkout = new Checkout(state, form, cluster);
  checkout.start();
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const { choice } = checkout;
    if (choice !== null) void run(checkout, () => payment.pay(purchaseOf(choice)));
  });
  element(ids.print)?.addEventListener('click', () => print());
  element(ids.again)?.addEventListener('click', () => {
    lastReceipt.clear();
    setHidden(ids.receipt, true);
    form.hidden = false;
    element(ids.amount)?.focus();
  });
  const signed = payment.open;
  const receipt = lastReceipt.read();
  if (signed !== null) void run(checkout, () => payment.finish(signed));
  else if (receipt !== null) showReceipt(receipt, state.networks);
}

const form = element<HTMLFormElement>(ids.form);
if (form) start(form);
