import secp256k1 from 'secp256k1';
import {
  bytesToHex,
  type Hex,
  hexToBytes,
  parseTransaction,
  serializeTransaction,
  type TransactionSerializableEIP1559,
} from 'viem';
import { publicKeyToAddress } from 'viem/accounts';
import type { EvmSigned } from '@/lib/payments/evm/evm-signed';
import type { PreparedTransaction } from '@/lib/payments/journal';
import type { Charge } from '@/lib/payments/outcome';
import { isPayerProven, type Payment } from '@/lib/payments/payment';
import type { ContractCall } from '@/lib/payments/settlers';
import type { AccountCode } from './account-code';
import { encodeBatch } from './batcher';
import type { EvmChain } from './evm-chain';
import { type Fees, transactionGas } from './evm-gas';
import { keccak256 } from './keccak';

/**
 * A settlement key. Signs in native code, because JavaScript curves would take most of the time of preparing a
 * transaction.
 */
export class EvmSigner {
  readonly address: Hex;
  readonly #key: Uint8Array;

  constructor(privateKey: Hex) {
    this.#key = hexToBytes(privateKey);
    this.address = publicKeyToAddress(bytesToHex(secp256k1.publicKeyCreate(this.#key, false)));
  }

  /** The signed transaction as it is broadcast. Deterministic (RFC 6979), with low s. */
  signTransaction(transaction: TransactionSerializableEIP1559): Hex {
    const digest = keccak256(bytesOf(serializeTransaction(transaction)));
    const { signature, recid } = secp256k1.ecdsaSign(digest, this.#key);
    const hex = Buffer.from(signature).toString('hex');
    return serializeTransaction(transaction, {
      r: `0x${hex.slice(0, 64)}`,
      s: `0x${hex.slice(64)}`,
      yParity: recid,
    });
  }
}

/** Much faster than viem's conversion, which is written in JavaScript. */
function bytesOf(hex: Hex): Buffer<ArrayBuffer> {
  return Buffer.from(hex.slice(2), 'hex');
}

function hashOf(raw: Hex): Hex {
  return `0x${keccak256(bytesOf(raw)).toString('hex')}`;
}

export interface EvmCharge extends Charge {
  readonly payment: Payment<EvmSigned>;
  /** The payer's code when it was last read; undefined when it has not been read. */
  readonly code?: AccountCode | null;
  /** How often it failed in a mined transaction. */
  readonly failures?: number;
}

/**
 * Whether a charge is sent in a transaction of its own: its payer has code, or signed as a contract wallet. A payer whose
 * code is not known may join a group if its key signed, because each transfer has its own gas limit. A payment that
 * calls another contract takes more than that limit.
 */
export function isSentAlone({ code, payment }: EvmCharge): boolean {
  return Boolean(code) || !isPayerProven(payment) || payment.signed.call !== undefined;
}

/** A signed settlement transaction, ready to be broadcast. */
export interface SignedSettlement {
  readonly hash: Hex;
  readonly raw: Hex;
  readonly fees: Fees;
}

/**
 * Signs one transaction that attempts every charge. Without charges it only uses up its nonce.
 * @param cap gas limit of each transfer
 */
export async function signSettlement(
  chain: EvmChain,
  signer: EvmSigner,
  nonce: number,
  charges: readonly EvmCharge[],
  { fees, cap }: { fees: Fees; cap: bigint },
): Promise<SignedSettlement> {
  const batcher = await chain.batcher();
  const payments = charges.map(({ payment }) => payment);
  const raw = signer.signTransaction({
    type: 'eip1559',
    chainId: chain.offer.network.chainId,
    nonce,
    to: batcher.address,
    data: encodeBatch(batcher, chain.token, payments, cap),
    gas: transactionGas(chain.offer.network, payments, cap),
    ...fees,
  });
  return { hash: hashOf(raw), raw, fees };
}

/** Signs a transaction of the operator's own. */
export function signCall(
  chain: EvmChain,
  signer: EvmSigner,
  nonce: number,
  { to, data, gas }: ContractCall,
  fees: Fees,
): SignedSettlement {
  const { chainId } = chain.offer.network;
  const raw = signer.signTransaction({ type: 'eip1559', chainId, nonce, to, data, gas, ...fees });
  return { hash: hashOf(raw), raw, fees };
}

/** Signs the same transaction with other fees. */
export function signReplacement(signer: EvmSigner, { raw }: SignedSettlement, fees: Fees): SignedSettlement {
  const { chainId, nonce, to, data, gas } = parseTransaction(raw);
  // signSettlement sets both.
  if (chainId === undefined || nonce === undefined) throw new Error('not a settlement transaction');
  const replacement = signer.signTransaction({ type: 'eip1559', chainId, nonce, to, data, gas, ...fees });
  return { hash: hashOf(replacement), raw: replacement, fees };
}

/** A signed settlement as the journal records it. */
export function toPrepared(
  chain: EvmChain,
  signer: string,
  nonce: number,
  charges: readonly EvmCharge[],
  { hash, raw }: SignedSettlement,
): PreparedTransaction {
  return {
    network: chain.offer.network.name,
    signer,
    nonce: BigInt(nonce),
    hash,
    raw: bytesOf(raw),
    charges,
  };
}

/** A settlement as it was recorded, perhaps by a process that has died. */
export function fromPrepared(prepared: PreparedTransaction): SignedSettlement {
  const raw: Hex = `0x${Buffer.from(prepared.raw).toString('hex')}`;
  const { maxFeePerGas = 0n, maxPriorityFeePerGas = 0n } = parseTransaction(raw);
  return { hash: hashOf(raw), raw, fees: { maxFeePerGas, maxPriorityFeePerGas } };
}

/**
 * The EVM payment that is sent to the chain. Payments on an EVM network are always EVM payments, because the rails check the
 * network, or deposits that cover what was signed. Throws for other payments, which are never sent.
 */
export function evmPayment(payment: Payment): Payment<EvmSigned> {
  const { signed } = payment;
  if (signed.family === 'evm') return { ...payment, signed };
  const deposit = 'deposit' in signed ? signed.deposit : null;
  if (!deposit) throw new Error(`not an EVM payment on ${payment.network}`);
  const { authorization } = deposit;
  return {
    ...payment,
    authorization: authorization.nonce.toLowerCase(),
    amountAtomic: BigInt(authorization.value),
    payTo: authorization.to,
    signed: deposit,
  };
}

/** Throws when the payment is not an EVM payment. */
export function toEvmCharge({ paidCallId, payment }: Charge): EvmCharge {
  return { paidCallId, payment: evmPayment(payment) };
}
