import {
  BATCH_SETTLEMENT_ADDRESS,
  BATCH_SETTLEMENT_DOMAIN,
  ERC3009_DEPOSIT_COLLECTOR_ADDRESS,
} from '@x402/evm';
import {
  type ContractFunctionArgs,
  decodeAbiParameters,
  type decodeFunctionData,
  domainSeparator,
  encodeAbiParameters,
  encodeErrorResult,
  encodeEventTopics,
  encodeFunctionResult,
  type Hex,
  toFunctionSelector,
} from 'viem';
import { batchSettlementAbi as abi } from '@/lib/payments/channels/batch-settlement-abi';
import type { EvmNetwork } from '@/lib/payments/network-offers';
import { type Call, type Contract, failed, succeeded } from './call';
import type { Frame } from './state';
import { recoverKey } from './usdc';
import { selectors } from './usdc-words';
import { encodeBytes, hashOf, padded, word } from './words';

/**
 * x402's batch settlement contract and its deposit collector as far as channels of keys need them, with the errors and events of
 * local/evm/batch-settlement.sol, and the order of its checks. Vouchers of contract wallets and reentrancy are left out. Gas is a
 * rough sum, which nothing compares.
 */

type Config = ContractFunctionArgs<typeof abi, 'nonpayable', 'initiateWithdraw'>[0];
type Claim = ContractFunctionArgs<typeof abi, 'nonpayable', 'claim'>[0][number];

export const settlementAddress = BATCH_SETTLEMENT_ADDRESS.toLowerCase() as Hex;
export const collectorAddress = ERC3009_DEPOSIT_COLLECTOR_ADDRESS.toLowerCase() as Hex;

const gasUsed = 120_000;
const [delayMin, delayMax] = [15 * 60, 30 * 86_400];
const sMax = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n;
const uint128Max = 2n ** 128n - 1n;
const zero = `0x${'0'.repeat(40)}`;

const textHash = (text: string) => hashOf(`0x${Buffer.from(text).toString('hex')}`).slice(2);
const typeHashes = {
  config: textHash(
    'ChannelConfig(address payer,address payerAuthorizer,address receiver,address receiverAuthorizer,address token,uint40 withdrawDelay,bytes32 salt)',
  ),
  voucher: textHash('Voucher(bytes32 channelId,uint128 maxClaimableAmount)'),
  refund: textHash('Refund(bytes32 channelId,uint256 nonce,uint128 amount)'),
  entry: textHash('ClaimEntry(bytes32 channelId,uint128 maxClaimableAmount,uint128 totalClaimed)'),
  batch: textHash(
    'ClaimBatch(ClaimEntry[] claims)ClaimEntry(bytes32 channelId,uint128 maxClaimableAmount,uint128 totalClaimed)',
  ),
};

/** By selector, because computing them again for each call would be most of its work. */
const functions = new Map(
  abi.flatMap((part) => (part.type === 'function' ? [[toFunctionSelector(part), part] as const] : [])),
);

function decode(data: Hex): ReturnType<typeof decodeFunctionData<typeof abi>> {
  const item = functions.get(data.slice(0, 10) as Hex);
  if (!item) throw new Error('there is no such function');
  const args = decodeAbiParameters(item.inputs, `0x${data.slice(10)}`);
  return { functionName: item.name, args } as never;
}

/** The call ends without effect, with this data. */
class Reverted extends Error {
  constructor(readonly data: Hex) {
    super('reverted');
  }
}

type ErrorName = Extract<(typeof abi)[number], { type: 'error' }>['name'];
function require(condition: boolean, errorName: ErrorName): asserts condition {
  if (!condition) throw new Reverted(encodeErrorResult({ abi, errorName } as never));
}

const is = (one: string, other: string) => one.toLowerCase() === other.toLowerCase();

