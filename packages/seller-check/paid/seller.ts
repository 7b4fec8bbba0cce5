import { setTimeout as sleep } from 'node:timers/promises';
import type { PrivateKeyAccount } from 'viem/accounts';
import type { LocalChain } from './chain';
import { type Reply, sendRequest } from './client';
import type { Facilitator } from './facilitator';
import { CaseLedger } from './ledger';
import type { NodeProxy } from './node-proxy';
import { type MppOffer, readMppOffer, readX402Offer, type X402Offer } from './offers';
import { type Change, mppPayment, type Payment, x402Payment } from './payments';
import type { SellerProcess } from './seller-process';

/** A call that the seller offers, as the command line names it. */
export interface Target {
  readonly baseUrl: string;
  readonly method: string;
  readonly path: string;
  readonly body?: string;
  /** The same call over MPP, if it has another path. */
  readonly mppPath: string;
  /** Another valid body, with another answer. */
  readonly otherBody?: string;
  /** Another call at the same price. */
  readonly otherPath?: string;
  /** A body that the seller refuses before it takes money. */
  readonly invalidBody?: string;
  /** A body for which the seller takes money and then fails. */
  readonly failingBody?: string;
}

/** Everything around the seller that lasts for the whole run. */
export interface Surroundings {
  readonly target: Target;
  readonly chain: LocalChain;
  readonly node: NodeProxy;
  readonly facilitator: Facilitator;
  /** Null if the seller was already running. */
  readonly process: SellerProcess | null;
}

/** What is different from the call that the command line names. */
export interface Sending {
  readonly path?: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly timeoutMs?: number;
  /** The client ends the connection then, if there is no answer yet. */
  readonly cutWhen?: Promise<unknown>;
}

const defaultTimeoutMs = 20_000;
const openingMs = 30_000;

/** The seller as one case sees it: with its own payers and its own ledger. */
export class PaidSeller {
  readonly chain: LocalChain;
  readonly node: NodeProxy;
  readonly facilitator: Facilitator;
  readonly process: SellerProcess | null;
  readonly target: Target;
  readonly x402: X402Offer | null;
  readonly mpp: MppOffer | null;
  readonly ledger: CaseLedger;

  private constructor(around: Surroundings, x402: X402Offer | null, mpp: MppOffer | null) {
    this.chain = around.chain;
    this.node = around.node;
    this.facilitator = around.facilitator;
    this.process = around.process;
    this.target = around.target;
    this.x402 = x402;
    this.mpp = mpp;
    const offer = x402 ?? mpp;
    this.ledger = new CaseLedger(around.chain, () => offer?.payee ?? null, offer?.price ?? 0n);
  }

  /** Reads the seller's challenges. A seller that has none yet gets time: it may have closed while its node was down. */
  static async open(around: Surroundings): Promise<PaidSeller> {
    const { target, chain } = around;
    for (const deadline = Date.now() + openingMs; ; await sleep(250)) {
      const [plain, other] = await Promise.all(
        [target.path, target.mppPath].map((path) =>
          sendRequest(requestOf(target, { path }), { timeoutMs: defaultTimeoutMs }),
        ),
      );
      const x402 = plain ? readX402Offer(plain, chain) : null;
      const mpp = other ? readMppOffer(other, chain) : null;
      if (x402 || mpp || Date.now() > deadline) return new PaidSeller(around, x402, mpp);
    }
  }

  /** A new wallet with 10 USDC, or `atomic`, whose money the ledger of this case counts. */
  async newPayer(atomic?: bigint): Promise<PrivateKeyAccount> {
    const payer = await this.chain.newPayer(atomic);
    this.ledger.addPayer(payer.address);
    return payer;
  }

  /** Signs a payment over x402. The case has made sure that the seller offers it. */
  async signX402(payer: PrivateKeyAccount, change?: Change): Promise<Payment> {
    if (!this.x402) throw new Error('The seller does not offer x402.');
    const payment = await x402Payment(this.chain, this.x402, payer, change);
    this.ledger.addPayer(payment.payer);
    return payment;
  }

  /** Signs a payment over MPP, for a new challenge. */
  async signMpp(payer: PrivateKeyAccount, change?: Change, sending?: Sending): Promise<Payment> {
    return this.signMppFor(await this.challengeMpp(sending), payer, change);
  }

  /** Gets a new challenge of MPP. */
  async challengeMpp(sending: Sending = {}): Promise<MppOffer> {
    const unpaid = await this.send({ ...sending, path: this.target.mppPath });
    const offer = readMppOffer(unpaid, this.chain);
    if (!offer) throw new Error(`The seller answered ${unpaid.status} without a challenge.`);
    return offer;
  }

  async signMppFor(offer: MppOffer, payer: PrivateKeyAccount, change?: Change): Promise<Payment> {
    const payment = await mppPayment(this.chain, offer, payer, change);
    this.ledger.addPayer(payment.payer);
    return payment;
  }

  /** Signs with whichever protocol the seller offers; x402 if both. */
  sign(payer: PrivateKeyAccount, change?: Change): Promise<Payment> {
    return this.x402 ? this.signX402(payer, change) : this.signMpp(payer, change);
  }

  /** Sends a request that carries a payment. */
  pay(payment: Payment, sending: Sending = {}): Promise<Reply> {
    return this.send({
      path: payment.protocol === 'mpp' ? this.target.mppPath : this.target.path,
      ...sending,
      headers: { ...sending.headers, ...payment.headers },
    });
  }

  /** Pays with a new wallet. */
  async buy(sending?: Sending): Promise<Reply> {
    return this.pay(await this.sign(await this.newPayer()), sending);
  }

  async send(sending: Sending = {}): Promise<Reply> {
    const { cutWhen, timeoutMs = defaultTimeoutMs } = sending;
    const cut = new AbortController();
    void cutWhen?.then(() => cut.abort());
    const reply = await sendRequest(requestOf(this.target, sending), { timeoutMs, signal: cut.signal });
    this.ledger.record(reply, reply.failure !== null && cut.signal.aborted);
    return reply;
  }

  /** The address of the call. */
  get url(): string {
    return this.target.baseUrl + this.target.path;
  }
}

/** The request for a call, with what is different in it. */
export function requestOf(target: Target, { path = target.path, body = target.body, headers }: Sending) {
  const sent = new Headers(headers);
  if (body !== undefined && !sent.has('content-type')) sent.set('Content-Type', 'application/json');
  return {
    url: target.baseUrl + path,
    method: target.method,
    headers: Object.fromEntries(sent),
    ...(body === undefined ? {} : { body }),
  };
}
