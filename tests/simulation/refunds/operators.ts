import { paidStates } from '@/lib/ledger/states';
import { inTime } from '@/lib/platform/concurrency/in-time';
import { isPaymentFinal } from '@/packages/paywall/memory/memory-refund-triggers';
import type { PaidCallRow } from '@/packages/paywall/memory/memory-rows';
import { type Answer, answerOf } from '../answers';
import { type Buyers, isRequestOf, requestOf } from '../buyers';
import { areChannelsQuiet } from '../channels/checks';
import type { Dice } from '../dice';
import type { Fleet } from '../fleet';
import type { World } from '../world';
import { methodsFor, nextStep, refundAccount, type Task, tryStep } from './steps';
import { Treasury } from './treasury';

/** How long an operator waits for a page, and looks at it before the next step. */
const patienceMs = 25_000;
const pauseMs = 8_000;

/** A retry of a call whose refund is confirmed. */
interface LateRetry {
  readonly paidCallId: string;
  readonly answer: Answer;
}

/** Operators who refund calls, each until its refund is confirmed, whatever goes wrong. */
export class Operators {
  readonly #world: World;
  readonly #fleet: Fleet;
  readonly #buyers: Buyers;
  readonly treasury: Treasury;
  /** Retries of refunded calls. */
  readonly retries: LateRetry[] = [];
  /** How often a third party had been asked for a call when its refund was confirmed. */
  readonly askedBefore = new Map<string, number>();
  readonly #taken = new Set<string>();
  #working = 0;

  constructor(world: World, fleet: Fleet, buyers: Buyers) {
    this.#world = world;
    this.#fleet = fleet;
    this.#buyers = buyers;
    this.treasury = new Treasury(world);
    world.database.execute(({ account }) => account.insert({ id: refundAccount, revokedAt: null }));
  }

  /** Whether nobody refunds anything now. */
  get isOver(): boolean {
    return this.#working === 0;
  }

  /** Lets a number of operators refund calls that they find. */
  start(count: number): void {
    for (let index = 0; index < count; index += 1) {
      this.#working += 1;
      void this.#work(`operator${index}`).then(() => {
        this.#working -= 1;
      });
    }
  }

  async #work(name: string): Promise<void> {
    const { clock, log, database } = this.#world;
    const dice = this.#world.dice(name);
    for (;;) {
      await clock.sleep(dice.between(1, pauseMs));
      const call = this.#findCall(dice);
      if (!call && !this.#world.isFaulty) return;
      if (!call) continue;
      this.#taken.add(call.id);
      const method = dice.pick(methodsFor(call));
      log.say(name, `refunds ${call.id}, ${call.state}, by ${method}`);
      await this.#refund({
        name,
        call,
        method,
        dice,
        transfer: null,
        isUnreachable: false,
        changes: dice.chance(0.6) ? dice.between(1, 3) : 0,
      });
      if (database.tables.paidCall.get(call.id)?.state === 'refunded' && dice.chance(0.7))
        await this.#retry(call, dice);
      if (dice.chance(0.3)) return;
    }
  }

  /** A call that somebody complains about. Its payment need not be final yet. */
  #findCall(dice: Dice): PaidCallRow | null {
    const calls = this.#world.database.tables.paidCall.where(
      ({ id, state, creditedAccount }) =>
        ['delivered', 'kept', 'needs_attention'].includes(state) &&
        creditedAccount === null &&
        !this.#taken.has(id),
    );
    return calls.length > 0 && dice.chance(0.6) ? dice.pick(calls) : null;
  }

  /** Goes on until the refund is confirmed. One step is made at one of the processes, and may fail in every way. */
  async #refund(task: Task): Promise<void> {
    const { clock, log, services, database } = this.#world;
    const { id } = task.call;
    for (;;) {
      const rounds = database.tables.refund.where(({ paidCallId }) => paidCallId === id);
      const newest = rounds.toSorted((one, other) => one.round - other.round).at(-1) ?? null;
      if (newest?.state === 'confirmed' || this.#isLost(id) || this.#isNeverFinal(task.call)) break;
      const process = this.#fleet.any(task.dice);
      const stage = { app: process.refunds, world: this.#world, treasury: this.treasury };
      const step = tryStep(this.#world, () => nextStep(stage, task, newest));
      const done = await inTime(clock, step, patienceMs, 'is told nothing');
      log.say(task.name, `at ${process.id}, ${id}: ${done}`);
      await clock.sleep(task.dice.between(1, pauseMs));
    }
    this.askedBefore.set(id, services.asked.get(id) ?? 0);
  }

  /** Whether a reorganization has taken the payment away for good. */
  #isLost(paidCallId: string): boolean {
    const state = this.#world.database.tables.paidCall.get(paidCallId)?.state;
    return state !== undefined && !paidStates.includes(state) && !this.#world.isFaulty;
  }

  /** Whether nothing pays out what a voucher has paid for, as long as nobody pays through the channel again. */
  #isNeverFinal({ id, channelId }: PaidCallRow): boolean {
    if (channelId === null || this.#world.isFaulty || !areChannelsQuiet(this.#world)) return false;
    const { paidCall } = this.#world.database.tables;
    const row = paidCall.get(id);
    return row !== undefined && !isPaymentFinal(this.#world.database.tables, row);
  }

  /** The buyer asks once more for what was refunded. */
  async #retry(call: PaidCallRow, dice: Dice): Promise<void> {
    const { clock, log } = this.#world;
    const { id, authorization } = call;
    const isIts = (payment: { readonly authorization: string }) => payment.authorization === authorization;
    const order = this.#buyers.orders.find((one) => one.payments.some(isIts) && isRequestOf(one, call));
    const payment = order?.payments.find(isIts);
    if (!order || !payment) return;
    const answering = answerOf(this.#fleet.any(dice).buy(requestOf(order, payment)));
    const answer = await inTime(clock, answering, patienceMs, null).catch(() => null);
    log.say(order.name, `after its refund is answered: ${answer?.text ?? 'nothing'}`);
    if (answer) this.retries.push({ paidCallId: id, answer });
  }
}
