import { chosenWallet, listWallets } from '@/app/_wallets/choice';
import { connect, connectedAccounts } from '@/app/_wallets/evm';
import { connectToSolana, type SolanaCluster } from '@/app/_wallets/solana';
import { notConnected } from '@/app/_wallets/stopped';
import { type FoundWallet, watchWallets } from '@/app/_wallets/wallets';
import { money } from '@/app/_wallets/words';
import { amountOf, amountProblem, differenceOf, isLess, sumOf } from '../_page/amount';
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
  /** Why the wallet did not show its account. */
  #connection: string | null = null;
  /** Whether the person has left the amount field, so that its problem may be shown. */
  #isAmountDone = false;
  /** Whether the person has pressed the button, so that it may be said what is missing. */
  #isTried = false;
  /** Whether the person has chosen the network. Otherwise it follows the balances of the wallet. */
  #isNetworkTheirs = false;
  /** What is going on, on the button; null when it can be pressed. */
  #busy: string | null = null;
  #mayBePaid = false;

  constructor(state: DepositState, form: HTMLFormElement, cluster: SolanaCluster) {
    this.#state = state;
    this.#form = form;
    this.#cluster = cluster;
    this.#balance = state.balance;
  }

  start(): void {
    this.#form.addEventListener('input', ({ target }) => {
      if (this.#busy === null) this.#form.removeAttribute('data-room');
      if (target instanceof HTMLInputElement && target.name === 'network') this.#isNetworkTheirs = true;
      this.#followBalances();
      this.#show();
    });
    this.#form.addEventListener('change', () => this.#show());
    element(ids.amount)?.addEventListener('blur', ({ relatedTarget }) => {
      // The button says it itself. A message above it now would move it away from below the pointer.
      if (relatedTarget === element(ids.pay)) return;
      this.#isAmountDone = true;
      this.#show();
    });
    element(ids.presets)?.addEventListener('click', ({ target }) => this.#takePreset(target));
    watchWallets(this.#cluster, (found) => {
      this.#wallets = found;
      const list = element(ids.wallets);
      if (list)
        listWallets(
          list,
          found.filter((wallet) => this.#networksOf(wallet).length > 0),
        );
      this.#form.hidden = found.length === 0;
      setHidden(ids.noWallet, found.length > 0);
      setHidden(ids.install, found.length > 0);
      this.#show();
    });
    setHidden(ids.phone, false);
    this.#show();
  }

  /** The chosen wallet, if it has to show its account first. */
  get unconnected(): FoundWallet | undefined {
    return this.#holder === null ? this.#wallet : undefined;
  }

  get isAmountRight(): boolean {
    return amountProblem(this.amount, this.#state) === null;
  }

  /** What can be paid. If something is missing or wrong, says so at its field, goes there, and returns null. */
  choose(): Choice | null {
    this.#isTried = true;
    this.#show();
    const { amount } = this;
    const network = this.#network;
    const wallet = this.#wallet;
    if (this.isAmountRight && wallet && network && this.#shortage === null)
      return { amount, wallet, network };
    const fields = [...this.#form.querySelectorAll<HTMLElement>('.error:not([hidden]) ~ * input')];
    fields.find((field) => field.checkVisibility())?.focus();
    return null;
  }

  /** Asks the wallet for its account. */
  async connect(wallet: FoundWallet): Promise<void> {
    this.#connection = null;
    this.setBusy('Connecting…');
    const address = await addressOf(wallet, this.#cluster, true).catch((error: unknown) => {
      this.#connection = notConnected(error, wallet.name);
      return null;
    });
    await this.#showHolder(wallet, address);
    this.setBusy(null);
  }

  get amount(): string {
    return amountOf(element<HTMLInputElement>(ids.amount)?.value ?? '');
  }

  get isBusy(): boolean {
    return this.#busy !== null;
  }

  /** After a payment that may have been made, or was, the button says that it pays once more. */
  set mayBePaid(mayBePaid: boolean) {
    this.#mayBePaid = mayBePaid;
    this.#showButton();
  }

  /** @param hasRoom whether something will be told below the button */
  setBusy(busy: string | null, hasRoom = false): void {
    this.#busy = busy;
    if (hasRoom) this.#form.setAttribute('data-room', '');
    this.#show();
  }

  /** Reads balance and holdings again. @returns the account's balance; null when it is not known */
  async refresh(): Promise<string | null> {
    const address = this.#holder?.address ?? (this.#wallet && (await this.#shownAddress(this.#wallet)));
    const figures = address ? await readFigures(this.#state.accountId, address) : null;
    if (!address || !figures) return null;
    this.#holder = { address, holdings: figures.holdings };
    this.#balance = figures.balance;
    setText(ids.balance, `${money(figures.balance)} USDC`);
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

  /** What the wallet holds on a network; null when that is not known. */
  #heldOn(network: DepositNetwork): string | null {
    return this.#holder?.holdings[network.name] ?? null;
  }

  /**
   * Where the wallet has less than the amount: on the chosen network or, if none is chosen and none has enough, on the one that
   * has most. Null when it has enough, and when nobody knows.
   */
  get #shortage(): Shortage | null {
    if (!this.isAmountRight) return null;
    const chosen = this.#network;
    const networks = chosen ? [chosen] : this.#networksOf(this.#wallet);
    const holdings = networks.flatMap((network) => {
      const held = this.#heldOn(network);
      return held === null ? [] : [{ network, held }];
    });
    const [first, ...others] = holdings;
    if (!first || holdings.length < networks.length) return null;
    const most = others.reduce((best, one) => (isLess(best.held, one.held) ? one : best), first);
    return isLess(most.held, this.amount)
      ? { ...most, isChosen: chosen !== undefined || networks.length === 1 }
      : null;
  }

  #takePreset(target: EventTarget | null): void {
    const input = element<HTMLInputElement>(ids.amount);
    if (!(target instanceof HTMLButtonElement) || !input) return;
    input.value = target.value;
    this.#isAmountDone = true;
    this.#followBalances();
    this.#show();
  }

  /** The address that a wallet shows without asking anybody. */
  #shownAddress(wallet: FoundWallet): Promise<string | null> {
    return addressOf(wallet, this.#cluster, false).catch(() => null);
  }

  /** Shows what a wallet holds, and chooses a network for it. */
  async #showHolder(wallet: FoundWallet, address: string | null): Promise<void> {
    if (wallet !== this.#wallet || address === null) return;
    this.#holder = { address, holdings: {} };
    this.#show();
    await this.refresh();
    if (wallet === this.#wallet) this.#followBalances();
    this.#show();
  }

  /** Chooses a network that has enough, unless the chosen one has, or the person has chosen it. */
  #followBalances(): void {
    const { amount } = this;
    if (!this.isAmountRight || (this.#network && (this.#isNetworkTheirs || this.#shortage === null))) return;
    const enough = this.#networksOf(this.#wallet).find((network) => {
      const held = this.#heldOn(network);
      return held !== null && !isLess(held, amount);
    });
    const input = enough && this.#form.querySelector<HTMLInputElement>(`#network-${enough.name}`);
    if (input) input.checked = true;
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
    this.#connection = null;
    if (chosen) void this.#shownAddress(chosen).then((address) => this.#showHolder(chosen, address));
  }

  #showAmount(): void {
    const { amount } = this;
    const mayTell = this.#isAmountDone || this.#isTried;
    const problem = mayTell ? amountProblem(amount, this.#state) : null;
    setError(ids.amountError, problem);
    const input = element<HTMLInputElement>(ids.amount);
    if (problem === null) input?.removeAttribute('aria-invalid');
    else input?.setAttribute('aria-invalid', 'true');
    for (const button of element(ids.presets)?.querySelectorAll('button') ?? [])
      button.ariaPressed = String(button.value === amount);
  }

  #showNetworks(): void {
    const wallet = this.#wallet;
    const holder = this.#holder;
    setError(ids.walletError, this.#isTried && !wallet ? 'Choose a wallet' : null);
    setHidden(ids.networks, wallet === undefined);
    setText(ids.holder, this.#connection ?? holderWords(wallet, holder));
    element(ids.holder)?.classList.toggle('error', this.#connection !== null);
    for (const input of this.#form.querySelectorAll<HTMLElement>('[data-family]')) {
      const option = input.closest<HTMLElement>('.option');
      if (option) option.hidden = input.dataset.family !== wallet?.family;
    }
    for (const place of this.#form.querySelectorAll<HTMLElement>('.holding')) {
      const held = holder?.holdings[place.dataset.network ?? ''];
      place.textContent = held ? `${money(held)} USDC` : held === null ? 'balance not known' : '';
    }
    setError(ids.networkError, this.#networkProblem());
  }

  /** Said once the button was pressed. A wallet has to show its balances before a network can be chosen by them. */
  #networkProblem(): string | null {
    if (!this.#isTried || this.#holder === null || !this.#wallet) return null;
    const short = this.#shortage;
    if (short) return shortageWords(short, this.#wallet.name, this.amount, this.#state.min);
    return this.#network ? null : 'Choose a network';
  }

  #showTotal(): void {
    const { amount } = this;
    const isKnown = this.isAmountRight;
    setText(ids.total, isKnown ? `${money(amount)} USDC` : '–');
    const short = this.#shortage;
    setText(ids.afterName, short ? `Missing on ${short.network.label}` : 'New balance');
    const after = short ? differenceOf(amount, short.held) : isKnown ? sumOf(this.#balance, amount) : null;
    setText(ids.after, after === null ? '–' : `${money(after)} USDC`);
    element(ids.after)?.parentElement?.classList.toggle('missing', short !== null);
    const network = this.#network;
    setText(ids.payTo, network?.payTo ?? 'Choose a network first');
    setText(ids.asset, network?.asset ?? 'Choose a network first');
  }

  /** The button can always be pressed, and then says what is missing. */
  #showButton(): void {
    const button = element<HTMLButtonElement>(ids.pay);
    if (!button) return;
    if (this.#busy === null) button.removeAttribute('aria-disabled');
    else button.setAttribute('aria-disabled', 'true');
    button.textContent = this.#busy ?? this.#buttonWords();
    button.classList.toggle('secondary', this.#mayBePaid);
  }

  #buttonWords(): string {
    if (this.unconnected) return `Connect ${this.unconnected.name}`;
    const again = this.#mayBePaid ? ' again' : '';
    return this.isAmountRight ? `Pay ${money(this.amount)} USDC${again}` : `Pay${again}`;
  }
}

function holderWords(wallet: FoundWallet | undefined, holder: Holder | null): string {
  if (holder) return `Connected: ${shorten(holder.address)}`;
  return wallet ? 'Connect it to see its balances.' : '';
}

interface Shortage {
  readonly network: DepositNetwork;
  readonly held: string;
  /** Whether the network is the chosen one, or the only one. */
  readonly isChosen: boolean;
}

/** What is missing, and how to get it. */
function shortageWords(shortage: Shortage, wallet: string, amount: string, min: string): string {
  const { network, held, isChosen } = shortage;
  const missing = `${money(differenceOf(amount, held))} USDC more`;
  if (isChosen) {
    const has = isLess('0', held) ? `has only ${money(held)} USDC` : 'has no USDC';
    const smaller = isLess(held, min) ? '' : ', or enter a smaller amount';
    return `${wallet} ${has} on ${network.label}. Send it ${missing} there${smaller}.`;
  }
  const smaller = isLess(held, min) ? '' : `, or enter at most ${money(held)}`;
  return `${wallet} has less than ${money(amount)} USDC on each network. Send it ${missing} on ${network.label}${smaller}.`;
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
