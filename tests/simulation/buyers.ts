import { onAccount, type Payment } from '@/lib/payments/payment';
import { digestOfRequest } from '@/lib/payments/receipts/receipt';
import { inTime } from '@/lib/platform/concurrency/in-time';
import { voucherKey } from '@/packages/paywall/memory/channel-memory';
import type { PaidCallRow } from '@/packages/paywall/memory/memory-rows';
import { type Answer, answerOf } from './answers';
import { ChannelPayer, totalOf } from './channels/channel-payer';
import type { Dice } from './dice';
import type { Fleet } from './fleet';
import { AccountPayer } from './payers/account-payers';
import { evmPayers } from './payers/evm-payers';
import type { Payer } from './payers/payer';
import { solanaPayers } from './payers/solana-payers';
import { type OperationName, operations } from './services';
import type { World } from './world';

/** The most that a client waits for an answer, and how often it asks for one thing. */
const patienceMs = 60_000;
const requestsMax = 6;

/** One thing that a buyer wants, once. */
export interface Order {
  readonly name: string;
  readonly operation: OperationName;
  /** What a retry is recognized by, besides its payment: a key, a claim token, or neither. */
  readonly idempotencyKey: string | null;
  readonly claimToken: string | null;
  readonly payer: Payer;
  /** The account into which it pays. */
  readonly accountId: string | null;
  /** A buyer signs again only when it was told that nothing was charged. */
  readonly payments: Payment[];
  readonly requests: Request[];
  /** What was answered to somebody else who repeated one of its payments. */
  readonly toStrangers: Answer[];
  /**
   * What was answered to its own wallet, which signed in; null for no answer, and `paid again` where it had bought the call and was
   * asked to pay.
   */
  readonly toWallet: (Answer | 'paid again' | null)[];
}

/** A request and what was answered; null when nothing was. */
interface Request {
  readonly payment: Payment;
  readonly answer: Answer | null;
}

/** Buyers, who pay at random moments. */
export class Buyers {
  readonly #world: World;
  readonly #fleet: Fleet;
  readonly orders: Order[] = [];
  readonly #onBase: readonly Payer[];
  readonly #onSolana: readonly Payer[];
  readonly #withAccounts: readonly Payer[];
  /** Whether nobody buys any more. */
  isOver = false;

  constructor(world: World, fleet: Fleet) {
    this.#world = world;
    this.#fleet = fleet;
    this.#onBase = evmPayers(world);
    this.#onSolana = world.solana ? solanaPayers(world, world.solana) : [];
    this.#withAccounts = world.accounts.map((account) => new AccountPayer(world, account));
  }

