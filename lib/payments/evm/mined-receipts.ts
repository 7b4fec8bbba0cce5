import { type Hex, type PublicClient, type TransactionReceipt, TransactionReceiptNotFoundError } from 'viem';

/**
 * Whether a receipt names a block. Some nodes return one with a block hash of zeros, or none, before there is a block. It
 * proves nothing.
 */
export function isMined({
  blockHash,
  blockNumber,
}: {
  readonly blockHash?: string | null;
  readonly blockNumber?: bigint | string | null;
}): boolean {
  return Boolean(blockHash) && !/^0x0*$/.test(blockHash ?? '') && blockNumber != null;
}

/** @returns null when the node has no such receipt, or returns another transaction's; throws when it does not respond */
export async function receiptAt(client: PublicClient, hash: Hex): Promise<TransactionReceipt | null> {
  try {
    const receipt = await client.getTransactionReceipt({ hash });
    return receipt.transactionHash === hash && Array.isArray(receipt.logs) ? receipt : null;
  } catch (error) {
    if (error instanceof TransactionReceiptNotFoundError) return null;
    throw error;
  }
}

/** The receipt of a mined transaction of which all nodes say the same block and the same effects; otherwise null. */
export function commonReceipt(receipts: readonly (TransactionReceipt | null)[]): TransactionReceipt | null {
  const [first] = receipts;
  if (!first) return null;
  const isAgreed = receipts.every(
    (receipt) => receipt && isMined(receipt) && described(receipt) === described(first),
  );
  return isAgreed ? first : null;
}

function described({ status, logs, blockHash }: TransactionReceipt): string {
  return JSON.stringify([
    status,
    blockHash,
    logs.map(({ address, topics, data }) => [address.toLowerCase(), topics, data]),
  ]);
}
