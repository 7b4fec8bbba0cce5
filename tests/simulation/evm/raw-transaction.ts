import secp256k1 from 'secp256k1';
import type { Hex } from 'viem';
import { keccak256 } from '@/lib/payments/evm/keccak';

/** A transaction as a node keeps it. Addresses are in lower case. */
export interface Transaction {
  readonly hash: Hex;
  readonly from: Hex;
  readonly nonce: number;
  readonly to: Hex;
  readonly data: Hex;
  readonly value: bigint;
  readonly gas: number;
  readonly maxFeePerGas: bigint;
  readonly maxPriorityFeePerGas: bigint;
  readonly chainId: number;
  /** Whether nobody has to pay for its gas. */
  readonly isFree?: boolean;
  /** v, r and s. */
  readonly signature: readonly [number, Hex, Hex];
}

/** The bytes are not a transaction of this kind. */
export class NotATransaction extends Error {}

const fieldsOfTransaction = 12;
const fieldsThatAreSigned = 9;

/**
 * Reads a signed EIP-1559 transaction and recovers its sender. Written out, because viem's parser and curve take over a
 * millisecond.
 * @throws NotATransaction
 */
export function readTransaction(raw: string): Transaction {
  const bytes = Buffer.from(raw.slice(2), 'hex');
  if (bytes[0] !== 2) throw new NotATransaction('transaction type not supported');
  const list = itemAt(bytes, 1);
  const fields: { content: Buffer; end: number }[] = [];
  for (let at = list.start; at < list.end; ) {
    const { start, end } = itemAt(bytes, at);
    fields.push({ content: bytes.subarray(start, end), end });
    at = end;
  }
  if (fields.length !== fieldsOfTransaction || list.end !== bytes.length)
    throw new NotATransaction('rlp: input list has another number of elements');
  const content = (index: number) => fields[index]?.content ?? Buffer.alloc(0);
  const number = (index: number) => BigInt(`0x${content(index).toString('hex') || '0'}`);
  const hex = (index: number): Hex => `0x${content(index).toString('hex')}`;
  const digest = signedDigest(bytes.subarray(list.start, fields[fieldsThatAreSigned - 1]?.end ?? list.start));
  const signature = [Number(number(9)), hex(10), hex(11)] as const;
  return {
    hash: `0x${keccak256(bytes).toString('hex')}`,
    from: recover(digest, signature),
    chainId: Number(number(0)),
    nonce: Number(number(1)),
    maxPriorityFeePerGas: number(2),
    maxFeePerGas: number(3),
    gas: Number(number(4)),
    to: hex(5),
    value: number(6),
    data: hex(7),
    signature,
  };
}

/** The fields that are signed are a list of their own. */
function signedDigest(payload: Buffer): Buffer {
  const { length } = payload;
  let header: number[];
  if (length < 56) header = [0xc0 + length];
  else {
    const size = Buffer.from(length.toString(16).padStart(length > 0xffff ? 6 : 4, '0'), 'hex');
    const digits = length < 0x100 ? size.subarray(1) : size;
    header = [0xf7 + digits.length, ...digits];
  }
  return keccak256(Buffer.concat([Buffer.from([2, ...header]), payload]));
}

function recover(digest: Buffer, [parity, r, s]: Transaction['signature']): Hex {
  const digits = r.slice(2).padStart(64, '0') + s.slice(2).padStart(64, '0');
  try {
    const key = secp256k1.ecdsaRecover(Buffer.from(digits, 'hex'), parity, digest, false);
    return `0x${keccak256(key.subarray(1)).toString('hex', 12)}`;
  } catch {
    throw new NotATransaction('invalid transaction v, r, s values');
  }
}

/** Where the content of an RLP item begins and ends. */
function itemAt(bytes: Buffer, at: number): { start: number; end: number } {
  const first = bytes[at];
  if (first === undefined) throw new NotATransaction('rlp: value size exceeds available input length');
  if (first < 0x80) return { start: at, end: at + 1 };
  const kind = first < 0xc0 ? 0x80 : 0xc0;
  const short = first - kind;
  const sizeLength = short > 55 ? short - 55 : 0;
  const start = at + 1 + sizeLength;
  const length = sizeLength === 0 ? short : bytes.readUIntBE(at + 1, sizeLength);
  if (start + length > bytes.length)
    throw new NotATransaction('rlp: value size exceeds available input length');
  return { start, end: start + length };
}
