import { BATCH_SETTLEMENT_ADDRESS, type ChannelConfig, ERC3009_DEPOSIT_COLLECTOR_ADDRESS } from '@x402/evm';
import {
  type ContractFunctionArgs,
  type EncodeFunctionDataParameters,
  encodeFunctionData,
  type Hex,
  keccak256,
  toHex,
} from 'viem';
import { batchSettlementAbi as abi } from '@/lib/payments/channels/batch-settlement-abi';
import { cumulativeMismatch } from '@/lib/payments/channels/channel';
import { ChannelDigests } from '@/lib/payments/channels/channel-digests';
import { readChannelPayload, toChannelPayment } from '@/lib/payments/channels/channel-payload';
import { type ChannelTerms, configOf } from '@/lib/payments/channels/channel-terms';
import type { Payment } from '@/lib/payments/payment';
import type { Answer } from '../answers';
import type { Fault } from '../coverage';
import type { Dice } from '../dice';
import { Account, usdcCalls } from '../evm/accounts';
import { hashOf } from '../evm/words';
import type { Payer, SoloAct } from '../payers/payer';
import type { World } from '../world';
import { type OnChain, readOnChain } from './contract';
import { termsOf } from './terms';

/** Whose vouchers a channel does not take. */
const somebody = new Account('somebody without a channel');

const payloads = new WeakMap<Payment, object>();

/** What a client sends for a payment of a channel. */
export function payloadOf(payment: Payment): object {
  const payload = payloads.get(payment);
  if (!payload) throw new Error('not a payment of a channel');
  return payload;
}

/** The channels that a history's plan has. */
export function openChannels(world: World): readonly ChannelPayer[] {
  const { channels } = world.plan;
  if (!channels) return [];
  const dice = world.dice('channels');
  const terms = termsOf(world.offer, channels.price, false);
  const payers = Array.from({ length: channels.count }, (_, index) => {
    // Some payers have several channels.
    const account = new Account(`payer of channel ${dice.chance(0.3) ? 0 : index}`);
    return new ChannelPayer(world, terms, account, index, channels.price);
  });
  for (const { address } of payers)
    world.chain.giveUsdc(address, channels.price * BigInt(dice.pick([3, 12, 60])));
  return payers;
}

/** A payer and one of its channels, as the official client treats it, who also makes every mistake with vouchers. */
export class ChannelPayer implements Payer {
  readonly id: Hex;
  readonly config: ChannelConfig;
  /** Everything that was signed for the channel: signatures by total. */
  readonly vouchers = new Map<bigint, Hex>();
  /** The nonces of its deposits. */
  readonly deposits = new Set<string>();
  readonly #world: World;
  readonly #terms: ChannelTerms;
  readonly #account: Account;
  readonly #digests: ChannelDigests;
  readonly #price: bigint;
  /** What it believes to have spent. */
  #total = 0n;

  constructor(world: World, terms: ChannelTerms, account: Account, index: number, price: bigint) {
    this.#world = world;
    this.#terms = terms;
    this.#account = account;
    this.#price = price;
    this.#digests = new ChannelDigests(terms.offer.network.chainId);
    this.config = configOf(terms, account.address, toHex(index, { size: 32 }));
    this.id = this.#digests.channelId(this.config);
  }

  get name(): string {
    return `${this.address.slice(0, 8)} by channel ${this.id.slice(0, 8)}`;
  }

  get address(): Hex {
    return this.#account.address;
  }

