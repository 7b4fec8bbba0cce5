import { setTimeout as sleep } from 'node:timers/promises';
import type { Hex } from 'viem';
import type { LocalChain } from './chain';
import { isDelivery, paymentOf, type Reply, sendRequest } from './client';
import { describeReply } from './findings';

/** One payment of a case, and what it bought. */
interface Account {
  readonly payer: string;
  readonly replies: Reply[];
  /** The client gave up before the answer, so the seller may have delivered. */
  wasCut: boolean;
}

/** What the ledger compares: what was paid on the chain, and what was delivered for it. */
export interface Balance {
  readonly paid: bigint;
  readonly delivered: bigint;
}

const settlingMs = 25_000;

/**
 * The money of one case. What the payers have paid is read from the chain; a delivery is an answer of 2xx to a payment. The same
 * answer to the same request again is no second delivery.
 */
export class CaseLedger {
  readonly #chain: LocalChain;
  readonly #payee: () => Hex | null;
  readonly #accounts = new Map<string, Account>();
  readonly #payers = new Set<Hex>();
  #price: bigint;
  /** Why the chain does not show what was delivered. */
  excuse: string | null = null;

  constructor(chain: LocalChain, payee: () => Hex | null, price: bigint) {
    this.#chain = chain;
    this.#payee = payee;
    this.#price = price;
  }

  addPayer(payer: Hex): void {
    this.#payers.add(payer);
  }

  get payers(): readonly Hex[] {
    return [...this.#payers];
  }

  /** Records a request that may carry a payment, and its answer. */
  record(reply: Reply, wasCut = false): void {
    const payment = paymentOf(new Headers(reply.request.headers));
    if (!payment) return;
    const account = this.#accounts.get(payment.id) ?? { payer: payment.payer, replies: [], wasCut: false };
    account.replies.push(reply);
    account.wasCut ||= wasCut;
    this.#accounts.set(payment.id, account);
  }

  /** How many transfers the payee has received from the payers of this case. */
  async transfers(): Promise<number> {
    const payee = this.#payee();
    return payee === null ? 0 : (await this.#chain.transfers(this.payers, payee)).length;
  }

  async balance(): Promise<Balance> {
    const payee = this.#payee();
    const transfers = payee === null ? [] : await this.#chain.transfers(this.payers, payee);
    const deliveries = [...this.#accounts.values()].reduce((sum, account) => sum + deliveriesOf(account), 0);
    return {
      paid: transfers.reduce((sum, { value }) => sum + value, 0n),
      delivered: BigInt(deliveries) * this.#price,
    };
  }

  /**
   * Compares money and deliveries. A payment that has moved money without a delivery is sent again for a while, because a seller may
   * deliver late.
   * @returns what does not add up, or null
   */
  async audit(): Promise<string | null> {
    const payee = this.#payee();
    if (payee === null || this.excuse !== null) return null;
    for (const deadline = Date.now() + settlingMs; ; await sleep(400)) {
      const { paid, delivered } = await this.balance();
      if (paid === delivered) return null;
      if (paid < delivered) return this.#describe('Delivered without being paid', paid, delivered);
      const open = await this.#withoutDelivery(payee);
      // The answer that the client did not wait for may have been the delivery.
      if (open.length > 0 && open.every(({ wasCut }) => wasCut)) return null;
      const isLate = Date.now() > deadline;
      const isRefused =
        open.length > 0 && open.every(({ replies }) => replies.length > 1 && replies.at(-1)?.status === 402);
      if (isLate || isRefused || open.length === 0)
        return this.#describe('Paid without a delivery', paid, delivered, open);
      for (const account of open) await this.#sendAgain(account);
    }
  }

  /** Whether money and deliveries differ, other than by an answer that the client did not wait for. */
  isOpen(paid: bigint, delivered: bigint): boolean {
    if (paid === delivered || this.excuse !== null) return false;
    return paid < delivered || ![...this.#accounts.values()].some(({ wasCut }) => wasCut);
  }

  async #withoutDelivery(payee: Hex): Promise<Account[]> {
    const transfers = await this.#chain.transfers(this.payers, payee);
    const paying = new Set(transfers.map(({ from }) => from.toLowerCase()));
    return [...this.#accounts.values()].filter(
      (account) => paying.has(account.payer) && deliveriesOf(account) === 0,
    );
  }

  async #sendAgain(account: Account): Promise<void> {
    const first = account.replies[0];
    if (first) account.replies.push(await sendRequest(first.request, { timeoutMs: 15_000 }));
  }

  #describe(what: string, paid: bigint, delivered: bigint, open: readonly Account[] = []): string {
    const involved = open.length > 0 ? open : [...this.#accounts.values()];
    const replies = involved.flatMap((account) => [account.replies[0], account.replies.at(-1)]);
    const distinct = [...new Set(replies)].filter((reply) => reply !== undefined).slice(0, 4);
    return [
      `${what}: the payee received ${paid} atomic units of USDC on the chain, and ${delivered} were owed for what was delivered.`,
      ...distinct.map(describeReply),
    ].join('\n');
  }
}

/** How many different things a payment bought: each request, and each different answer to the same one, counts once. */
function deliveriesOf({ replies }: Account): number {
  return new Set(
    replies
      .filter(isDelivery)
      .map(({ request, text }) => JSON.stringify([request.method, request.url, request.body, text])),
  ).size;
}
