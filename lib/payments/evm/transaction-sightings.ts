import { type Hex, type PublicClient, type TransactionReceipt, TransactionReceiptNotFoundError } from 'viem';

/** What nodes say about a transaction. */
export type Sighting =
  | { readonly kind: 'mined'; readonly receipt: TransactionReceipt }
  /**
   * Not in a block yet, but a node has included it in the block that is being built. The receipt's block number and hash mean
   * nothing.
   */
  | { readonly kind: 'preconfirmed'; readonly receipt: Pick<TransactionReceipt, 'status' | 'logs'> };

/** Whether a receipt names a block. Nodes that pre-confirm return a block hash of zeros, or none. */
export function isMined({
  blockHash,
  blockNumber,
}: {
  readonly blockHash?: string | null;
  readonly blockNumber?: bigint | string | null;
}): boolean {
  return Boolean(blockHash) && !/^0x0*$/.test(blockHash ?? '') && blockNumber != null;
}

/** Classifies a receipt by what it proves. */
export function toSighting(receipt: TransactionReceipt): Sighting {
  return { kind: isMined(receipt) ? 'mined' : 'preconfirmed', receipt };
}

/**
 * @returns null when the node has no such receipt, or returns another transaction's; throws when it does not respond
 */
export async function sightingAt(client: PublicClient, hash: Hex): Promise<Sighting | null> {
  try {
    const receipt = await client.getTransactionReceipt({ hash });
    return receipt.transactionHash === hash && Array.isArray(receipt.logs) ? toSighting(receipt) : null;
  } catch (error) {
    if (error instanceof TransactionReceiptNotFoundError) return null;
    throw error;
  }
}

/**
 * What several nodes agree on: the same block and the same effects. Where some have pre-confirmed the transaction and others
 * have it in a block, it counts as pre-confirmed.
 */
export function commonSighting(sightings: readonly (Sighting | null)[]): Sighting | null {
  const [first, ...others] = sightings;
  if (!first) return null;
  for (const other of others) if (!other || effectsOf(other) !== effectsOf(first)) return null;
  const promised = sightings.find((sighting) => sighting?.kind === 'preconfirmed');
  if (promised) return promised;
  return sightings.every((sighting) => blockOf(sighting) === blockOf(first)) ? first : null;
}

function effectsOf({ receipt: { status, logs } }: Sighting): string {
  const described = logs.map(({ address, topics, data }) => [address.toLowerCase(), topics, data]);
  return JSON.stringify([status, described]);
}

function blockOf(sighting: Sighting | null): string | null {
  return sighting?.kind === 'mined' ? sighting.receipt.blockHash : null;
}
