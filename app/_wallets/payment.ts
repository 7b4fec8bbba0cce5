import { jsonToBase64, randomHex } from './bytes';
import type { Kept } from './kept';
import type { PayableNetwork } from './networks';
import { type Answer, type CallRequest, errorIn, offersIn, sendUnpaid } from './request';
import { messageOf, type SignedPayment, settle } from './settle';
import { signPayment, type TransactionSource } from './signature';
import type { SolanaCluster } from './solana';
import { Stopped } from './stopped';
import { storedPayment } from './stored-payment';
import type { FoundWallet } from './wallets';
import { money, usdc } from './words';

/** What a person has agreed to pay, and with which wallet. */
export interface Purchase {
  readonly request: CallRequest;
  /** USDC, decimal: what the page has shown. */
  readonly amount: string;
  readonly wallet: FoundWallet;
  readonly network: PayableNetwork;
  readonly transaction: TransactionSource;
}

/** The steps of a payment, in order. */
export type Step = 'price' | 'sign' | 'confirm';

export interface Paid {
  readonly signed: SignedPayment;
  readonly answer: Answer;
}

/**
 * The payments of a page, one at a time. A signed payment is kept in the browser until its outcome is known. Until
 * then, paying for anything on this page, in any tab and after a reload, finishes that payment instead of signing a
 * second one.
 */
export class PagePayment {
  readonly #name: string;
  readonly #cluster: SolanaCluster;
  readonly #told: (step: Step, words: string) => void;
  readonly #stored: Kept<SignedPayment>;
  /** Where the browser stores nothing, the payment lives only as long as the page. */
  #inPage: SignedPayment | null = null;

  /**
   * @param page names the payments that must not be open at the same time
   * @param told called with each step and a text about it
   */
  constructor(page: string, cluster: SolanaCluster, told: (step: Step, words: string) => void) {
    this.#name = `payment ${page}`;
    this.#cluster = cluster;
    this.#told = told;
    this.#stored = storedPayment(page);
  }

  /** A signed payment whose outcome is not known. */
  get open(): SignedPayment | null {
    return this.#stored.read() ?? this.#inPage;
  }

  /**
   * Signs a payment and sends it until its outcome is known. If one is open, that one is finished.
   * @throws Stopped when the outcome is known; any other error leaves the payment open
   */
  async pay(purchase: Purchase): Promise<Paid> {
    const { signed, wasSent } = await this.#alone(async () => {
      const before = this.open;
      if (before !== null) return { signed: before, wasSent: true };
      const made = await this.#sign(purchase);
      this.#inPage = made;
      this.#stored.write(made);
      return { signed: made, wasSent: false };
    });
    return this.finish(signed, wasSent);
  }

  /** Sends a signed payment until its outcome is known. */
  async finish(signed: SignedPayment, wasSent = true): Promise<Paid> {
    const start = wasSent
      ? 'Finishing the payment that was signed before…'
      : `Signed. Waiting for ${signed.network} to confirm the payment…`;
    this.#told('confirm', start);
    try {
      const answer = await settle(signed, wasSent, (why) =>
        this.#told('confirm', `${why} Sending the same payment again. You will not pay twice.`),
      );
      this.#forget(signed);
      return { signed, answer };
    } catch (error) {
      if (error instanceof Stopped) this.#forget(signed);
      throw error;
    }
  }

  #forget({ key }: SignedPayment): void {
    if (this.#inPage?.key === key) this.#inPage = null;
    if (this.#stored.read()?.key === key) this.#stored.clear();
  }

  /** No other tab may sign a payment until this one is kept. Browsers have these locks only on HTTPS and localhost. */
  async #alone<Result>(work: () => Promise<Result>): Promise<Result> {
    const locks = (navigator as Partial<Navigator>).locks;
    if (!locks) return work();
    const free = await locks.request(this.#name, { ifAvailable: true }, async (lock) =>
      lock ? { result: await work() } : null,
    );
    if (free) return free.result;
    this.#told('price', 'A payment is being signed in another tab. Finish it there, or close that tab.');
    return locks.request(this.#name, work);
  }

  async #sign({ request, amount, wallet, network, transaction }: Purchase): Promise<SignedPayment> {
    this.#told('price', 'Getting the price…');
    const answer = await sendUnpaid(request);
    const offers = offersIn(answer);
    if (!offers) throw new Stopped(messageOf(errorIn(answer)));
    const accepted = offers.accepts.find((one) => one.network === network.caip2);
    if (!accepted) throw new Stopped('This network is not available at the moment. Choose another one.');
    const price = usdc(accepted.amount);
    if (Number(price) !== Number(amount))
      throw new Stopped(
        `The price is now ${money(price)} USDC instead of ${money(amount)} USDC. Check it and try again.`,
      );
    this.#told('sign', `Confirm the payment of ${money(price)} USDC in ${wallet.name}.`);
    const now = Math.floor(Date.parse(answer.headers.get('date') ?? new Date().toUTCString()) / 1000);
    const how = { cluster: this.#cluster, source: transaction };
    const payload = await signPayment(wallet, network, { accepted, now }, how);
    const { resource, extensions } = offers;
    const payment = jsonToBase64({ x402Version: 2, resource, accepted, payload, extensions });
    return { request, network: network.label, amount: price, key: `page-${randomHex(16)}`, payment };
  }
}
