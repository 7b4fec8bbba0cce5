import type { Hex } from 'viem';
import { keccak256 } from '@/lib/payments/evm/keccak';

/** Bytes of a hexadecimal string. */
function bytesOf(hex: string): Buffer {
  return Buffer.from(hex.slice(2), 'hex');
}

export function hashOf(hex: string): Hex {
  return `0x${keccak256(bytesOf(hex)).toString('hex')}`;
}

export function hexOf(value: number | bigint): Hex {
  return `0x${value.toString(16)}`;
}

/** A number as a 32-byte word, without 0x. */
export function word(value: number | bigint): string {
  return value.toString(16).padStart(64, '0');
}

/** An address, or other digits, as a 32-byte word, without 0x. */
export function padded(hex: string): string {
  return hex.slice(2).toLowerCase().padStart(64, '0');
}

/** Bytes, padded to whole words. Without 0x before and after. */
function wholeWords(digits: string): string {
  return digits.padEnd(Math.ceil(digits.length / 64) * 64, '0');
}

/** `bytes` as ABI encoding has them: the length and the bytes. */
export function encodeBytes(hex: string): string {
  return word((hex.length - 2) / 2) + wholeWords(hex.slice(2));
}

/** What a Solidity contract returns when a condition with a text fails. */
export function encodeRevert(text: string): Hex {
  return `0x08c379a0${word(32)}${encodeBytes(`0x${Buffer.from(text).toString('hex')}`)}`;
}

/** The text of a revert; empty when it has none. */
export function revertText(data: string): string {
  if (!data.startsWith('0x08c379a0')) return '';
  const reader = new WordReader(data, 4);
  return bytesOf(reader.bytesAt(reader.number(0))).toString();
}

/** Reads ABI-encoded arguments. Positions are in bytes from the beginning of the arguments. @throws RangeError beyond the end */
export class WordReader {
  readonly #digits: string;

  /** @param start where the arguments begin, after the selector */
  constructor(data: string, start: number) {
    this.#digits = data.slice(2 + 2 * start);
  }

  word(at: number): string {
    const digits = this.#digits.slice(2 * at, 2 * at + 64);
    if (digits.length < 64) throw new RangeError('the arguments are too short');
    return digits;
  }

  number(at: number): number {
    return Number(this.uint(at));
  }

  uint(at: number): bigint {
    return BigInt(`0x${this.word(at)}`);
  }

  address(at: number): Hex {
    return `0x${this.word(at).slice(24)}`;
  }

  bytesAt(at: number): Hex {
    const length = this.number(at);
    const digits = this.#digits.slice(2 * (at + 32), 2 * (at + 32 + length));
    if (digits.length < 2 * length) throw new RangeError('the arguments are too short');
    return `0x${digits}`;
  }
}

/** One call of a batch, as either multicall contract takes it. */
export interface BatchedCall {
  readonly target: Hex;
  /** The gas limit, or whether it may fail. */
  readonly option: bigint;
  readonly data: Hex;
}

/** Reads `(address, uint256 | bool, bytes)[]`. */
export function decodeCalls(data: string): BatchedCall[] {
  const reader = new WordReader(data, 4);
  const array = reader.number(0);
  const first = array + 32;
  return Array.from({ length: reader.number(array) }, (_, index) => {
    const at = first + reader.number(first + 32 * index);
    return {
      target: reader.address(at),
      option: reader.uint(at + 32),
      data: reader.bytesAt(at + reader.number(at + 64)),
    };
  });
}

/** Encodes structs of words that end with bytes. @param before the words of each, without 0x */
export function encodeStructs(structs: readonly { readonly words: string; readonly data: Hex }[]): string {
  const bodies = structs.map(({ words, data }) => words + word(words.length / 2 + 32) + encodeBytes(data));
  let at = 32 * bodies.length;
  const offsets = bodies.map((body) => {
    const offset = word(at);
    at += body.length / 2;
    return offset;
  });
  return word(bodies.length) + offsets.join('') + bodies.join('');
}
