import { type Hex, keccak256, toHex } from 'viem';
import { toPayment } from '@/lib/payments/evm/authorization';
import type { Payment } from '@/lib/payments/payment';
import type { Dice } from '../dice';
import { Account, usdcCalls } from '../evm/accounts';
import type { WalletKind } from '../plan';
import type { World } from '../world';
import { type Payer, price, type SoloAct } from './payer';

const accounts = Array.from({ length: 8 }, (_, index) => new Account(`payer ${index}`));
/** Those who buy. The others only have money. */
const buying = 4;
/** Somebody with money. */
const patron = new Account('patron');

/** The payers on Base. Some cannot afford all that they buy. */
export function evmPayers(world: World): readonly Payer[] {
  const dice = world.dice('funds');
  world.chain.giveUsdc(patron.address, price * 1_000n);
  for (const { address } of accounts) world.chain.giveUsdc(address, price * BigInt(dice.pick([1, 4, 100])));
  return accounts.slice(0, buying).map((account, index) => {
    const kind = world.plan.wallets[index];
    return kind === undefined
      ? new EvmPayer(world, account)
      : new EvmPayer(world, account, new Wallet(world, account, kind));
  });
}

const refusals = ['no', 'reverts', 'burns'] as const;

/**
 * An account with code: a contract wallet (EIP-1271), or that of a key which has delegated to one (EIP-7702). Its code may
 * change its mind at any time, also between a simulation and the block.
 */
class Wallet {
  readonly signer: 'key' | 'wallet';
  readonly #world: World;
  readonly #dice: Dice;
  #refusal: (typeof refusals)[number] | null = null;

  constructor(world: World, { address }: Account, kind: WalletKind) {
    this.#world = world;
    this.#dice = world.dice(`wallet ${address}`);
    this.signer = kind === 'delegated' ? 'key' : 'wallet';
    const code: Hex =
      kind === 'delegated'
        ? `0xef0100${address.slice(2).toLowerCase()}`
        : `0x60${address.slice(2).toLowerCase()}`;
    world.chain.deployWallet(address, code, () => this.#refusal ?? 'yes');
  }

  /** For a while it accepts no signature. */
  refuse(): void {
    const { clock, plan } = this.#world;
    this.#refusal = this.#dice.pick(refusals);
    clock.after(Math.min(this.#dice.between(500, 15_000), plan.faultyMs), () => {
      this.#refusal = null;
    });
  }
}

class EvmPayer implements Payer {
  readonly #world: World;
  readonly #account: Account;
  readonly #wallet: Wallet | null;

  constructor(world: World, account: Account, wallet: Wallet | null = null) {
    this.#world = world;
    this.#account = account;
    this.#wallet = wallet;
  }

  get name(): string {
    return this.#account.address.slice(0, 8);
  }

  sign(text: string, dice: Dice): Payment {
    const { offer, clock, payee } = this.#world;
    const authorization = {
      from: this.#account.address,
      to: payee,
      value: price,
      validAfter: 0n,
      validBefore: BigInt(Math.floor(clock.now() / 1_000) + dice.between(31, 80)),
      nonce: keccak256(toHex(text)),
    };
    const { validBefore, nonce, from, to } = authorization;
    return toPayment(offer, {
      family: 'evm',
      authorization: { from, to, nonce, value: `${price}`, validAfter: '0', validBefore: `${validBefore}` },
      signature: this.#account.authorize(offer.network, authorization),
      signer: this.#wallet?.signer ?? 'key',
    });
  }

  /** Submitting is the most interesting of them. */
  get soloActs(): readonly SoloAct[] {
    const submits: SoloAct = { fault: 'buyer submits', run: (payment) => this.#submit(payment) };
    const wallet = this.#wallet;
    const refuses: SoloAct[] = wallet
      ? [{ fault: 'wallet changes its mind', run: () => wallet.refuse() }]
      : [];
    return [
      submits,
      submits,
      ...[...refuses, ...refuses, ...refuses],
      { fault: 'buyer cancels', run: (payment) => this.#cancel(payment) },
      { fault: 'buyer spends', run: () => this.#spend() },
    ];
  }

  #cancel(payment: Payment): void {
    const { offer } = this.#world;
    const { nonce } = authorizationOf(payment).authorization;
    const signature = this.#account.cancel(offer.network, nonce);
    this.#callToken(usdcCalls.cancelParts(this.#account.address, nonce, signature));
  }

  #spend(): void {
    const all = this.#world.chain.usdcOf(this.#account.address);
    this.#callToken(usdcCalls.transfer(patron.address, all));
  }

  #callToken(data: Hex): void {
    const { chain, offer } = this.#world;
    chain.act(this.#account.address, { to: offer.network.usdc as Hex, data });
  }

  insist(payment: Payment): void {
    const { chain, offer } = this.#world;
    const data = usdcCalls.transfer(this.#account.address, price);
    chain.act(patron.address, { to: offer.network.usdc as Hex, data });
    this.#submit(payment);
  }

  #submit(payment: Payment): void {
    const { authorization, signature } = authorizationOf(payment);
    const { from, nonce, validAfter, validBefore, value } = authorization;
    const words = {
      ...{ from, to: this.#world.payee, nonce },
      ...{ value: BigInt(value), validAfter: BigInt(validAfter), validBefore: BigInt(validBefore) },
    };
    this.#callToken(usdcCalls.transferParts(words, signature));
  }
}

function authorizationOf({ signed }: Payment) {
  if (signed.family !== 'evm') throw new Error('not a payment on Base');
  return signed;
}
