import { chosenWallet, listWallets } from '@/app/_wallets/choice';
import { connect, connectedAccounts } from '@/app/_wallets/evm';
import { connectToSolana, type SolanaCluster } from '@/app/_wallets/solana';
import { type FoundWallet, watchWallets } from '@/app/_wallets/wallets';
import { amountOf, amountProblem, isLess, sumOf } from '../_page/amount';
import { type DepositNetwork, type DepositState, ids } from '../_page/deposit-state';
import { element, setError, setHidden, setText } from './elements';

/** What a person has chosen, when it can be paid. */
export interface Choice {
  readonly amount: string;
  readonly wallet: FoundWallet;
  readonly network: DepositNetwork;
}

/** The form: what was chosen, what is missing, and what it adds up to. */
export class Checkout {
  readonly #state: DepositState;
  readonly #form: HTMLFormElement;
  readonly #cluster: SolanaCluster;
  #balance: string;
  #wallets: readonly FoundWallet[] = [];
  #wallet: FoundWallet | undefined;
  #holder: Holder | null = null;
  /** Whether the person has left the amount field, so that its problem may be shown. */
  #isAmountDone = false;
  #isPaying = false;

  constructor(state: DepositState, form: HTMLFormElement, cluster: SolanaCluster) {
    this.#state = state;
    this.#form = form;
    this.#cluster = cluster;
    this.#balance = state.balance;
  }

