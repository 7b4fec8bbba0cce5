import type { EvmNetwork } from '@/lib/payments/networks';

/**
 * The gas limit of one transfer. Circle's token takes about 40,000 to 90,000 when the payer has no code. For a payer
 * with code the token calls that code, which may verify a P-256 signature with a precompile (less than 10,000) or in
 * Solidity (200,000 to 350,000), which is too expensive to pay for.
 */
export const transferGas = { withoutCode: 120_000n, withCode: 250_000n } as const;

/** Gas of a transaction outside of its transfers. */
const transactionOverhead = 60_000n;
/** Gas of the batch contract per transfer: calldata, loop and memory. */
const memberOverhead = 12_000n;

/** A call gets at most 63/64 of the remaining gas (EIP-150), so a little more than the limit must be available. */
function gasPerMember(network: EvmNetwork, cap: bigint): bigint {
  return (cap * 64n) / 63n + memberOverhead + network.postingGasPerPayment;
}

/** The gas limit of a transaction, enough even if every transfer uses its full limit. */
export function transactionGas(network: EvmNetwork, members: number, cap: bigint): bigint {
  return transactionOverhead + gasPerMember(network, cap) * BigInt(members);
}

/** The most payments in one transaction, so that callers do not wait for very large groups. */
const membersMax = 100n;

/** How many payments of payers without code fit into one transaction. */
export function groupSizeMax(network: EvmNetwork): number {
  const fitting =
    (network.gasPerTransactionMax - transactionOverhead) / gasPerMember(network, transferGas.withoutCode);
  return Number(fitting < membersMax ? fitting : membersMax);
}