  /** What the contract says about the channel now. */
  get onChain(): OnChain {
    return readOnChain(this.#world, this.id);
  }

  sign(text: string, dice: Dice): Payment {
    const mistake = (fault: Fault) => this.#world.happens(fault, this.name, fault);
    const { balance, withdrawing, claimed } = this.onChain;
    const drawn = dice.next();
    const earlier = [...this.vouchers.keys()].filter((total) => total > 0n && total <= this.#total);
    if (drawn < 0.05) {
      mistake('a channel is forgotten');
      this.#total = claimed;
    } else if (drawn < 0.1 && earlier.length > 0) {
      mistake('an old voucher is signed again');
      return this.#pay(dice.pick(earlier), null);
    } else if (drawn < 0.13) {
      mistake('a voucher skips ahead');
      return this.#pay(this.#total + 2n * this.#price, null);
    }
    const total = this.#total + this.#price;
    const isShort = total > balance - withdrawing;
    if (drawn >= 0.13 && drawn < 0.16) {
      mistake('a voucher is signed by somebody else');
      return this.#pay(total, null, somebody);
    }
    if (isShort && drawn > 0.9) {
      mistake('a voucher is not covered');
      return this.#pay(total, null);
    }
    return this.#pay(total, isShort || drawn > 0.95 ? this.#deposit(text, dice) : null);
  }

  /** A request for a refund. @param amount null for everything */
  refundPayload(amount: bigint | null): object {
    return {
      type: 'refund',
      ...this.#voucher(this.#total),
      ...(amount === null ? {} : { amount: `${amount}` }),
    };
  }

  /** A deposit that the payer submits itself, without paying for anything. */
  depositAlone(text: string, dice: Dice): void {
    const payload = { type: 'deposit', ...this.#voucher(this.#total), deposit: this.#deposit(text, dice) };
    const read = readChannelPayload(this.#terms, this.#digests, payload, this.#world.clock.date());
    if (typeof read === 'string' || !read.deposit?.call) throw new Error('not a deposit');
    this.act(read.deposit.call);
  }

  withdraw(amount: bigint): void {
    this.#ask('initiateWithdraw', [this.config, amount]);
  }

  finishWithdrawal(): void {
    this.#ask('finalizeWithdraw', [this.config]);
  }

  #ask<Name extends 'initiateWithdraw' | 'finalizeWithdraw'>(
    functionName: Name,
    args: ContractFunctionArgs<typeof abi, 'nonpayable', Name>,
  ): void {
    const data = encodeFunctionData({ abi, functionName, args } as EncodeFunctionDataParameters);
    this.act({ to: BATCH_SETTLEMENT_ADDRESS, data });
  }

  act(call: { readonly to: Hex; readonly data: Hex }): void {
    this.#world.chain.act(this.address, call);
  }

  /** Learns from an answer what was spent. @returns whether its 402 says more about the channel */
  learn(payment: Payment, answer: Answer): boolean {
    const total = totalOf(payment);
    if (answer.kind === 'answered' && total > this.#total) this.#total = total;
    return answer.kind === 'refused' && answer.text.endsWith(cumulativeMismatch);
  }

  /** The channel and the total that it would sign for, as a request names them. */
  get channelId(): Hex {
    return this.id;
  }

  get authorization(): string {
    return `${this.id}:${this.#total}`;
  }

  /** Learns what a 402 says about the channel. */
  correct({ voucherState }: Record<string, unknown>): void {
    const signed = isSigned(voucherState) ? BigInt(voucherState.signedMaxClaimable) : null;
    // What it has not signed itself is not believed.
    const isOwn = isSigned(voucherState) && this.vouchers.get(signed ?? -1n) === voucherState.signature;
    const { claimed } = this.onChain;
    this.#total = isOwn && signed !== null && signed >= claimed ? signed : claimed;
  }

  get soloActs(): readonly SoloAct[] {
    const { offer, chain } = this.#world;
    const onToken = (data: Hex) => this.act({ to: offer.network.usdc as Hex, data });
    const depositOf = ({ signed }: Payment) => (signed.family === 'channel' ? signed.deposit : null);
    return [
      {
        fault: 'buyer submits',
        run: (payment) => {
          const call = depositOf(payment)?.call;
          if (call) this.act(call);
        },
      },
      {
        fault: 'buyer cancels',
        run: (payment) => {
          const nonce = depositOf(payment)?.authorization.nonce;
          if (nonce)
            onToken(usdcCalls.cancelParts(this.address, nonce, this.#account.cancel(offer.network, nonce)));
        },
      },
      {
        fault: 'buyer spends',
        run: () => onToken(usdcCalls.transfer(somebody.address, chain.usdcOf(this.address))),
      },
    ];
  }

  #pay(total: bigint, deposit: object | null, signer = this.#account): Payment {
    const payload = {
      ...{ type: deposit ? 'deposit' : 'voucher', ...this.#voucher(total, signer) },
      ...(deposit ? { deposit } : {}),
    };
    const now = this.#world.clock.date();
    const read = readChannelPayload(this.#terms, this.#digests, payload, now);
    const { id: channelId, config } = this;
    const unread = { channelId, config, maxClaimableAtomic: total, signature: '0x', deposit: null } as const;
    const known =
      typeof read === 'string'
        ? { ...unread, kind: 'voucher' as const, refusal: read, refundAtomic: null }
        : read;
    const paying = toChannelPayment(this.#terms, known, this.#price, now);
    // What nobody can read is no voucher of the channel.
    const payment =
      known === read ? paying : { ...paying, authorization: `${paying.authorization}:unreadable` };
    payloads.set(payment, payload);
    return payment;
  }

  #voucher(total: bigint, signer = this.#account) {
    const signature = signer.sign(this.#digests.voucher(this.id, total));
    if (signer === this.#account) this.vouchers.set(total, signature);
    const voucher = { channelId: this.id, maxClaimableAmount: `${total}`, signature };
    return { channelConfig: this.config, voucher };
  }

  #deposit(text: string, dice: Dice): object {
    const { offer, clock } = this.#world;
    const salt = keccak256(toHex(text));
    const nonce = hashOf(`0x${this.id.slice(2)}${salt.slice(2)}`);
    const value = this.#price * BigInt(dice.between(2, 5));
    const validBefore = BigInt(Math.floor(clock.now() / 1_000) + dice.between(31, 80));
    const to = ERC3009_DEPOSIT_COLLECTOR_ADDRESS;
    const authorization = { from: this.address, to, value, validAfter: 0n, validBefore, nonce };
    const signature = this.#account.authorize(offer.network, authorization, 'receive');
    this.deposits.add(nonce);
    const signed = { validAfter: '0', validBefore: `${validBefore}`, salt, signature };
    return { amount: `${value}`, authorization: { erc3009Authorization: signed } };
  }
}

function isSigned(state: unknown): state is { signedMaxClaimable: string; signature: string } {
  return typeof state === 'object' && state !== null && 'signedMaxClaimable' in state;
}

export function totalOf({ authorization }: Pick<Payment, 'authorization'>): bigint {
  return BigInt(authorization.split(':')[1] ?? 0);
}
