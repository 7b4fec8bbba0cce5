import { clusterOf } from '@/app/_wallets/solana';
import { Declined, Stopped } from '@/app/_wallets/stopped';
import { type DepositState, ids, type Step, steps } from '../_page/state';
import { Checkout, type Choice } from './checkout';
import { element, setHidden, setText } from './elements';
import { signWithEvm } from './evm';
import { Kept } from './kept';
import { askForChallenge, type SignedOrder, settle, signedOrder } from './payment';
import { type ShownReceipt, showReceipt } from './receipt';
import { signWithSolana } from './solana';

/** Pays a deposit from a wallet in this browser. */

const state = JSON.parse(element(ids.state)?.textContent ?? '{}') as DepositState;
const cluster = clusterOf(state.networks.map(({ name }) => name));
const unfinished = new Kept<SignedOrder>(`deposit ${state.accountId}`, () => localStorage);
const lastReceipt = new Kept<ShownReceipt>(`deposit receipt ${state.accountId}`, () => sessionStorage);
let isPaying = false;

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
  setHidden(ids.problem, stopped === null);
  if (stopped) element(ids.problem)?.focus();
}

/** Gets the price from the service and the signature from the wallet. */
async function sign({ amount, wallet, network }: Choice): Promise<SignedOrder> {
  const order = { accountId: state.accountId, amount };
  showStep('price', 'Getting the price…');
  const challenge = await askForChallenge(order, network.caip2);
  showStep('sign', `Confirm the payment of ${amount} USDC in ${wallet.name}.`);
  const payload =
    wallet.family === 'evm'
      ? await signWithEvm(wallet.provider, network, challenge)
      : await signWithSolana(wallet.wallet, cluster, order);
  return signedOrder(order, network.label, challenge, payload);
}

/** Sends a signed payment until its outcome is known, and shows the receipt. */
async function finish(checkout: Checkout, signed: SignedOrder): Promise<void> {
  unfinished.write(signed);
  showStep('confirm', `Signed. Waiting until ${signed.network} has confirmed the payment…`);
  const paid = await settle(signed, (why) =>
    showStep('confirm', `${why} Keep this page open. You will not pay twice.`),
  );
  unfinished.clear();
  const receipt = { ...paid, network: signed.network, balance: await checkout.refresh() };
  lastReceipt.write(receipt);
  showReceipt(receipt, state.networks);
  element(ids.receipt)?.focus();
}

/** @param begin signs an order, or returns one that was signed before */
async function pay(checkout: Checkout, begin: () => Promise<SignedOrder>): Promise<void> {
  if (isPaying) return;
  isPaying = true;
  checkout.setPaying(true);
  showProblem(null);
  let ending = '';
  let problem: Stopped | null = null;
  try {
    await finish(checkout, await begin());
  } catch (error) {
    // Any other error leaves the outcome open: the signed payment is kept, and sent again after a reload.
    if (error instanceof Stopped) unfinished.clear();
    if (error instanceof Declined) ending = 'You declined in the wallet. Nothing was paid.';
    else if (error instanceof Stopped) problem = error;
    else problem = new Stopped('Reload this page.', 'Something went wrong');
  }
  isPaying = false;
  showStep(null, ending);
  checkout.setPaying(false);
  if (problem !== null) showProblem(problem);
}

/** A payment that another tab has signed and not finished is finished first. */
function begin(choice: Choice): Promise<SignedOrder> {
  const before = unfinished.read();
  return before === null ? sign(choice) : Promise.resolve(before);
}

function start(form: HTMLFormElement): void {
  const checkout = new Checkout(state, form, cluster);
  checkout.start();
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const { choice } = checkout;
    if (choice !== null) void pay(checkout, () => begin(choice));
  });
  element(ids.print)?.addEventListener('click', () => print());
  element(ids.again)?.addEventListener('click', () => {
    lastReceipt.clear();
    setHidden(ids.receipt, true);
    form.hidden = false;
    element(ids.amount)?.focus();
  });
  const signed = unfinished.read();
  const receipt = lastReceipt.read();
  if (signed !== null) void pay(checkout, async () => signed);
  else if (receipt !== null) showReceipt(receipt, state.networks);
}

const form = element<HTMLFormElement>(ids.form);
if (form) start(form);
