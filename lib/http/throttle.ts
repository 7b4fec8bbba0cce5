import type { IncomingMessage, ServerResponse } from 'node:http';
import { FairQueue } from '@/lib/concurrency/fair-queue';
import type { Platform } from '@/lib/platform/platform';

/** How many unpaid responses are sent at a time while paid requests are under way. */
const answersPerTick = 2;
const waitingCallsMax = 2_000;

interface WaitingCall {
  begin(): Promise<unknown>;
  drop(): void;
}

/**
 * Lets paid requests past a flood of free ones. A paid call takes about ten turns of the event loop, and each would
 * wait for everything that has arrived. So while any is under way, unpaid work is done a little at a time, otherwise at
 * once.
 */
export class Throttle {
  readonly #app: Pick<Platform, 'clock' | 'timings'>;
  readonly #unpaid: (() => void)[] = [];
  readonly #calls = new FairQueue<WaitingCall>({ entriesMax: waitingCallsMax, weightMax: waitingCallsMax });
  #paying = 0;
  #isAnswering = false;
  #isCalling = false;

  constructor(app: Pick<Platform, 'clock' | 'timings'>) {
    this.#app = app;
  }

  /** How many paid requests are under way. */
  get paying(): number {
    return this.#paying;
  }

  /**
   * Counts a request as paid from the end of its body until its response is sent or its connection closed. A request
   * that never finishes its body does not hold up others.
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

  /** Resolves when an unpaid request may be answered, in order of arrival. */
  unpaidTurn(): Promise<void> {
    if (this.#paying === 0 && this.#unpaid.length === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#unpaid.push(resolve);
      this.#answerUnpaid();
    });
  }

  /**
   * Resolves when unpaid work may begin. Owners take turns.
   * @param owners the client's address, then finer owners such as the payer
   * @param done resolves when the work is over
   * @returns false when the queue is full
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
    const { clock, timings } = this.#app;
    const next = () => {
      const answers = this.#paying === 0 ? this.#unpaid.length : answersPerTick;
      for (const resolve of this.#unpaid.splice(0, answers)) resolve();
      if (this.#unpaid.length > 0) void clock.sleep(timings.throttle.unpaidPauseMs).then(next);
      else this.#isAnswering = false;
    };
    void clock.sleep(timings.throttle.unpaidPauseMs).then(next);
  }

  async #beginCalls(): Promise<void> {
    if (this.#isCalling) return;
    this.#isCalling = true;
    const { clock, timings } = this.#app;
    for (let call = this.#calls.take(); call; call = this.#calls.take()) {
      const done = call.begin();
      if (this.#paying === 0) continue;
      await Promise.race([done, clock.sleep(timings.throttle.callMaxMs)]);
      await clock.sleep(timings.throttle.callPauseMs);
    }
    this.#isCalling = false;
  }
}

function hasNoBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0;
}
