import { type Hex, keccak256, toHex } from 'viem';
import { toPayment } from '@/lib/payments/evm/authorization';
import type { EvmSigned, Payment } from '@/lib/payments/payment';
import { inTime } from '@/lib/platform/concurrency/in-time';
import { type Answer, answerOf } from './answers';
import type { Dice } from './dice';
import { Account, usdcCalls } from './evm/accounts';
import type { Fleet } from './fleet';
import { type OperationName, operations } from './services';
import type { World } from './world';

/** The most that a client waits for an answer, and how often it asks for one thing. */
const patienceMs = 60_000;
const requestsMax = 6;
const price = 10_000n;

/** One thing that a buyer wants, once. */
export interface Order {
  readonly name: string;
  readonly operation: OperationName;
  readonly idempotencyKey: string | null;
  /** A buyer signs again only when it was told that nothing was charged. */
  readonly payments: Payment<EvmSigned>[];
  readonly requests: Request[];
}

/** A request and what was answered; null when nothing was. */
interface Request {
  readonly payment: Payment<EvmSigned>;
  readonly answer: Answer | null;
}

const payers = Array.from({ length: 8 }, (_, index) => new Account(`payer ${index}`));

/** Somebody with money. */
const patron = new Account('patron');

/** Buyers, who pay at random moments. */
export class Buyers {
  readonly #world: World;
  readonly #fleet: Fleet;
  readonly orders: Order[] = [];
  /** Whether nobody buys any more. */
  isOver = false;

  constructor(world: World, fleet: Fleet) {
    this.#world = world;
    this.#fleet = fleet;
    const dice = world.dice('funds');
    world.chain.giveUsdc(patron.address, price * 1_000n);
    // Some cannot afford all that they buy.
    for (const payer of payers) world.chain.giveUsdc(payer.address, price * BigInt(dice.pick([1, 4, 100])));
  }

  async buy(): Promise<void> {
    const { buyers } = this.#world.plan;
    await Promise.all(Array.from({ length: buyers }, (_, index) => this.#buy(index)));
    this.isOver = true;
  }

  async #buy(index: number): Promise<void> {
    const { clock, plan } = this.#world;
    const dice = this.#world.dice(`buyer ${index}`);
    await clock.sleep(dice.between(1, plan.faultyMs));
    const account = dice.pick(payers.slice(0, 4));
    const idempotencyKey = dice.chance(0.6) ? `key ${index}` : null;
    const operation = dice.pick(operations);
    const order: Order = { name: `order${index}`, operation, idempotencyKey, payments: [], requests: [] };
    this.orders.push(order);
    this.#sign(order, account, dice);
    if (dice.chance(0.15)) this.#actAlone(order, account, dice);
    // Impatient ones send the same request twice at once.
    if (dice.chance(0.15)) await Promise.all([this.#request(order, dice), this.#request(order, dice)]);
    while (order.requests.length < requestsMax) {
      const answer = await this.#request(order, dice);
      if (answer?.kind === 'refused' && order.payments.length === 1 && dice.chance(0.3))
        this.#insist(order, account, dice);
      const isDone = answer?.kind === 'answered' || answer?.kind === 'refunded';
      if (dice.chance(isDone ? 0.7 : 0.15)) return;
      await clock.sleep(dice.between(1, 8_000));
      if (answer?.kind === 'refused' && dice.chance(0.5)) this.#sign(order, account, dice);
    }
  }

  /** Sends the newest payment of an order, to any process. */
  async #request(order: Order, dice: Dice): Promise<Answer | null> {
    const { clock, log } = this.#world;
    const payment = order.payments.at(-1);
    if (!payment) throw new Error('nothing is signed');
    const { name, operation, idempotencyKey } = order;
    const process = this.#fleet.any(dice);
    log.say(name, `is requested from ${process.id} with payment ${order.payments.length}`);
    const request = {
      operation,
      payment,
      input: { order: Number(name.slice('order'.length)) },
      ...(idempotencyKey === null ? {} : { idempotencyKey }),
    };
    const answer = await inTime(clock, answerOf(process.buy(request)), patienceMs, null);
    order.requests.push({ payment, answer });
    log.say(name, `is answered: ${answer?.text ?? 'nothing'}`);
    return answer;
  }

  #sign(order: Order, account: Account, dice: Dice): void {
    const { offer, clock, log, seed, payee } = this.#world;
    const seconds = dice.between(31, 80);
    const authorization = {
      from: account.address,
      to: payee,
      value: price,
      validAfter: 0n,
      validBefore: BigInt(Math.floor(clock.now() / 1_000) + seconds),
      nonce: keccak256(toHex(`${seed} ${order.name} ${order.payments.length}`)),
    };
    const { validBefore, nonce, from, to } = authorization;
    const payment = toPayment(offer, {
      family: 'evm',
      authorization: { from, to, nonce, value: `${price}`, validAfter: '0', validBefore: `${validBefore}` },
      signature: account.authorize(offer.network, authorization),
      signer: 'key',
    });
    order.payments.push(payment);
    const signer = account.address.slice(0, 8);
    log.say(order.name, `of ${order.operation} is signed by ${signer}, valid for ${seconds} s`);
  }

  /** The buyer submits or cancels the authorization without us, or spends the money. */
  #actAlone(order: Order, account: Account, dice: Dice): void {
    const { chain, clock, offer } = this.#world;
    const [payment] = order.payments;
    if (!payment) return;
    const { nonce } = payment.signed.authorization;
    const kind = dice.pick(['submits', 'submits', 'cancels', 'spends'] as const);
    const to = offer.network.usdc as Hex;
    clock.after(dice.between(1, 40_000), () => {
      this.#world.happens(`buyer ${kind}`, order.name, `its buyer ${kind} without us`);
      if (kind === 'submits') this.#submit(payment, account);
      else if (kind === 'cancels') {
        const signature = account.cancel(offer.network, nonce);
        chain.act(account.address, { to, data: usdcCalls.cancelParts(account.address, nonce, signature) });
      } else {
        const all = chain.usdcOf(account.address);
        chain.act(account.address, { to, data: usdcCalls.transfer(patron.address, all) });
      }
    });
  }

  #submit(payment: Payment<EvmSigned>, account: Account): void {
    const { chain, offer, payee } = this.#world;
    const { authorization, signature } = payment.signed;
    const { from, nonce, validAfter, validBefore, value } = authorization;
    const words = {
      ...{ from, to: payee, nonce },
      ...{ value: BigInt(value), validAfter: BigInt(validAfter), validBefore: BigInt(validBefore) },
    };
    chain.act(account.address, {
      to: offer.network.usdc as Hex,
      data: usdcCalls.transferParts(words, signature),
    });
  }

  /** The buyer gets money after all, and submits the payment that we have refused. */
  #insist(order: Order, account: Account, dice: Dice): void {
    const { chain, clock, offer } = this.#world;
    const [payment] = order.payments;
    clock.after(dice.between(1, 5_000), () => {
      if (!this.#world.isFaulty || !payment) return;
      this.#world.happens('buyer submits a refused payment', order.name, 'its buyer submits it all the same');
      const data = usdcCalls.transfer(account.address, price);
      chain.act(patron.address, { to: offer.network.usdc as Hex, data });
      this.#submit(payment, account);
    });
  }
}
