import type { IncomingMessage, ServerResponse } from 'node:http';
import { FairQueue } from '@/lib/concurrency/fair-queue';
import type { Clock } from '@/lib/platform/clock';

/** While somebody pays: so many unpaid answers at a time, then a pause for everybody else's work. */
const answersPerTick = 2;
const pauseMs = 2;
/** While somebody pays, one free call at a time is worked on, and the next is begun this long after it. */
const pauseAfterCallMs = 10;
/** A call that waits for something itself, such as the next response of a form, holds up the others no longer. */
const callMsMax = 100;
const waitingCallsMax = 2_000;

interface WaitingCall {
  begin(): Promise<unknown>;
  drop(): void;
}

/**
 * Lets paying requests past a flood of free work. A paid call takes some ten turns of the event loop, each of which would
 * wait for everything that has arrived; so while any is under way, what is not paid for is done a little at a time. With
 * nobody paying it is done at once.
 */
export class Throttle {
  readonly #clock: Pick<Clock, 'sleep'>;
  readonly #unpaid: (() => void)[] = [];
  readonly #calls = new FairQueue<WaitingCall>({ entriesMax: waitingCallsMax, weightMax: waitingCallsMax });
  #paying = 0;
  #isAnswering = false;
  #isCalling = false;

  constructor(clock: Pick<Clock, 'sleep'>) {
    this.#clock = clock;
  }

  /** How many requests count as paying now. */
  get paying(): number {
    return this.#paying;
  }

  /**
   * Counts a request as paying once its body is there, until its answer is sent or its connection is gone. One that never
   * ends its body is never worked on, so nothing has to wait for it.
   */
  countAsPaying(req: IncomingMessage, res: ServerResponse): void {
    let isCounted = false;
    let isClosed = false;
    const count = () => {
      if (isClosed) return;
      isCounted = true;
      this.#paying += 1;
    };
    if (hasNoBody(req)) count();
    else req.once('end', count);
    res.once('close', () => {
      isClosed = true;
      if (isCounted) this.#paying -= 1;
    });
  }

  /** Resolves when an unpaid request may be answered, in the order of asking. */
  unpaidTurn(): Promise<void> {
    if (this.#paying === 0 && this.#unpaid.length === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#unpaid.push(resolve);
      this.#answerUnpaid();
    });
  }

  /**
   * Resolves when work that nobody has paid for may be begun; those it is for take turns.
   * @param owners the client address, and within it whoever else is known
   * @param done resolves when the work is over
   * @returns false when too much waits already
   */
  callTurn(owners: readonly string[], done: Promise<unknown>): Promise<boolean> {
    if (this.#paying === 0 && this.#calls.size === 0) return Promise.resolve(true);
    return new Promise((resolve) => {
      const call: WaitingCall = {
        begin() {
          resolve(true);
          return done;
        },
        drop: () => resolve(false),
      };
      for (const dropped of this.#calls.add(call, { rank: 0, owners })) dropped.drop();
      void this.#beginCalls();
    });
  }

  #answerUnpaid(): void {
    if (this.#isAnswering) return;
    this.#isAnswering = true;
    const next = () => {
      const answers = this.#paying === 0 ? this.#unpaid.length : answersPerTick;
      for (const resolve of this.#unpaid.splice(0, answers)) resolve();
      if (this.#unpaid.length > 0) void this.#clock.sleep(pauseMs).then(next);
      else this.#isAnswering = false;
    };
    void this.#clock.sleep(pauseMs).then(next);
  }

  async #beginCalls(): Promise<void> {
    if (this.#isCalling) return;
    this.#isCalling = true;
    for (let call = this.#calls.take(); call; call = this.#calls.take()) {
      const done = call.begin();
      if (this.#paying === 0) continue;
      await Promise.race([done, this.#clock.sleep(callMsMax)]);
      await this.#clock.sleep(pauseAfterCallMs);
    }
    this.#isCalling = false;
  }
}

function hasNoBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0;
}
