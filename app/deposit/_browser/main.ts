import { momentWords } from '@/app/_page/moment';
import { Kept } from '@/app/_wallets/kept';
import { explorerLink } from '@/app/_wallets/networks';
import { PagePayment, type Paid, type Purchase, type Step } from '@/app/_wallets/payment';
import { receiptIn } from '@/app/_wallets/request';
import { clusterOf } from '@/app/_wallets/solana';
import { problemOf, type Stopped } from '@/app/_wallets/stopped';
import { money } from '@/app/_wallets/words';
import { type DepositNetwork, type DepositState, ids, steps } from '../_page/deposit-state';
import { Checkout, type Choice } from './checkout';
import { element, setHidden, setText } from './elements';

/** What the page says about a payment. */
interface ShownReceipt {
  readonly amount: string;
  readonly txHash: string | null;
  readonly creditedAt: string;
  readonly paidCallId: string | null;
  /** The address that paid; null when the answer does not say. */
  readonly payer: string | null;
  /** The name of the network that people see. */
  readonly network: string;
  /** USDC in the account after it, decimal; null when it is not known. */
  readonly balance: string | null;
}

function receiptOf({ signed, answer }: Paid, balance: string | null): ShownReceipt {
  const credited = answer.body as Pick<ShownReceipt, 'amount' | 'txHash' | 'creditedAt'>;
  const { paidCallId, payer } = receiptIn(answer);
  return { ...credited, paidCallId, payer, network: signed.network, balance };
}

function showReceipt(receipt: ShownReceipt, networks: readonly DepositNetwork[]): void {
  const title = `${money(receipt.amount)} USDC added`;
  document.title = document.title.replace(/^[^·]+/, `${title} `);
  setText(ids.paidTitle, title);
  setText(ids.paidAmount, `${money(receipt.amount)} USDC`);
  setText(ids.paidFrom, receipt.payer ?? 'not known');
  setText(ids.paidAccount, state.accountId);
  const at = element<HTMLTimeElement>(ids.paidAt);
  if (at) at.dateTime = receipt.creditedAt;
  setText(ids.paidAt, momentWords(new Date(receipt.creditedAt), 'en'));
  setText(ids.paidNetwork, receipt.network);
  setText(
    ids.paidBalance,
    receipt.balance === null ? 'not known at the moment' : `${money(receipt.balance)} USDC`,
  );
  const { txHash, network } = receipt;
  showTransaction(txHash, txHash && explorerLink(networks, network, txHash));
  setText(ids.paidCall, receipt.paidCallId ?? 'none');
  setHidden(ids.start, true);
  setHidden(ids.receipt, false);
}

/** Shows a transaction with a link to its page, if there is one. */
function showTransaction(hash: string | null, href: string | null) {
  if (hash === null || href === null) return setText(ids.paidTransaction, hash ?? 'none');
  const link = Object.assign(document.createElement('a'), { href, textContent: hash });
  element(ids.paidTransaction)?.replaceChildren(link);
}

/** Pays a deposit from a wallet in this browser: the same POST that an agent makes, with a wallet's signature. */

const state = JSON.parse(element(ids.state)?.textContent ?? '{}') as DepositState;
const cluster = clusterOf(state.networks.map(({ name }) => name));
const payment = new PagePayment(`deposit ${state.accountId}`, cluster, (step, words) =>
  showStep(step, words),
);
const lastReceipt = new Kept<ShownReceipt>(`deposit receipt ${state.accountId}`, () => sessionStorage);

/** Shows where a payment is; null when there is none. */
function showStep(current: Step | null, status = ''): void {
  setHidden(ids.steps, current === null);
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
  element(ids.problem)?.classList.toggle('wrong', stopped?.title !== null);
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
  scrollTo(0, 0);
  element(ids.receipt)?.focus({ preventScroll: true });
}

async function pay(checkout: Checkout, work: () => Promise<Paid>): Promise<void> {
  checkout.setBusy('Paying…', true);
  showProblem(null);
  const problem = await work()
    .then((paid) => show(checkout, paid))
    .then(
      () => null,
      (error: unknown) => problemOf(error, payment.open !== null),
    );
  showStep(null);
  checkout.setBusy(null);
  checkout.mayBePaid = problem !== null && problem.title !== null;
  if (problem !== null) showProblem(problem);
}

/** Browsers have a clipboard only on HTTPS and localhost. */
async function copy(button: EventTarget | null): Promise<void> {
  if (!(button instanceof HTMLButtonElement)) return;
  const clipboard = (navigator as Partial<Navigator>).clipboard;
  const isCopied = await clipboard?.writeText(button.value).then(
    () => true,
    () => false,
  );
  button.textContent = isCopied ? 'Copied' : 'Select the address to copy it';
}

const { title } = document;

function start(form: HTMLFormElement): void {
  const checkout = new Checkout(state, form, cluster);
  checkout.start();
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    if (checkout.isBusy) return;
    const { unconnected } = checkout;
    if (unconnected && checkout.isAmountRight) return void checkout.connect(unconnected);
    const choice = checkout.choose();
    document.title = choice === null ? `Error: ${title}` : title;
    if (choice !== null) void pay(checkout, () => payment.pay(purchaseOf(choice)));
  });
  element(ids.copy)?.addEventListener('click', ({ currentTarget }) => void copy(currentTarget));
  element(ids.print)?.addEventListener('click', () => print());
  element(ids.again)?.addEventListener('click', () => {
    lastReceipt.clear();
    setHidden(ids.receipt, true);
    setHidden(ids.start, false);
    document.title = title;
    element(ids.amount)?.focus();
  });
  const signed = payment.open;
  const receipt = lastReceipt.read();
  if (signed !== null) void pay(checkout, () => payment.finish(signed));
  else if (receipt !== null) showReceipt(receipt, state.networks);
}

const form = element<HTMLFormElement>(ids.form);
if (form) start(form);
