import { keccak256, toHex } from 'viem';
import { retryAfterSeconds } from '@/lib/catalog/errors/api-error';
import type { Operation } from '@/lib/catalog/operation';
import { toPayment } from '@/lib/payments/evm/authorization';
import type { Payment } from '@/lib/payments/payment';
import { answerOf } from '@/tests/simulation/answers';
import type { Order } from '@/tests/simulation/buyers';
import { Account } from '@/tests/simulation/evm/accounts';
import { price } from '@/tests/simulation/payers/payer';
import type { ServiceProcess } from '@/tests/simulation/process';
import type { World } from '@/tests/simulation/world';
import { type Response, responseTo } from './responses';

/** A request of the client; its outcome is null while it waits. */
export interface ClientRequest {
  readonly number: number;
  outcome: Response | 'connection lost' | null;
}

interface ClientParts {
  readonly world: World;
  readonly operation: Operation;
  /** What a connection reaches; null when none can be made. */
  readonly server: () => ServiceProcess | null;
  readonly say: (what: string) => void;
}

export const payer = new Account('payer of the simulator');
const idempotencyKey = 'key 1';
const input = { order: 1 };
/** How long the client waits for a response, and before it tries again. */
const patienceMs = 60_000;
const retryMs = retryAfterSeconds * 1_000;
/** How long a request or a response takes to arrive. */
const travelMs = 20;
/** As long as in the 402s of the service. */
const validSeconds = 300;

/** A client that buys one call: it repeats its request, with the same payment and key, until a response says that nothing is open. */
export class Client {
  readonly #parts: ClientParts;
  readonly requests: ClientRequest[] = [];
  /** What it did and was told, for the checks. */
  readonly order: Order;
  isDone = false;
  /** Ends its connection. */
  cut: () => void = () => undefined;

  constructor(parts: ClientParts) {
    this.#parts = parts;
    this.order = {
      ...{ name: 'order1', operation: 'third-party', idempotencyKey, claimToken: null, accountId: null },
      payer: { name: 'the client', sign: () => this.#sign(), soloActs: [] },
      ...{ payments: [], requests: [], toStrangers: [], toWallet: [] },
    };
  }

  async buy(): Promise<void> {
    const { world, server, say } = this.#parts;
    const payment = this.#sign();
    this.order.payments.push(payment);
    for (;;) {
      const request: ClientRequest = { number: this.requests.length + 1, outcome: null };
      this.requests.push(request);
      const outcome = await this.#send(payment);
      request.outcome = outcome;
      say(outcome === 'connection lost' ? 'Has lost the connection.' : `Gets ${outcome.words}`);
      if (outcome !== 'connection lost' && outcome.isLast) break;
      await world.clock.sleep(retryMs);
      while (!server()) await world.clock.sleep(retryMs);
      say('Sends the same request with the same payment again.');
    }
    this.isDone = true;
  }

  async #send(payment: Payment): Promise<Response | 'connection lost'> {
    const { world, server, operation } = this.#parts;
    const { clock } = world;
    const sent = { payment, answer: null };
    let isCut = false;
    const lost = new Promise<'connection lost'>((resolve) => {
      this.cut = () => {
        isCut = true;
        resolve('connection lost');
      };
      clock.after(patienceMs, this.cut);
    });
    await clock.sleep(travelMs);
    const reached = isCut ? null : server();
    if (!reached) {
      this.order.requests.push(sent);
      return 'connection lost';
    }
    const buying = reached.buy({ operation: operation.id, payment, input, idempotencyKey });
    const responding = responseTo(operation, payment, buying).then(async (response) => {
      await clock.sleep(travelMs);
      return response;
    });
    const response = await Promise.race([responding, lost]);
    const answer = response === 'connection lost' ? null : await answerOf(buying);
    this.order.requests.push({ ...sent, answer });
    return response;
  }

  #sign(): Payment {
    const { offer, clock, payee } = this.#parts.world;
    const validBefore = BigInt(Math.floor(clock.now() / 1_000) + validSeconds);
    const nonce = keccak256(toHex('the call of the simulator'));
    const terms = { from: payer.address, to: payee, nonce };
    return toPayment(offer, {
      family: 'evm',
      authorization: { ...terms, value: `${price}`, validAfter: '0', validBefore: `${validBefore}` },
      signature: payer.authorize(offer.network, { ...terms, value: price, validAfter: 0n, validBefore }),
      signer: 'key',
    });
  }
}