export const named = {
  balance: (id: string) => `channel balance ${id}`,
  claimed: (id: string) => `channel claimed ${id}`,
  withdrawing: (id: string) => `channel withdrawing ${id}`,
  begunAt: (id: string) => `channel withdrawal ${id}`,
  refunds: (id: string) => `channel refunds ${id}`,
  due: (receiver: string, token: string) => `channels claimed ${receiver} ${token}`.toLowerCase(),
  paid: (receiver: string, token: string) => `channels settled ${receiver} ${token}`.toLowerCase(),
};

/**
 * The contract on a network.
 * @param speed how many times as fast the delay of a withdrawal passes
 */
export function batchSettlement({ chainId }: EvmNetwork, speed = 1): Contract {
  const separator = domainSeparator({
    domain: { ...BATCH_SETTLEMENT_DOMAIN, chainId, verifyingContract: BATCH_SETTLEMENT_ADDRESS },
  }).slice(2);
  return (frame, call) => {
    try {
      return succeeded(new Settlement(separator, frame, call, speed).run(call.data), gasUsed);
    } catch (error) {
      return failed(error instanceof Reverted ? error.data : '0x', gasUsed);
    }
  };
}

/** One call of the contract. */
class Settlement {
  constructor(
    readonly separator: string,
    readonly frame: Frame,
    readonly call: Call,
    readonly speed: number,
  ) {}

