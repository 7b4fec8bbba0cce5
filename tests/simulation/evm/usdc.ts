import secp256k1 from 'secp256k1';
import { domainSeparator, type Hex } from 'viem';
import { keccak256 } from '@/lib/payments/evm/keccak';
import type { EvmNetwork } from '@/lib/payments/network-offers';
import { type Call, type Contract, failed, type Result, succeeded } from './call';
import { GasMeter } from './gas';
import { type Frame, keys } from './state';
import { selectors, topics, typeHashes, usdcOwner } from './usdc-words';
import { encodeBytes, encodeRevert, padded, WordReader, word } from './words';

/**
 * Circle's token as far as payments need it, with its texts and the order of its checks, as in `local/evm/usdc.sol`. Written from
 * the contract, not with our own encoders, so that a mistake in those shows.
 */

/** The gas of parts of a call besides storage. */
const gasOf = { call: 3_500, check: 300, signature: 7_300, contractSignature: 3_000, log: 1_900 } as const;

/** Half the order of the curve. */
const sMax = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n;
const magicValue = `0x1626ba7e${'0'.repeat(56)}`;

/** A condition of the contract does not hold. */
class Reverted extends Error {}

function require(condition: boolean, text: string): asserts condition {
  if (!condition) throw new Reverted(text);
}

const separators = new Map<EvmNetwork, Hex>();

/** Remembered, because it is needed for each signature. */
function separatorOf(network: EvmNetwork): Hex {
  const { chainId, usdc, usdcDomain } = network;
  const known = separators.get(network);
  if (known) return known;
  const separator = domainSeparator({ domain: { ...usdcDomain, chainId, verifyingContract: usdc as Hex } });
  separators.set(network, separator);
  return separator;
}

/** What is signed (EIP-712). @param struct its type and its fields, as words without 0x */
function digestOf(separator: Hex, struct: string): Buffer {
  const inner = keccak256(Buffer.from(struct, 'hex')).toString('hex');
  return keccak256(Buffer.from(`1901${separator.slice(2)}${inner}`, 'hex'));
}

/** What the owner of money signs, so that somebody else can move or cancel it. @param words the fields, without 0x */
export function authorizationDigest(
  network: EvmNetwork,
  kind: 'transfer' | 'receive' | 'cancel',
  words: string,
): Buffer {
  return digestOf(separatorOf(network), typeHashes[kind] + words);
}

/** The token of a network. */
export class Usdc {
  readonly address: Hex;
  readonly #separator: Hex;
  /** The signers of digests that were recovered already: the same payment is checked at every step of its way. */
  readonly #recovered = new Map<string, string | null>();

  constructor(network: EvmNetwork) {
    this.address = network.usdc.toLowerCase() as Hex;
    this.#separator = separatorOf(network);
  }

  readonly contract: Contract = (frame, call) => {
    const gas = new GasMeter(call.warm, gasOf.call);
    // The address of the implementation, and its code.
    gas.slot('implementation');
    gas.account('implementation');
    try {
      const data = this.#run(frame, call, gas);
      return succeeded(data, gas.used);
    } catch (error) {
      if (error instanceof Reverted)
        return failed(error.message ? encodeRevert(error.message) : '0x', gas.used);
      // The arguments are too short.
      if (error instanceof RangeError) return failed('0x', gas.used);
      throw error;
    }
  };

