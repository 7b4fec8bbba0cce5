import { GroupCommit } from '@/lib/platform/concurrency/group-commit';
import { inTime } from '@/lib/platform/concurrency/in-time';
import { describeError } from '@/lib/platform/log';
import type { Platform } from '@/lib/platform/platform';
import type { NetworkName } from './network-offers';
import type { AvailableOffer, NetworkRegistry } from './network-registry';
import { mayConcernEverybody } from './outcome';
import type { Payment } from './payment';
import type { PaymentFeature } from './payment-feature';
import type { NetworkProblem } from './settlers';

/**
 * Withdraws networks and offers them again. A check runs at intervals. Between two of them, the first payment that fails for a
 * reason that may concern everybody makes the token itself be asked: a payer can make its own payment fail in any way, but
 * cannot pause the token. So one failing payment is enough when the token is paused, and no number of them withdraws a network
 * whose token says that nothing is wrong.
 */
export class NetworkWatch {
  readonly #app: Pick<Platform, 'clock' | 'log' | 'timings'>;
  readonly #networks: NetworkRegistry;
  /** Payments that fail at the same time share a question. It is asked after each of them has failed. */
  readonly #questions = new Map<NetworkName, GroupCommit<null, readonly NetworkProblem[]>>();
  readonly #features: readonly Pick<PaymentFeature, 'takes' | 'isWithdrawnAfterFailure'>[];
  /** What the token of a network stops, in words. */
  readonly #ofToken = new Map<NetworkName, readonly string[]>();
  /** When a failing payment withdrew a network, by the clock's `monotonic`. */
  readonly #withdrawnAt = new Map<NetworkName, number>();

  constructor(
    app: Pick<Platform, 'clock' | 'log' | 'timings'>,
    networks: NetworkRegistry,
    features: readonly Pick<PaymentFeature, 'takes' | 'isWithdrawnAfterFailure'>[],
  ) {
    this.#app = app;
    this.#features = features;
    this.#networks = networks;
    for (const { network, settler } of networks.all()) {
      const ask = async (failed: readonly null[]) => {
        const reading = settler.commonProblems();
        const problems = await inTime(app.clock, reading, app.timings.upkeep.checkNetworkWithinMs, null);
        if (!problems) throw new Error('nobody said in time what stops the payments');
        return failed.map(() => problems);
      };
      this.#questions.set(network.name, new GroupCommit(ask, { sizeMax: 10_000, inFlightMax: 1 }));
    }
  }

  /** What the token stops on a network, for everybody to read; empty when it stops nothing. */
  tokenProblems(name: NetworkName): readonly string[] {
    return this.#ofToken.get(name) ?? [];
  }

  /** Checks a network. If it fails, it is logged and not offered until a later check passes. Never rejects. */
  async check({ network, settler }: AvailableOffer): Promise<void> {
    const startedAt = this.#app.clock.monotonic();
    const problems = await problemsInTime(this.#app, () => settler.check());
    // A check that began before a payment failed may have asked the token too early.
    const isTooEarly = startedAt <= (this.#withdrawnAt.get(network.name) ?? Number.NEGATIVE_INFINITY);
    if (problems.length > 0 || !isTooEarly) this.#report(network.name, problems);
  }

  /**
   * Asks the token about a payment that failed, unless the reason shows that only this payment is affected.
   * @returns whether payments like this one are now withdrawn
   * @throws when the chain cannot be reached
   */
  async isWithdrawnAfter(payment: Payment, reason: string): Promise<boolean> {
    const offer = this.#networks.byName(payment.network);
    if (!offer || !mayConcernEverybody(reason)) return false;
    const { name } = offer.network;
    const problems = (await this.#questions.get(name)?.add(null)) ?? [];
    if (problems.length === 0)
      return this.#features.find((one) => one.takes(payment))?.isWithdrawnAfterFailure() ?? false;
    this.#withdrawnAt.set(name, this.#app.clock.monotonic());
    this.#report(name, problems);
    return true;
  }

  #report(name: NetworkName, problems: readonly NetworkProblem[]): void {
    const messages = problems.map(({ message }) => message);
    this.#ofToken.set(
      name,
      problems.flatMap(({ message, isOfToken }) => (isOfToken ? [message] : [])),
    );
    const isNews = messages.join() !== this.#networks.problems(name).join();
    this.#networks.report(name, messages);
    if (!isNews) return;
    const { log } = this.#app;
    if (messages.length > 0) log.error({ network: name, problems: messages }, 'this network is not offered');
    else log.info({ network: name }, 'this network is offered');
  }
}

/** What a check finds. One that does not end in time has found a problem too. */
export async function problemsInTime(
  { clock, timings }: Pick<Platform, 'clock' | 'timings'>,
  check: () => Promise<readonly NetworkProblem[]>,
): Promise<readonly NetworkProblem[]> {
  const { checkNetworkWithinMs } = timings.upkeep;
  const message = `the check took more than ${checkNetworkWithinMs / 1_000} seconds`;
  try {
    return await inTime(clock, check(), checkNetworkWithinMs, [{ message, advice: '' }]);
  } catch (error) {
    return [{ message: describeError(error).message, advice: '' }];
  }
}
