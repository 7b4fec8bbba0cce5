import type { EvmNetwork } from '@/lib/payments/networks';

/**
 * Gas that one transfer may take. Ceilings, not costs. Circle's token takes some 40,000 to 90,000 when the payer has no
 * code. A payer with code has the token call that code, which may verify a P-256 signature in Solidity (200,000 to 350,000)
 * or by its precompile (less than 10,000): the former is too dear to be paid for here.
 */
export const transferGas = { withoutCode: 120_000n, withCode: 250_000n } as const;

/** Gas of a transaction before its first transfer, and of rounding. */
const transactionOverhead = 60_000n;
/** Gas that the batch itself takes per transfer: its calldata, its loop, its memory. */
const memberOverhead = 12_000n;

/** A call gets at most 63/64 of what is left (EIP-150), so for every cap a little more has to be there. */
function gasPerMember(network: EvmNetwork, cap: bigint): bigint {
  return (cap * 64n) / 63n + memberOverhead + network.postingGasPerPayment;
}

/** The gas limit of a transaction with so many transfers: enough for all even when each of them uses its own up. */
export function transactionGas(network: EvmNetwork, members: number, cap: bigint): bigint {
  return transactionOverhead + gasPerMember(network, cap) * BigInt(members);
}

/** Payments in one transaction at most, so that callers need not wait for very large groups. */
const membersMax = 100n;

/** How many payers without code can go out in one transaction on a network. */
export function groupSizeMax(network: EvmNetwork): number {
  const fitting =
    (network.gasPerTransactionMax - transactionOverhead) / gasPerMember(network, transferGas.withoutCode);
  return Number(fitting < membersMax ? fitting : membersMax);
}