  start(): void {
    this.#form.addEventListener('input', () => {
      if (!this.#isPaying) this.#form.removeAttribute('data-room');
      this.#show();
    });
    this.#form.addEventListener('change', ({ target }) => {
      if (target instanceof HTMLInputElement && target.id === ids.amount) this.#isAmountDone = true;
      this.#show();
    });
    element(ids.presets)?.addEventListener('click', ({ target }) => this.#takePreset(target));
    element(ids.connect)?.addEventListener('click', () => void this.#readHolder(true));
    watchWallets(this.#cluster, (found) => {
      this.#wallets = found;
      const list = element(ids.wallets);
      if (list)
        listWallets(
          list,
          found.filter((wallet) => this.#networksOf(wallet).length > 0),
        );
      setHidden(ids.noWallet, found.length > 0);
      this.#show();
    });
    this.#form.hidden = false;
    setHidden(ids.phone, false);
    this.#show();
  }

  /** Null while something is missing or wrong. */
  get choice(): Choice | null {
    const { amount } = this;
    const network = this.#network;
    const wallet = this.#wallet;
    if (amountProblem(amount, this.#state) !== null || !wallet || !network) return null;
    return this.#shortage === null ? { amount, wallet, network } : null;
  }

  get amount(): string {
    return amountOf(element<HTMLInputElement>(ids.amount)?.value ?? '');
  }

  setPaying(isPaying: boolean): void {
    this.#isPaying = isPaying;
    if (isPaying) this.#form.setAttribute('data-room', '');
    this.#show();
  }

  /** Reads balance and holdings again. @returns the account's balance; null when it is not known */
  async refresh(): Promise<string | null> {
    const address = this.#holder?.address ?? (this.#wallet && (await this.#addressOf(this.#wallet, false)));
    const figures = address ? await readFigures(this.#state.accountId, address) : null;
    if (!address || !figures) return null;
    this.#holder = { address, holdings: figures.holdings };
    this.#balance = figures.balance;
    setText(ids.balance, `${figures.balance} USDC`);
    this.#show();
    return figures.balance;
  }

  get #network(): DepositNetwork | undefined {
    const chosen = this.#form.querySelector<HTMLInputElement>('input[name="network"]:checked')?.value;
    return this.#networksOf(this.#wallet).find(({ name }) => name === chosen);
  }

  #networksOf(wallet: FoundWallet | undefined): readonly DepositNetwork[] {
    return this.#state.networks.filter(({ family }) => family === wallet?.family);
  }

  /** What the wallet holds on the chosen network, if that is less than the amount. */
  get #shortage(): string | null {
    const network = this.#network;
    const held = network && this.#holder?.holdings[network.name];
    if (!held || amountProblem(this.amount, this.#state) !== null) return null;
    return isLess(held, this.amount) ? held : null;
  }

  #takePreset(target: EventTarget | null): void {
    const input = element<HTMLInputElement>(ids.amount);
    if (!(target instanceof HTMLButtonElement) || !input) return;
    input.value = target.value;
    this.#isAmountDone = true;
    this.#show();
  }

  #addressOf(wallet: FoundWallet, asks: boolean): Promise<string | null> {
    return addressOf(wallet, this.#cluster, asks).catch(() => null);
  }

  /** Shows what the chosen wallet holds. Unless the wallet may ask, only if it shows its account anyway. */
  async #readHolder(asks: boolean): Promise<void> {
    const wallet = this.#wallet;
    if (!wallet) return;
    const address = await this.#addressOf(wallet, asks);
    if (wallet !== this.#wallet || address === null) return;
    this.#holder = { address, holdings: {} };
    this.#show();
    await this.refresh();
    if (wallet === this.#wallet && !this.#network) this.#chooseNetworkThatSuffices();
  }

  #chooseNetworkThatSuffices(): void {
    const { amount } = this;
    if (amountProblem(amount, this.#state) !== null) return;
    const enough = this.#networksOf(this.#wallet).find(({ name }) => {
      const held = this.#holder?.holdings[name];
      return held && !isLess(held, amount);
    });
    const input = enough && this.#form.querySelector<HTMLInputElement>(`#network-${enough.name}`);
    if (input) input.checked = true;
    this.#show();
  }

  #show(): void {
    this.#noticeWallet();
    this.#showAmount();
    this.#showNetworks();
    this.#showTotal();
    this.#showButton();
  }

  #noticeWallet(): void {
    const list = element(ids.wallets);
    const chosen = list ? chosenWallet(list, this.#wallets) : undefined;
    if (chosen?.id === this.#wallet?.id) return;
    this.#wallet = chosen;
    this.#holder = null;
    void this.#readHolder(false);
  }

  #showAmount(): void {
    const { amount } = this;
    const problem = this.#isAmountDone ? amountProblem(amount, this.#state) : null;
    setError(ids.amountError, problem);
    const input = element<HTMLInputElement>(ids.amount);
    if (problem === null) input?.removeAttribute('aria-invalid');
    else input?.setAttribute('aria-invalid', 'true');
    for (const button of element(ids.presets)?.querySelectorAll('button') ?? [])
      button.ariaPressed = String(button.value === amount);
  }

  #showNetworks(): void {
    setHidden(ids.networks, this.#wallet === undefined);
    const holder = this.#holder;
    setHidden(ids.connect, this.#wallet === undefined || holder !== null);
    setText(ids.holder, holder ? `Its account is ${shorten(holder.address)}.` : '');
    for (const input of this.#form.querySelectorAll<HTMLElement>('[data-family]')) {
      const option = input.closest<HTMLElement>('.option');
      if (option) option.hidden = input.dataset.family !== this.#wallet?.family;
    }
    for (const place of this.#form.querySelectorAll<HTMLElement>('.holding')) {
      const held = holder?.holdings[place.dataset.network ?? ''];
      place.textContent = held ? `${held} USDC` : held === null ? 'not known at the moment' : '';
    }
    const short = this.#shortage;
    const where = this.#network?.label;
    setError(ids.networkError, short === null ? null : `The wallet holds only ${short} USDC on ${where}`);
  }

  #showTotal(): void {
    const { amount } = this;
    const isKnown = amountProblem(amount, this.#state) === null;
    setText(ids.credited, isKnown ? `${amount} USDC` : '–');
    setText(ids.total, isKnown ? `${amount} USDC` : '–');
    setText(ids.after, isKnown ? `${sumOf(this.#balance, amount)} USDC` : '–');
    const network = this.#network;
    setHidden(ids.signing, network === undefined);
    setText(ids.payTo, network?.payTo ?? '');
    setText(ids.asset, network?.asset ?? '');
  }

  #showButton(): void {
    const button = element<HTMLButtonElement>(ids.pay);
    if (!button) return;
    const isPayable = this.choice !== null;
    button.disabled = !isPayable && !this.#isPaying;
    if (this.#isPaying) button.setAttribute('aria-disabled', 'true');
    else button.removeAttribute('aria-disabled');
    button.hidden = this.#wallets.length === 0;
    const isKnown = amountProblem(this.amount, this.#state) === null;
    button.textContent = this.#isPaying ? 'Paying…' : `Pay ${isKnown ? `${this.amount} ` : ''}USDC`;
    setText(ids.next, this.#isPaying || isPayable ? '' : this.#nextStep());
  }

  /** What a person has to do before the button works. */
  #nextStep(): string {
    if (this.#wallets.length === 0) return '';
    if (amountProblem(this.amount, this.#state) !== null) return 'Enter an amount to go on.';
    if (!this.#wallet) return 'Choose a wallet to go on.';
    return this.#network
      ? 'Choose a network on which the wallet holds enough.'
      : 'Choose a network to go on.';
  }
}

function shorten(address: string): string {
  return `${address.slice(0, 6)}…${address.slice(-4)}`;
}

/** A wallet's account, and what it holds. */
interface Holder {
  readonly address: string;
  /** USDC by network, decimal; null where nobody knows, and empty when the service could not be asked. */
  readonly holdings: Readonly<Record<string, string | null>>;
}

/**
 * The address of a wallet that pays.
 * @param asks whether the wallet may ask the person
 * @returns null when the wallet shows none
 */
async function addressOf(wallet: FoundWallet, cluster: SolanaCluster, asks: boolean): Promise<string | null> {
  if (wallet.family === 'evm') {
    const accounts = await (asks ? connect(wallet.provider) : connectedAccounts(wallet.provider));
    return accounts[0] ?? null;
  }
  const known = asks ? await connectToSolana(wallet.wallet, cluster) : wallet.wallet.accounts;
  return known[0]?.address ?? null;
}

/** What the service says about the account and a wallet. */
interface Figures {
  readonly balance: string;
  readonly holdings: Holder['holdings'];
}

/** @returns null when the service does not say */
async function readFigures(accountId: string, wallet: string): Promise<Figures | null> {
  const response = await fetch(`/deposit/${accountId}/holdings`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ wallet }),
  }).catch(() => null);
  return response?.ok ? response.json().catch(() => null) : null;
}