  run(data: Hex): Hex {
    const decoded = decode(data);
    const answer = (result: unknown) =>
      encodeFunctionResult({ abi, functionName: decoded.functionName, result } as never);
    const { frame } = this;
    switch (decoded.functionName) {
      case 'multicall':
        return answer(decoded.args[0].map((one) => this.run(one)));
      case 'deposit':
        this.#deposit(...decoded.args);
        return '0x';
      case 'claim':
        this.#claim(decoded.args[0]);
        return '0x';
      case 'claimWithSignature':
        this.#claimSigned(...decoded.args);
        return '0x';
      case 'settle':
        this.#settle(...decoded.args);
        return '0x';
      case 'refund': {
        const [config, wanted] = decoded.args;
        require(this.#actsForReceiver(config), 'NotAuthorizedToRefund');
        this.#refund(config, wanted);
        return '0x';
      }
      case 'refundWithSignature':
        this.#refundSigned(...decoded.args);
        return '0x';
      case 'initiateWithdraw':
        this.#beginWithdrawal(...decoded.args);
        return '0x';
      case 'finalizeWithdraw':
        this.#finishWithdrawal(...decoded.args);
        return '0x';
      case 'channels':
        return answer([
          frame.number(named.balance(decoded.args[0])),
          frame.number(named.claimed(decoded.args[0])),
        ]);
      case 'pendingWithdrawals':
        return answer([
          frame.number(named.withdrawing(decoded.args[0])),
          Number(frame.number(named.begunAt(decoded.args[0]))),
        ]);
      case 'refundNonce':
        return answer(frame.number(named.refunds(decoded.args[0])));
      case 'receivers':
        return answer([frame.number(named.due(...decoded.args)), frame.number(named.paid(...decoded.args))]);
      case 'getChannelId':
        return answer(this.#idOf(decoded.args[0]));
      case 'getVoucherDigest':
        return answer(this.#voucherDigest(...decoded.args));
      case 'getRefundDigest':
        return answer(this.#refundDigest(...decoded.args));
      case 'getClaimBatchDigest':
        return answer(this.#batchDigest(decoded.args[0]));
      case 'MIN_WITHDRAW_DELAY':
        return answer(delayMin);
      case 'MAX_WITHDRAW_DELAY':
        return answer(delayMax);
    }
  }

  #deposit(config: Config, amount: bigint, collector: Hex, data: Hex): void {
    require(amount > 0n, 'ZeroDeposit');
    require(collector !== zero, 'InvalidCollector');
    const id = this.#validId(config);
    const { frame, call } = this;
    const before = frame.number(named.balance(id));
    require(before + amount <= uint128Max, 'DepositOverflow');
    const held = frame.number(`usdc ${settlementAddress}`);
    const collect = `0x${textHash('collect(address,address,uint256,bytes32,bytes)').slice(0, 8)}${padded(config.payer)}${padded(config.token)}${word(amount)}${id.slice(2)}${word(160)}${encodeBytes(data)}`;
    this.#ask(collector, collect as Hex);
    require(frame.number(`usdc ${settlementAddress}`) === held + amount, 'DepositCollectionFailed');
    const balance = before + amount;
    frame.set(named.balance(id), balance);
    if (balance === amount && frame.number(named.claimed(id)) === 0n)
      this.#sayOfConfig('ChannelCreated', id, config);
    this.#say('Deposited', { channelId: id, sender: call.from }, [amount, balance]);
  }

  #claim(rows: readonly Claim[]): void {
    require(rows.length > 0, 'EmptyBatch');
    for (const row of rows) {
      require(this.#actsForReceiver(row.voucher.channel), 'NotAuthorizedToClaim');
      this.#claimRow(row);
    }
  }

  #claimSigned(rows: readonly Claim[], signature: Hex): void {
    const [first] = rows;
    require(first !== undefined, 'EmptyBatch');
    const authorizer = first.voucher.channel.receiverAuthorizer;
    require(isSignedBy(authorizer, this.#batchDigest(rows), signature), 'InvalidSignature');
    for (const row of rows) {
      require(is(row.voucher.channel.receiverAuthorizer, authorizer), 'NotReceiverAuthorizer');
      this.#claimRow(row);
    }
  }

  #claimRow({ voucher: { channel: config, maxClaimableAmount }, signature, totalClaimed }: Claim): void {
    const id = this.#validId(config);
    const { frame, call } = this;
    const before = frame.number(named.claimed(id));
    if (totalClaimed <= before) return;
    require(totalClaimed <= maxClaimableAmount, 'ClaimExceedsCeiling');
    require(totalClaimed <= frame.number(named.balance(id)), 'ClaimExceedsBalance');
    const signer = config.payerAuthorizer === zero ? config.payer : config.payerAuthorizer;
    require(isSignedBy(signer, this.#voucherDigest(id, maxClaimableAmount), signature), 'InvalidSignature');
    const amount = totalClaimed - before;
    frame.set(named.claimed(id), totalClaimed);
    const due = named.due(config.receiver, config.token);
    frame.set(due, frame.number(due) + amount);
    this.#say('Claimed', { channelId: id, sender: call.from }, [amount, totalClaimed]);
  }

  #settle(receiver: Hex, token: Hex): void {
    const { frame, call } = this;
    const amount = frame.number(named.due(receiver, token)) - frame.number(named.paid(receiver, token));
    if (amount === 0n) return;
    frame.set(named.paid(receiver, token), frame.number(named.due(receiver, token)));
    this.#pay(token, receiver, amount);
    this.#say('Settled', { receiver, token, sender: call.from }, [amount]);
  }

  #refundSigned(config: Config, amount: bigint, nonce: bigint, signature: Hex): void {
    const id = this.#idOf(config);
    require(nonce === this.frame.number(named.refunds(id)), 'InvalidRefundNonce');
    this.frame.set(named.refunds(id), nonce + 1n);
    const signed = this.#refundDigest(id, nonce, amount);
    require(isSignedBy(config.receiverAuthorizer, signed, signature), 'InvalidSignature');
    this.#refund(config, amount);
  }

  #refund(config: Config, wanted: bigint): void {
    require(wanted > 0n, 'ZeroRefund');
    const id = this.#idOf(config);
    const { frame, call } = this;
    const free = this.#free(id);
    const amount = least(wanted, free);
    if (amount === 0n) return;
    frame.set(named.balance(id), frame.number(named.balance(id)) - amount);
    const left = free - amount;
    if (frame.number(named.withdrawing(id)) > left) frame.set(named.withdrawing(id), left);
    if (frame.number(named.withdrawing(id)) === 0n) frame.set(named.begunAt(id), 0n);
    this.#pay(config.token, config.payer, amount);
    this.#say('Refunded', { channelId: id, sender: call.from }, [amount]);
    if (left === 0n) this.#sayOfConfig('ChannelClosed', id, config);
  }

  #beginWithdrawal(config: Config, amount: bigint): void {
    require(this.#actsForPayer(config), 'NotAuthorizedToInitiateWithdraw');
    const id = this.#idOf(config);
    const { frame, call } = this;
    require(frame.number(named.begunAt(id)) === 0n, 'WithdrawalAlreadyPending');
    require(amount > 0n, 'NothingToWithdraw');
    require(amount <= this.#free(id), 'WithdrawAmountExceedsAvailable');
    frame.set(named.withdrawing(id), amount);
    frame.set(named.begunAt(id), BigInt(call.block.timestamp));
    this.#say('WithdrawInitiated', { channelId: id }, [amount, call.block.timestamp + config.withdrawDelay]);
  }

  #finishWithdrawal(config: Config): void {
    require(this.#actsForPayer(config), 'NotAuthorizedToFinalizeWithdraw');
    const id = this.#idOf(config);
    const { frame, call } = this;
    const begunAt = frame.number(named.begunAt(id));
    require(begunAt > 0n, 'WithdrawalNotPending');
    const endsAt = Number(begunAt) + config.withdrawDelay / this.speed;
    require(call.block.timestamp >= endsAt, 'WithdrawDelayNotElapsed');
    const wanted = frame.number(named.withdrawing(id));
    frame.set(named.withdrawing(id), 0n);
    frame.set(named.begunAt(id), 0n);
    const free = this.#free(id);
    const amount = least(wanted, free);
    frame.set(named.balance(id), frame.number(named.balance(id)) - amount);
    if (amount > 0n) this.#pay(config.token, config.payer, amount);
    this.#say('WithdrawFinalized', { channelId: id, sender: call.from }, [amount]);
    if (free === amount) this.#sayOfConfig('ChannelClosed', id, config);
  }

  #free(id: Hex): bigint {
    return this.frame.number(named.balance(id)) - this.frame.number(named.claimed(id));
  }

  #actsForReceiver({ receiver, receiverAuthorizer }: Config): boolean {
    return is(this.call.from, receiver) || is(this.call.from, receiverAuthorizer);
  }

  #actsForPayer({ payer, payerAuthorizer }: Config): boolean {
    return is(this.call.from, payer) || (payerAuthorizer !== zero && is(this.call.from, payerAuthorizer));
  }

  #pay(token: Hex, to: Hex, amount: bigint): void {
    this.#ask(token, `${selectors.transfer}${padded(to)}${word(amount)}` as Hex);
  }