  async buy(): Promise<void> {
    const { buyers, channels } = this.#world.plan;
    const all = buyers + (channels?.buyers ?? 0);
    await Promise.all(Array.from({ length: all }, (_, index) => this.#buy(index)));
    this.isOver = true;
  }

  async #buy(index: number): Promise<void> {
    const { clock, plan } = this.#world;
    const dice = this.#world.dice(`buyer ${index}`);
    await clock.sleep(dice.between(1, plan.faultyMs));
    // One who pays through a channel buys several things with it, some at once.
    const times = index < plan.buyers ? 1 : dice.between(1, 4);
    const isAtOnce = times > 1 && dice.chance(0.4);
    const buying: Promise<unknown>[] = [];
    for (let time = 0; time < times; time += 1) {
      const order = this.#order(index + 100 * time, dice);
      this.orders.push(order);
      buying.push(Promise.all([this.#pursue(order, dice), this.#repeat(order), this.#signIn(order)]));
      if (!isAtOnce) await buying.at(-1);
    }
    await Promise.all(buying);
  }

  /** Asks until the order is done, or its buyer gives up. */
  async #pursue(order: Order, dice: Dice): Promise<void> {
    const { clock } = this.#world;
    this.#sign(order, dice);
    if (dice.chance(0.15)) this.#actAlone(order, dice);
    // Impatient ones send the same request twice at once.
    if (dice.chance(0.15)) await Promise.all([this.#request(order, dice), this.#request(order, dice)]);
    while (order.requests.length < requestsMax) {
      const answer = await this.#request(order, dice);
      if (answer?.kind === 'refused' && order.payments.length === 1 && dice.chance(0.3))
        this.#insist(order, dice);
      const isDone = answer?.kind === 'answered' || answer?.kind === 'refunded';
      if (dice.chance(isDone ? 0.7 : 0.15)) return;
      await clock.sleep(dice.between(1, 8_000));
      if (answer?.kind === 'refused' && dice.chance(0.5)) this.#sign(order, dice);
    }
  }

  #order(index: number, dice: Dice): Order {
    const onBase = dice.pick(this.#onBase);
    const hasKey = dice.chance(0.6);
    const drawn = dice.pick(operations);
    const way = this.#world.dice(`way of buyer ${index}`);
    const onSolana = this.#onSolana.length > 0 && way.chance(0.5) ? way.pick(this.#onSolana) : null;
    const payer = onSolana ?? onBase;
    const open = { name: `order${index}`, payments: [], requests: [], toStrangers: [], toWallet: [] };
    const key = { idempotencyKey: hasKey ? `key ${index}` : null, claimToken: null };
    const bought = { operation: drawn, accountId: null };
    const { accounts, channels, plan } = this.#world;
    if (index >= plan.buyers) return { ...open, ...key, ...bought, payer: way.pick(channels) };
    if (accounts.length > 0 && way.chance(0.5))
      return way.chance(0.7)
        ? { ...open, ...key, ...bought, payer: way.pick(this.#withAccounts) }
        : { ...open, ...key, operation: 'deposit', accountId: way.pick(accounts).id, payer };
    const other = hasKey && way.chance(0.1) ? this.orders.find(({ idempotencyKey }) => idempotencyKey) : null;
    if (other) {
      this.#world.happens('a key is used for something else', open.name, `uses the key of ${other.name}`);
      return { ...open, ...key, ...bought, payer: other.payer, idempotencyKey: other.idempotencyKey };
    }
    const claimToken = !hasKey && way.chance(0.5) ? `token ${index}` : null;
    return { ...open, ...key, ...bought, payer, claimToken };
  }

  /** Sends the newest payment of an order, to any process. */
  async #request(order: Order, dice: Dice): Promise<Answer | null> {
    const { clock, log } = this.#world;
    if (order.payer.paysByRequest && order.requests.length > 0) this.#sign(order, dice);
    const payment = order.payments.at(-1);
    if (!payment) throw new Error('nothing is signed');
    const { name } = order;
    const process = this.#fleet.any(dice);
    log.say(name, `is requested from ${process.id} with payment ${order.payments.length}`);
    const answer = await inTime(clock, answerOf(process.buy(requestOf(order, payment))), patienceMs, null);
    order.requests.push({ payment, answer });
    log.say(name, `is answered: ${answer?.text ?? 'nothing'}`);
    if (answer && order.payer instanceof ChannelPayer && order.payer.learn(payment, answer)) {
      const correcting = process.channels?.correct(payment).catch(() => null) ?? Promise.resolve(null);
      const said = await inTime(clock, correcting, patienceMs, null);
      if (said) order.payer.correct(said);
    }
    return answer;
  }

  /** Now and then somebody else reads a payment from the chain, and repeats its request as well as it can be guessed. */
  async #repeat(order: Order): Promise<void> {
    const { clock, database, log } = this.#world;
    const dice = this.#world.dice(`stranger to ${order.name}`);
    if (dice.chance(0.8)) return;
    await clock.sleep(dice.between(1_000, 40_000));
    const [payment] = order.payments;
    const { channelId = '' } = payment ?? {};
    const isPublic = payment?.channelId
      ? database.tables.publishedVoucher.get(voucherKey(channelId, totalOf(payment)))
      : database.tables.paidCall.first(
          ({ authorization, settlementId }) =>
            authorization === payment?.authorization && settlementId !== null,
        );
    if (!payment || !isPublic) return;
    this.#world.happens('a stranger repeats a payment', order.name, 'a stranger repeats its payment');
    const claimToken = dice.pick(['', 'token of a stranger']);
    const request = { ...requestOf(order, payment), idempotencyKey: '', claimToken };
    const answer = await inTime(clock, answerOf(this.#fleet.any(dice).buy(request)), patienceMs, null);
    log.say(order.name, `a stranger is answered: ${answer?.text ?? 'nothing'}`);
    if (answer) order.toStrangers.push(answer);
  }

  /** Now and then a buyer has lost everything but its wallet, and signs in for what it has paid for. */
  async #signIn(order: Order): Promise<void> {
    const { clock, log } = this.#world;
    const dice = this.#world.dice(`wallet of ${order.name}`);
    if (dice.chance(0.7)) return;
    await clock.sleep(dice.between(1_000, 60_000));
    const [payment] = order.payments;
    if (!payment) return;
    const wasBought = this.#isBought(order);
    if (wasBought)
      this.#world.happens('a buyer signs in instead of paying again', order.name, 'its wallet signs in');
    const { payment: _, ...request } = requestOf(order, payment);
    const process = this.#fleet.any(dice);
    const answering = process.signIn({ ...request, idempotencyKey: '' }, payment.payer);
    const isToPay = answering.then((result) => result === null);
    const answered = answerOf(answering.then((result) => result ?? { kind: 'rejected', reason: 'pay' }));
    const answer = await inTime(clock, answered, patienceMs, null);
    log.say(order.name, `its wallet is answered: ${answer?.text ?? 'nothing'}`);
    if (!answer || !(await isToPay.catch(() => false))) order.toWallet.push(answer);
    else if (wasBought && this.#isBought(order)) order.toWallet.push('paid again');
  }

  /** Whether one of its payments on a chain has bought what it wants. */
  #isBought(order: Order): boolean {
    return this.#world.database.tables.paidCall
      .where(({ state, network }) => state === 'delivered' && network !== onAccount)
      .some((call) => order.payments.some(({ payer }) => payer === call.payer) && isRequestOf(order, call));
  }

  #sign(order: Order, dice: Dice): void {
    const { clock, log, seed } = this.#world;
    const { payer } = order;
    const payment = payer.sign(`${seed} ${order.name} ${order.payments.length}`, dice);
    order.payments.push(payment);
    const seconds = Math.floor((payment.validBefore.getTime() - clock.now()) / 1_000);
    log.say(order.name, `of ${order.operation} is signed by ${payer.name}, valid for ${seconds} s`);
  }

  #actAlone({ name, payments: [payment], payer: { soloActs } }: Order, dice: Dice): void {
    if (!payment || soloActs.length === 0) return;
    const { fault, run } = dice.pick(soloActs);
    this.#world.clock.after(dice.between(1, 40_000), () => {
      this.#world.happens(fault, name, `${fault} without us`);
      run(payment);
    });
  }

  /** The buyer gets money after all, and submits the payment that we have refused. */
  #insist(order: Order, dice: Dice): void {
    const { payer } = order;
    const [payment] = order.payments;
    this.#world.clock.after(dice.between(1, 5_000), () => {
      if (!this.#world.isFaulty || !payment || !payer.insist) return;
      this.#world.happens('buyer submits a refused payment', order.name, 'its buyer submits it all the same');
      payer.insist(payment);
    });
  }
}

/** Whether a call is for what an order asks for. */
export function isRequestOf(order: Order, { requestHash }: Pick<PaidCallRow, 'requestHash'>): boolean {
  const body = Buffer.from(JSON.stringify(inputOf(order)));
  return digestOfRequest('POST', `/v1/${order.operation}`, body).equals(requestHash);
}

function inputOf({ name, accountId }: Pick<Order, 'name' | 'accountId'>): object {
  const order = Number(name.slice('order'.length));
  return { order, ...(accountId === null ? {} : { accountId }) };
}

/** What an order asks for, with one of its payments. */
export function requestOf(order: Order, payment: Payment) {
  const { operation, idempotencyKey, claimToken } = order;
  return {
    ...{ operation, payment, input: inputOf(order) },
    ...{ idempotencyKey: idempotencyKey ?? '', claimToken: claimToken ?? '' },
  };
}
