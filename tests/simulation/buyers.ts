import type { Payment } from '@/lib/payments/payment';
import { inTime } from '@/lib/platform/concurrency/in-time';
import { type Answer, answerOf } from './answers';
import type { Dice } from './dice';
import type { Fleet } from './fleet';
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
  readonly idempotencyKey: string | null;
  /** A buyer signs again only when it was told that nothing was charged. */
  readonly payments: Payment[];
  readonly requests: Request[];
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
  /** Whether nobody buys any more. */
  isOver = false;

  constructor(world: World, fleet: Fleet) {
    this.#world = world;
    this.#fleet = fleet;
    this.#onBase = evmPayers(world);
    this.#onSolana = world.solana ? solanaPayers(world, world.solana) : [];
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
    const payer = this.#pick(index, dice);
    const idempotencyKey = dice.chance(0.6) ? `key ${index}` : null;
    const operation = dice.pick(operations);
    const order: Order = { name: `order${index}`, operation, idempotencyKey, payments: [], requests: [] };
    this.orders.push(order);
    this.#sign(order, payer, dice);
    if (dice.chance(0.15)) this.#actAlone(order, payer, dice);
    // Impatient ones send the same request twice at once.
    if (dice.chance(0.15)) await Promise.all([this.#request(order, dice), this.#request(order, dice)]);
    while (order.requests.length < requestsMax) {
      const answer = await this.#request(order, dice);
      if (answer?.kind === 'refused' && order.payments.length === 1 && dice.chance(0.3))
        this.#insist(order, payer, dice);
      const isDone = answer?.kind === 'answered' || answer?.kind === 'refunded';
      if (dice.chance(isDone ? 0.7 : 0.15)) return;
      await clock.sleep(dice.between(1, 8_000));
      if (answer?.kind === 'refused' && dice.chance(0.5)) this.#sign(order, payer, dice);
    }
  }

  /** Somebody on one of the networks. */
  #pick(index: number, dice: Dice): Payer {
    const onBase = dice.pick(this.#onBase);
    const way = this.#world.dice(`way of buyer ${index}`);
    return this.#onSolana.length > 0 && way.chance(0.6) ? way.pick(this.#onSolana) : onBase;
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

  #sign(order: Order, payer: Payer, dice: Dice): void {
    const { clock, log, seed } = this.#world;
    const payment = payer.sign(`${seed} ${order.name} ${order.payments.length}`, dice);
    order.payments.push(payment);
    const seconds = Math.floor((payment.validBefore.getTime() - clock.now()) / 1_000);
    log.say(order.name, `of ${order.operation} is signed by ${payer.name}, valid for ${seconds} s`);
  }

  #actAlone({ name, payments: [payment] }: Order, { soloActs }: Payer, dice: Dice): void {
    if (!payment || soloActs.length === 0) return;
    const { fault, run } = dice.pick(soloActs);
    this.#world.clock.after(dice.between(1, 40_000), () => {
      this.#world.happens(fault, name, `${fault} without us`);
      run(payment);
    });
  }

  /** The buyer gets money after all, and submits the payment that we have refused. */
  #insist(order: Order, payer: Payer, dice: Dice): void {
    const [payment] = order.payments;
    this.#world.clock.after(dice.between(1, 5_000), () => {
      if (!this.#world.isFaulty || !payment || !payer.insist) return;
      this.#world.happens('buyer submits a refused payment', order.name, 'its buyer submits it all the same');
      payer.insist(payment);
    });
  }
}
