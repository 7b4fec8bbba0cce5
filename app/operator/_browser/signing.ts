import { chosenWallet, listWallets } from '@/app/_wallets/choice';
import { connect, sendTransaction, signTypedData, switchTo } from '@/app/_wallets/evm';
import { clusterOf, connectToSolana, signOnSolana } from '@/app/_wallets/solana';
import { isDeclined, Stopped } from '@/app/_wallets/stopped';
import { type FoundWallet, watchWallets } from '@/app/_wallets/wallets';
import type { SigningAnswers, SigningStep } from '@/lib/operator/console/refund-orders';
import { ids, type SigningState } from '../_page/signing-state';

/** The steps of signing, which the server carries out. */

const waitMs = 2_000;

/**
 * Sends a step to the server.
 * @param unreachable called when the server does not answer; the step is then sent again, because every step may be
 *   repeated. Without it, no answer is a problem
 * @throws Stopped with what the server says is wrong
 */
async function takeStep<Step extends SigningStep['step']>(
  step: Extract<SigningStep, { step: Step }>,
  unreachable?: () => void,
): Promise<SigningAnswers[Step]> {
  for (;;) {
    const response = await post(step);
    if (response && response.status < 500) return read<Step>(response);
    if (!unreachable)
      throw new Stopped('The service could not be reached. Reload this page, and sign again.');
    unreachable();
    await new Promise((resolve) => setTimeout(resolve, waitMs));
  }
}

function post(step: SigningStep): Promise<Response | null> {
  const token = document.querySelector<HTMLInputElement>(`#${ids.form} input[name="form"]`)?.value ?? '';
  const body = new URLSearchParams({ form: token, step: JSON.stringify(step) });
  return fetch(location.pathname, { method: 'POST', body }).catch(() => null);
}

async function read<Step extends SigningStep['step']>(response: Response): Promise<SigningAnswers[Step]> {
  const answer = await response.json().catch(() => null);
  if (response.ok && answer !== null) return answer;
  if (typeof answer?.problem === 'string') throw new Stopped(answer.problem);
  // The console answers with a page when there is no session.
  throw new Stopped('Your session has ended. Reload this page to sign in and continue.');
}

/**
 * Lets the treasury's wallet sign a refund. The server decides what is signed. The hash of a transaction is stored
 * until the server has recorded it, so the page continues there after a reload, even if the tab was closed.
 */

const element = <Kind extends HTMLElement>(id: string) => document.getElementById(id) as Kind | null;

const form = element<HTMLFormElement>(ids.form);
const state = JSON.parse(element(ids.state)?.textContent ?? '{}') as SigningState;
const cluster = clusterOf([state.network]);
const storageKey = `refund ${state.refundId}`;
let wallets: readonly FoundWallet[] = [];
let isSigning = false;

function showStatus(text: string): void {
  const place = element(ids.status);
  if (place) place.textContent = text;
}

function showProblem(message: string | null): void {
  const [problem, text] = [element(ids.problem), element(ids.problemText)];
  if (!problem || !text) return;
  text.textContent = message ?? '';
  problem.hidden = message === null;
  if (message !== null) problem.focus();
}

function showWallets(): void {
  const list = element(ids.wallets);
  if (!list) return;
  const fitting = wallets.filter(({ family }) => family === state.family);
  listWallets(list, fitting);
  element(ids.noWallet)?.toggleAttribute('hidden', fitting.length > 0);
  element(ids.sign)?.toggleAttribute('hidden', fitting.length === 0);
}

const wrongAccount = () =>
  new Stopped(
    `Nothing was signed: the wallet does not show the account ${state.from}. Choose it in the wallet.`,
  );

type EvmWallet = Extract<FoundWallet, { family: 'evm' }>;
type SolanaWallet = Extract<FoundWallet, { family: 'solana' }>;

/** The wallet signs an authorization and sends the transaction that carries it out. */
async function signOnEvm({ provider, name }: EvmWallet): Promise<void> {
  const { refundId } = state;
  const accounts = await connect(provider);
  const from = accounts.find((account) => account.toLowerCase() === state.from.toLowerCase());
  if (!from) throw wrongAccount();
  await switchTo(provider, state.chainId, state.label);
  const toSign = await takeStep({ step: 'ask', refundId });
  if (toSign.family !== 'evm') throw new Stopped('Reload this page.');
  showStatus(`Sign the transfer of ${state.amount} in ${name}.`);
  const signature = await signTypedData(provider, from, toSign.typedData);
  const { validBefore } = toSign;
  const accepted = await takeStep({
    step: 'signed',
    refundId,
    signed: { family: 'evm', signature, validBefore },
  });
  if (accepted.family !== 'evm') throw new Stopped('Reload this page.');
  showStatus(`Signed. Confirm the transaction in ${name}.`);
  const { to, data } = accepted;
  const hash = await sendTransaction(provider, { from, to, data }, state.chainId);
  localStorage.setItem(storageKey, hash);
  await record(hash);
}

/** Tells the server what was sent, until it answers. */
async function record(hash: string): Promise<void> {
  showStatus('Sent. Recording the transaction…');
  const retry = () =>
    showStatus('Sent, and not recorded yet: the service cannot be reached. Keep this page open.');
  await takeStep({ step: 'sent', refundId: state.refundId, hash }, retry);
  localStorage.removeItem(storageKey);
}

/** The wallet signs a transaction, and the server records and sends it. */
async function signOnSolanaCluster({ wallet, name }: SolanaWallet): Promise<void> {
  const { refundId } = state;
  const accounts = await connectToSolana(wallet, cluster);
  const account = accounts.find(({ address }) => address === state.from);
  if (!account) throw wrongAccount();
  const toSign = await takeStep({ step: 'ask', refundId });
  if (toSign.family !== 'solana') throw new Stopped('Reload this page.');
  showStatus(`Sign the transfer of ${state.amount} in ${name}.`);
  const transaction = await signOnSolana(wallet, cluster, account, toSign.transaction);
  showStatus('Signed. Sending it…');
  await takeStep({ step: 'signed', refundId, signed: { family: 'solana', transaction } });
}

function messageOf(error: unknown): string {
  if (error instanceof Stopped) return error.message;
  if (isDeclined(error))
    return 'It was declined in the wallet, and nothing was sent. The refund is still requested: sign it, or cancel it.';
  return 'The wallet did not say that it sent the transfer. If the wallet shows one, it is found on the chain. Otherwise check that the account can pay the fee, and sign again: only one transfer is carried out.';
}

async function run(work: () => Promise<void>): Promise<void> {
  if (isSigning) return;
  isSigning = true;
  element(ids.sign)?.setAttribute('aria-disabled', 'true');
  showProblem(null);
  try {
    await work();
    location.assign(`/operator/calls/${state.callId}#refunds`);
  } catch (error) {
    showStatus('');
    showProblem(messageOf(error));
  }
  isSigning = false;
  element(ids.sign)?.removeAttribute('aria-disabled');
}

async function sign(): Promise<void> {
  const list = element(ids.wallets);
  const wallet = list ? chosenWallet(list, wallets) : undefined;
  if (!wallet) throw new Stopped('Choose a wallet first.');
  return wallet.family === 'evm' ? signOnEvm(wallet) : signOnSolanaCluster(wallet);
}

if (form) {
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void run(sign);
  });
  watchWallets(cluster, (found) => {
    wallets = found;
    showWallets();
  });
  form.hidden = false;
  const unrecorded = localStorage.getItem(storageKey);
  if (unrecorded !== null) void run(() => record(unrecorded));
}