  #run(frame: Frame, call: Call, gas: GasMeter): Hex {
    const args = new WordReader(call.data, 4);
    switch (call.data.slice(0, 10)) {
      case selectors.transferParts:
      case selectors.transferBytes:
        this.#carryOut(frame, call, args, typeHashes.transfer, gas);
        return '0x';
      case selectors.receiveParts:
      case selectors.receiveBytes:
        require(args.address(32) === call.from, 'FiatTokenV2: caller must be the payee');
        this.#carryOut(frame, call, args, typeHashes.receive, gas);
        return '0x';
      case selectors.cancelParts:
      case selectors.cancelBytes:
        this.#cancel(frame, call, args, gas);
        return '0x';
      case selectors.authorizationState:
        gas.slot('a read');
        return `0x${word(frame.number(keys.authorization(args.address(0), args.word(32))))}`;
      case selectors.balanceOf:
        gas.slot('a read');
        return `0x${word(frame.number(keys.usdc(args.address(0))))}`;
      case selectors.domainSeparator:
        return this.#separator;
      case selectors.paused:
        return `0x${word(frame.number(keys.paused))}`;
      case selectors.isBlacklisted:
        return `0x${word(frame.number(keys.blocked(args.address(0))))}`;
      case selectors.transfer:
        this.#requireRunning(frame, gas);
        this.#requireNotBlocked(frame, call.from, gas);
        this.#requireNotBlocked(frame, args.address(0), gas);
        this.#transfer(frame, call.from, args.address(0), args.uint(32), gas);
        return `0x${word(1)}`;
      default:
        return this.#administrate(frame, call, args);
    }
  }

  #administrate(frame: Frame, { from, data }: Call, args: WordReader): Hex {
    switch (data.slice(0, 10)) {
      case selectors.pause:
      case selectors.unpause:
        require(from === usdcOwner, 'Pausable: caller is not the pauser');
        frame.set(keys.paused, data.startsWith(selectors.pause) ? 1n : 0n);
        return '0x';
      case selectors.blacklist:
      case selectors.unBlacklist:
        require(from === usdcOwner, 'Blacklistable: caller is not the blacklister');
        frame.set(keys.blocked(args.address(0)), data.startsWith(selectors.blacklist) ? 1n : 0n);
        return '0x';
      default:
        throw new Reverted('');
    }
  }

  #requireRunning(frame: Frame, gas: GasMeter): void {
    gas.slot(keys.paused);
    require(frame.number(keys.paused) === 0n, 'Pausable: paused');
  }

  #requireNotBlocked(frame: Frame, account: Hex, gas: GasMeter): void {
    gas.take(gasOf.check);
    gas.slot(keys.blocked(account));
    require(frame.number(keys.blocked(account)) === 0n, 'Blacklistable: account is blacklisted');
  }

  #carryOut(frame: Frame, call: Call, args: WordReader, type: string, gas: GasMeter): void {
    const [from, to] = [args.address(0), args.address(32)];
    this.#requireRunning(frame, gas);
    this.#requireNotBlocked(frame, from, gas);
    this.#requireNotBlocked(frame, to, gas);
    const now = BigInt(call.block.timestamp);
    require(now > args.uint(96), 'FiatTokenV2: authorization is not yet valid');
    require(now < args.uint(128), 'FiatTokenV2: authorization is expired');
    const nonce = args.word(160);
    this.#requireUnused(frame, from, nonce, gas);
    const struct = type + [0, 32, 64, 96, 128, 160].map((at) => args.word(at)).join('');
    this.#requireSignature(frame, call, from, struct, signatureIn(args, 192, call.data), gas);
    gas.take(gasOf.log);
    gas.write(keys.authorization(from, nonce), true);
    frame.set(keys.authorization(from, nonce), 1n);
    frame.log({
      address: this.address,
      topics: [topics.used, `0x${padded(from)}`, `0x${nonce}`],
      data: '0x',
    });
    this.#transfer(frame, from, to, args.uint(64), gas);
  }

  #cancel(frame: Frame, call: Call, args: WordReader, gas: GasMeter): void {
    this.#requireRunning(frame, gas);
    const [authorizer, nonce] = [args.address(0), args.word(32)];
    this.#requireUnused(frame, authorizer, nonce, gas);
    const struct = typeHashes.cancel + args.word(0) + nonce;
    this.#requireSignature(frame, call, authorizer, struct, signatureIn(args, 64, call.data), gas);
    gas.take(gasOf.log);
    gas.write(keys.authorization(authorizer, nonce), true);
    frame.set(keys.authorization(authorizer, nonce), 1n);
    const indexed = [topics.canceled, `0x${padded(authorizer)}`, `0x${nonce}`] as const;
    frame.log({ address: this.address, topics: indexed, data: '0x' });
  }

  #transfer(frame: Frame, from: Hex, to: Hex, value: bigint, gas: GasMeter): void {
    require(BigInt(from) !== 0n, 'ERC20: transfer from the zero address');
    require(BigInt(to) !== 0n, 'ERC20: transfer to the zero address');
    const balance = frame.number(keys.usdc(from));
    gas.slot(keys.usdc(from));
    require(value <= balance, 'ERC20: transfer amount exceeds balance');
    frame.set(keys.usdc(from), balance - value);
    const before = frame.number(keys.usdc(to));
    gas.take(gasOf.log);
    gas.write(keys.usdc(from), false);
    gas.slot(keys.usdc(to));
    gas.write(keys.usdc(to), before === 0n);
    frame.set(keys.usdc(to), before + value);
    const indexed = [topics.transfer, `0x${padded(from)}`, `0x${padded(to)}`] as const;
    frame.log({ address: this.address, topics: indexed, data: `0x${word(value)}` });
  }

  #requireUnused(frame: Frame, authorizer: Hex, nonce: string, gas: GasMeter): void {
    gas.slot(keys.authorization(authorizer, nonce));
    const isUsed = frame.number(keys.authorization(authorizer, nonce)) !== 0n;
    require(!isUsed, 'FiatTokenV2: authorization is used or canceled');
  }

  #requireSignature(
    frame: Frame,
    call: Call,
    signer: Hex,
    struct: string,
    signature: Hex,
    gas: GasMeter,
  ): void {
    const digest = digestOf(this.#separator, struct);
    if (frame.get(keys.code(signer)) === undefined) {
      gas.take(gasOf.signature);
      require(this.#recover(digest, signature) === signer, 'FiatTokenV2: invalid signature');
      return;
    }
    gas.take(gasOf.contractSignature);
    gas.account(signer);
    const data = encodeQuestion(digest, signature);
    const limit = Math.floor(((call.gas - gas.used) * 63) / 64);
    const answer: Result = call.machine.call(frame, {
      ...call,
      from: this.address,
      to: signer,
      data,
      gas: limit,
    });
    gas.take(answer.gasUsed);
    const isValid = answer.success && answer.data.slice(0, 66) === magicValue;
    require(isValid, 'FiatTokenV2: invalid signature');
  }

  #recover(digest: Buffer, signature: Hex): string {
    require(signature.length === 132, 'ECRecover: invalid signature length');
    const name = digest.toString('hex') + signature;
    let signer = this.#recovered.get(name);
    const s = BigInt(`0x${signature.slice(66, 130)}`);
    require(s <= sMax, "ECRecover: invalid signature 's' value");
    const v = Number(`0x${signature.slice(130)}`);
    require(v === 27 || v === 28, "ECRecover: invalid signature 'v' value");
    if (signer === undefined) {
      signer = recoverKey(digest, signature, v);
      this.#recovered.set(name, signer);
    }
    require(signer !== null, 'ECRecover: invalid signature');
    return signer;
  }
}

export function recoverKey(digest: Buffer, signature: Hex, v: number): string | null {
  try {
    const bytes = Buffer.from(signature.slice(2, 130), 'hex');
    const key = secp256k1.ecdsaRecover(bytes, v - 27, digest, false);
    return `0x${keccak256(key.subarray(1)).toString('hex', 12)}`;
  } catch {
    return null;
  }
}

const bytesSelectors: readonly string[] = [
  selectors.transferBytes,
  selectors.receiveBytes,
  selectors.cancelBytes,
];

/** A signature as one value: from its parts, or from the bytes at the offset that stands at `at`. */
function signatureIn(args: WordReader, at: number, data: string): Hex {
  if (bytesSelectors.includes(data.slice(0, 10))) return args.bytesAt(args.number(at));
  return `0x${args.word(at + 32)}${args.word(at + 64)}${args.word(at).slice(62)}`;
}

function encodeQuestion(digest: Buffer, signature: Hex): Hex {
  return `0x1626ba7e${digest.toString('hex')}${word(64)}${encodeBytes(signature)}`;
}
