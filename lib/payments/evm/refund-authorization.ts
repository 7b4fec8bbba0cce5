import { authorizationTypes } from '@x402/evm';
import { getAddress, type Hex, keccak256, toBytes } from 'viem';
import { type EvmSigned, evmSignedSchema } from '@/lib/payments/evm/evm-signed';
import type { EvmNetwork, Offer } from '@/lib/payments/network-offers';
import type { RefundTransfer, SignedTransfer } from '@/lib/payments/refund-transfer';
import { canonicalSignature, recognizeEvmPayment } from './authorization';
import { encodeTransfer } from './usdc-token';

/** The fields of the EIP-712 domain, which `eth_signTypedData_v4` requires among the types. */
const domainFields = [
  { name: 'name', type: 'string' },
  { name: 'version', type: 'string' },
  { name: 'chainId', type: 'uint256' },
  { name: 'verifyingContract', type: 'address' },
];

/**
 * The typed data that the treasury's wallet signs for the refund of a call, for `eth_signTypedData_v4`. Its nonce is derived
 * from the call. The token accepts each nonce once, so only one of all authorizations for a call is carried out, even of
 * those for a later refund of it.
 * @param validBefore in seconds
 */
export function authorizationToSign(
  offer: Offer<EvmNetwork>,
  transfer: RefundTransfer,
  validBefore: number,
): object {
  const { chainId, usdcDomain } = offer.network;
  return {
    types: { EIP712Domain: domainFields, ...authorizationTypes },
    primaryType: 'TransferWithAuthorization',
    domain: { ...usdcDomain, chainId, verifyingContract: getAddress(offer.asset) },
    message: authorizationOf(offer, transfer, validBefore),
  };
}

/** The calldata that carries out a signed authorization; null when the treasury has not signed it. */
export function acceptAuthorization(
  offer: Offer<EvmNetwork>,
  transfer: RefundTransfer,
  { signature, validBefore }: Extract<SignedTransfer, { family: 'evm' }>,
): Hex | null {
  const authorization = authorizationOf(offer, transfer, validBefore);
  const candidate = { family: 'evm', authorization, signature: canonicalSignature(signature) };
  const signed = evmSignedSchema.parse(candidate);
  return recognizeEvmPayment(offer, signed) && encodeTransfer(signed);
}

/** The nonce of every authorization for the refund of a call. */
export function refundNonce(paidCallId: string): Hex {
  return keccak256(toBytes(`tuppence refund of ${paidCallId}`));
}

function authorizationOf(
  { payTo }: Offer<EvmNetwork>,
  { paidCallId, recipient, amountAtomic }: RefundTransfer,
  validBefore: number,
): EvmSigned['authorization'] {
  return {
    from: getAddress(payTo),
    to: getAddress(recipient),
    value: amountAtomic.toString(),
    validAfter: '0',
    validBefore: String(validBefore),
    nonce: refundNonce(paidCallId),
  };
}
