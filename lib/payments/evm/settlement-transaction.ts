import { type Hex, hexToBytes, keccak256, parseTransaction } from 'viem';
import type { Charge, EvmSigned, Payment, PreparedTransaction } from '@/lib/payments/payment';
import { encodeBatch, multicall3 } from './calls';
import type { EvmChain } from './chain';
import type { Fees } from './fees';
import type { EvmSigner } from './signer';

export interface EvmCharge extends Charge {
  readonly payment: Payment<EvmSigned>;
}

/** A signed settlement transaction, ready to be broadcast. */
export interface SignedSettlement {
  readonly hash: Hex;
  readonly raw: Hex;
  readonly fees: Fees;
}

/** Gas of the transaction itself, of Multicall3's loop and of rounding. */
const gasOverhead = 60_000n;

/** Signs one transaction that tries every charge; without charges it only uses its nonce up. */
export function signSettlement(
  chain: EvmChain,
  signer: EvmSigner,
  nonce: number,
  charges: readonly EvmCharge[],
  fees: Fees,
): SignedSettlement {
  const { chainId, gasPerPayment } = chain.offer.network;
  const raw = signer.signTransaction({
    type: 'eip1559',
    chainId,
    nonce,
    to: multicall3,
    data: encodeBatch(
      chain.token,
      charges.map(({ payment }) => payment),
    ),
    gas: gasOverhead + gasPerPayment * BigInt(charges.length),
    ...fees,
  });
  return { hash: keccak256(raw), raw, fees };
}

/** How the journal writes a settlement down. */
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
    raw: new Uint8Array(hexToBytes(raw)),
    charges,
  };
}

/** A settlement as it was written down, perhaps by a process that has died since. */
export function fromPrepared(prepared: PreparedTransaction): SignedSettlement {
  const raw: Hex = `0x${Buffer.from(prepared.raw).toString('hex')}`;
  const { maxFeePerGas = 0n, maxPriorityFeePerGas = 0n } = parseTransaction(raw);
  return { hash: keccak256(raw), raw, fees: { maxFeePerGas, maxPriorityFeePerGas } };
}

/** The charges of an EVM network carry EVM payments: the rails bind payments to the networks they name. */
export function evmPayment(payment: Payment): Payment<EvmSigned> {
  if (payment.signed.family !== 'evm') throw new Error(`not an EVM payment on ${payment.network}`);
  return { ...payment, signed: payment.signed };
}

/** A charge whose payment is known to be an EVM one. Throws when it is not. */
export function toEvmCharge({ paidCallId, payment }: Charge): EvmCharge {
  return { paidCallId, payment: evmPayment(payment) };
}
