import { type Hex, keccak256, toHex } from 'viem';
import { toPayment } from '@/lib/payments/evm/authorization';
import type { EvmSigned, Payment } from '@/lib/payments/payment';
import { inTime } from '@/lib/platform/concurrency/in-time';
import type { Dice } from './dice';
import type { Told } from './engine-calls';
import { Account, usdcCalls } from './evm/accounts';
import type { Fleet } from './fleet';
import type { World } from './world';

/** The most that a client waits for an answer. */
const patienceMs = 60_000;
const price = 10_000n;

/** A purchase as its buyer saw it. */
export interface Purchase {
  readonly id: string;
  readonly payment: Payment<EvmSigned>;
  /** What was answered; empty when nothing was. */
  readonly told: Told[];
}

const payers = Array.from({ length: 8 }, (_, index) => new Account(`payer ${index}`));

/** Somebody with money. */
const patron = new Account('patron');

/** Buyers, who pay at random moments. */
export class Buyers {
  readonly #world: World;
  readonly #fleet: Fleet;
  readonly purchases: Purchase[] = [];
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
    const { clock, plan, log } = this.#world;
    const dice = this.#world.dice(`buyer ${index}`);
    await clock.sleep(dice.between(1, plan.faultyMs));
    const account = dice.pick(payers.slice(0, 4));
    const payment = this.#sign(account, index, dice);
    const purchase: Purchase = { id: `call${index}`, payment, told: [] };
    this.purchases.push(purchase);
    const validMs = payment.validBefore.getTime() - clock.now();
    const signer = account.address.slice(0, 8);
    log.say(purchase.id, `is signed by ${signer}, valid for ${Math.round(validMs / 1_000)} s`);
    if (dice.chance(0.15)) this.#actAlone(purchase, account, dice);
    const process = this.#fleet.any(dice);
    log.say(purchase.id, `is sent to ${process.id}`);
    const told = await inTime(
      clock,
      process.calls.buy(purchase.id, purchase.payment),
      patienceMs,
      null,
    ).catch((error: unknown) => String(error));
    log.say(purchase.id, `is told: ${told ?? 'nothing'}`);
    if (told === 'rejected' || told === 'refused' || told === 'settled' || told === 'unknown')
      purchase.told.push(told);
    if (told === 'refused' && dice.chance(0.5)) this.#insist(purchase, account, dice);
  }

  #sign(account: Account, index: number, dice: Dice): Payment<EvmSigned> {
    const { offer, clock } = this.#world;
    const seconds = BigInt(Math.floor(clock.now() / 1_000));
    const authorization = {
      from: account.address,
      to: this.#world.payee,
      value: price,
      validAfter: 0n,
      validBefore: seconds + BigInt(dice.between(31, 80)),
      nonce: keccak256(toHex(`${this.#world.seed} ${index}`)),
    };
    const { validBefore, nonce, from, to } = authorization;
    return toPayment(offer, {
      family: 'evm',
      authorization: { from, to, nonce, value: `${price}`, validAfter: '0', validBefore: `${validBefore}` },
      signature: account.authorize(offer.network, authorization),
      signer: 'key',
    });
  }

  /** The buyer submits or cancels the authorization without us, or spends the money. */
  #actAlone(purchase: Purchase, account: Account, dice: Dice): void {
    const { chain, clock, offer } = this.#world;
    const { authorization } = purchase.payment.signed;
    const kind = dice.pick(['submits', 'submits', 'cancels', 'spends'] as const);
    const to = offer.network.usdc as Hex;
    clock.after(dice.between(1, 40_000), () => {
      this.#world.happens(`buyer ${kind}`, purchase.id, `its buyer ${kind} it without us`);
      if (kind === 'submits') this.#submit(purchase, account);
      else if (kind === 'cancels') {
        const cancelled = account.cancel(offer.network, authorization.nonce);
        chain.act(account.address, {
          to,
          data: usdcCalls.cancelParts(account.address, authorization.nonce, cancelled),
        });
      } else {
        const all = chain.usdcOf(account.address);
        chain.act(account.address, { to, data: usdcCalls.transfer(payers[7]?.address ?? to, all) });
      }
    });
  }

  #submit({ payment }: Purchase, account: Account): void {
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
  #insist(purchase: Purchase, account: Account, dice: Dice): void {
    const { chain, clock, offer } = this.#world;
    clock.after(dice.between(1, 5_000), () => {
      if (!this.#world.isFaulty) return;
      this.#world.happens(
        'buyer submits a refused payment',
        purchase.id,
        'its buyer submits it all the same',
      );
      const data = usdcCalls.transfer(account.address, price);
      chain.act(patron.address, { to: offer.network.usdc as Hex, data });
      this.#submit(purchase, account);
    });
  }
}