  #ask(to: Hex, data: Hex): void {
    const { frame, call } = this;
    const asked = { ...call, from: settlementAddress, to: to.toLowerCase() as Hex, data };
    const result = call.machine.call(frame, asked);
    if (!result.success) throw new Reverted(result.data);
  }

  #validId(config: Config): Hex {
    const { payer, receiver, receiverAuthorizer, token, withdrawDelay } = config;
    const isNamed = [payer, receiver, receiverAuthorizer, token].every((address) => address !== zero);
    require(isNamed, 'InvalidChannel');
    require(withdrawDelay >= delayMin && withdrawDelay <= delayMax, 'WithdrawDelayOutOfRange');
    return this.#idOf(config);
  }

  #idOf({ payer, payerAuthorizer, receiver, receiverAuthorizer, token, withdrawDelay, salt }: Config): Hex {
    const addresses = [payer, payerAuthorizer, receiver, receiverAuthorizer, token].map(padded).join('');
    return this.#digest(typeHashes.config + addresses + word(withdrawDelay) + salt.slice(2));
  }

  #voucherDigest(id: Hex, most: bigint): Hex {
    return this.#digest(typeHashes.voucher + id.slice(2) + word(most));
  }

  #refundDigest(id: Hex, nonce: bigint, amount: bigint): Hex {
    return this.#digest(typeHashes.refund + id.slice(2) + word(nonce) + word(amount));
  }

  #batchDigest(rows: readonly Claim[]): Hex {
    const entries = rows.map(({ voucher: { channel, maxClaimableAmount }, totalClaimed }) =>
      hashOf(
        `0x${typeHashes.entry}${this.#idOf(channel).slice(2)}${word(maxClaimableAmount)}${word(totalClaimed)}`,
      ).slice(2),
    );
    return this.#digest(typeHashes.batch + hashOf(`0x${entries.join('')}`).slice(2));
  }

  #digest(struct: string): Hex {
    return hashOf(`0x1901${this.separator}${hashOf(`0x${struct}`).slice(2)}`);
  }

  #say(eventName: string, args: Readonly<Record<string, Hex>>, values: readonly (bigint | number)[]): void {
    const topics = encodeEventTopics({ abi, eventName, args } as never) as Hex[];
    this.frame.log({
      ...{ address: settlementAddress, topics: topics.map((topic) => topic.toLowerCase() as Hex) },
      data: `0x${values.map((value) => word(value)).join('')}`,
    });
  }

  #sayOfConfig(eventName: 'ChannelCreated' | 'ChannelClosed', channelId: Hex, config: Config): void {
    const topics = encodeEventTopics({ abi, eventName, args: { channelId } }) as Hex[];
    const event = abi.find((part) => part.type === 'event' && part.name === eventName);
    const parameter = event && 'inputs' in event ? event.inputs[1] : undefined;
    const data = encodeAbiParameters([parameter] as never, [config] as never);
    this.frame.log({ address: settlementAddress, topics, data });
  }
}

