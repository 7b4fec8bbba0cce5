import { type Hex, type Log, type TransactionReceipt, toEventSelector } from 'viem';
import type { EvmSigned } from '@/lib/payments/evm/evm-signed';
import type { Payment } from '@/lib/payments/payment';

/** The transfer that one authorization made. */
export interface AuthorizedTransfer {
  readonly from: Hex;
  readonly nonce: Hex;
  readonly to: Hex;
  readonly valueAtomic: bigint;
}

const usedTopic = toEventSelector('AuthorizationUsed(address,bytes32)');
const transferTopic = toEventSelector('Transfer(address,address,uint256)');

/**
 * The transfers in a transaction that were authorized by a signature (EIP-3009), each with its authorization.
 *
 * The token logs the use of an authorization right before its transfer, with no log of its own in between. Only the pair
 * proves who paid with which authorization: in one transaction, anyone can use many zero-value authorizations next to a
 * single transfer.
 */
export function authorizedTransfers(logs: readonly Log[], token: string): AuthorizedTransfer[] {
  const ofToken = logs.filter(({ address }) => address.toLowerCase() === token.toLowerCase());
  return ofToken.flatMap(({ topics: [topic, authorizer, nonce] }, index) => {
    const transfer = ofToken[index + 1];
    if (topic?.toLowerCase() !== usedTopic || !authorizer || !nonce || !transfer) return [];
    const [transferred, from, to] = transfer.topics;
    if (transferred?.toLowerCase() !== transferTopic || !from || !to) return [];
    if (from.toLowerCase() !== authorizer.toLowerCase()) return [];
    const words = { from: addressIn(from), nonce: nonce.toLowerCase() as Hex, to: addressIn(to) };
    return [{ ...words, valueAtomic: BigInt(transfer.data) }];
  });
}

/** Each receipt is read once for all payments in it. */
const readReceipts = new WeakMap<readonly Log[], ReadonlySet<string>>();

/**
 * Whether a mined transaction made this payment: the token logged the use of its authorization, and with it a transfer of
 * exactly its amount to its payee. The status of a batch transaction does not prove that.
 */
export function carriesPayment(
  receipt: Pick<TransactionReceipt, 'status' | 'logs'>,
  { payer, authorization, payTo, amountAtomic, asset }: Payment<EvmSigned>,
): boolean {
  if (receipt.status !== 'success') return false;
  let seen = readReceipts.get(receipt.logs);
  seen ??= new Set(authorizedTransfers(receipt.logs, asset).map(nameOf));
  readReceipts.set(receipt.logs, seen);
  return seen.has(nameOf({ from: payer, nonce: authorization, to: payTo, valueAtomic: amountAtomic }));
}

function nameOf({
  from,
  nonce,
  to,
  valueAtomic,
}: Record<'from' | 'nonce' | 'to', string> & { valueAtomic: bigint }) {
  return `${from} ${nonce} ${to} ${valueAtomic}`.toLowerCase();
}

/** The address in a log topic, which is left-padded to 32 bytes. */
function addressIn(topic: Hex): Hex {
  return `0x${topic.slice(-40).toLowerCase()}`;
}