/** The collector: takes the payer's authorization, whose nonce binds the channel, and hands the money on. */
export const depositCollector: Contract = (frame, call) => {
  if (!is(call.from, settlementAddress))
    return failed(`0x${textHash('OnlySettlement()').slice(0, 8)}`, gasUsed);
  const [payer, token, amount, id, data] = decodeAbiParameters(
    ['address', 'address', 'uint256', 'bytes32', 'bytes'].map((type) => ({ type })),
    `0x${call.data.slice(10)}`,
  ) as unknown as [Hex, Hex, bigint, Hex, Hex];
  const [after, before, salt, signature] = decodeAbiParameters(
    ['uint256', 'uint256', 'uint256', 'bytes'].map((type) => ({ type })),
    data,
  ) as unknown as [bigint, bigint, bigint, Hex];
  const nonce = hashOf(`0x${id.slice(2)}${word(salt)}`);
  const head = padded(payer) + padded(collectorAddress) + word(amount) + word(after) + word(before);
  const receive = `${selectors.receiveBytes}${head}${nonce.slice(2)}${word(224)}${encodeBytes(signature)}`;
  for (const asked of [receive, `${selectors.transfer}${padded(settlementAddress)}${word(amount)}`]) {
    const to = token.toLowerCase() as Hex;
    const result = call.machine.call(frame, { ...call, from: collectorAddress, to, data: asked as Hex });
    if (!result.success) return failed(result.data, gasUsed);
  }
  return succeeded('0x', gasUsed);
};

/** The smaller of two amounts. */
function least(one: bigint, other: bigint): bigint {
  return one < other ? one : other;
}

/** Strict: 65 bytes, low s, v of 27 or 28. */
function isSignedBy(signer: Hex, digest: Hex, signature: Hex): boolean {
  if (signer === zero || signature.length !== 132) return false;
  const v = Number(`0x${signature.slice(130)}`);
  if ((v !== 27 && v !== 28) || BigInt(`0x${signature.slice(66, 130)}`) > sMax) return false;
  const recovered = recoverKey(Buffer.from(digest.slice(2), 'hex'), signature, v);
  return recovered !== null && is(recovered, signer);
}
