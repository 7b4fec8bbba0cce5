import type { SignatureProblem, TransferMismatch } from '@/lib/payments/refund-transfer';

/** Why a refund is not possible, or not now. For the operator: each says what to do. */
const messages = {
  call_not_found: 'There is no paid call with this id.',
  refund_not_found: 'There is no refund with this id.',
  call_not_refundable: 'Only calls that are delivered, kept or in needs_attention can be refunded.',
  already_refunded: 'The call has been refunded.',
  refund_open: 'Another refund of this call is open. Finish it or cancel it first.',
  deposit_credited:
    'The deposit was credited to its account and may be spent from there. It cannot be refunded.',
  payment_not_final:
    'The payment is not final yet. Try again when it has enough blocks above it; if a payment channel paid for the call, when the price is claimed and the claim is final.',
  reason_required: 'The call was delivered. Give a reason other than not_delivered.',
  note_required: 'The reason "other" needs a note.',
  not_on_chain: 'The call was paid from a prepaid account. Refund it into that account.',
  account_not_open: 'There is no open account with this id.',
  other_account: 'The call was paid from another account. It is refunded into that one.',
  network_not_configured: 'The network of the payment is not configured. Set its RPC URL.',
  network_unavailable: 'A node of the network does not answer. Nothing was recorded. Try again later.',
  not_a_hash: 'This is not the hash of a transaction on the network of the payment.',
  transaction_not_found: 'No block has this transaction. Try again when it has been mined.',
  nodes_disagree: 'The nodes do not agree about this transaction. Try again later.',
  transaction_failed: 'The transaction failed, so it moved nothing.',
  wrong_token: 'The transaction does not transfer our USDC on this network.',
  wrong_sender:
    'The transaction does not transfer from the treasury. If the sender is an address of yours, add it to REFUNDS_FROM_EVM or REFUNDS_FROM_SOLANA.',
  wrong_recipient: 'The transaction does not transfer to the payer of the call.',
  wrong_amount: 'The transaction does not transfer exactly the price of the call.',
  before_payment: 'The transaction is older than the payment.',
  transfer_used: 'The transfer of this transaction is another refund already.',
  transfer_found:
    'The chain has a transfer that looks like this refund. Record its transaction instead of cancelling.',
  treasury_pending:
    'A transaction of the treasury may be waiting for a block. Cancel the refund once it has been mined or dropped; on Solana, 150 blocks after a wallet was asked to sign it, which usually takes two minutes.',
  wallet_may_send:
    'A wallet was asked to sign this refund and may still send it. Decline it in the wallet, and cancel the refund ten minutes after the wallet was asked.',
  not_signed_by_treasury:
    'The wallet has not signed with the key of the treasury. Choose the account of the treasury in the wallet.',
  wallet_changed_transfer:
    'The wallet has signed something else than this refund. Nothing was sent. Use another wallet, or record a transfer that you make elsewhere.',
  would_fail:
    'The network would not carry out this transfer. Check that the treasury has enough USDC and can pay the fee. Nothing was sent.',
  sent_before:
    'A transfer of this refund was sent and may still arrive. If no block has it when its blockhash has expired, it can be signed again. That usually takes two minutes, and longer when Solana is slow.',
  in_a_block: 'A block has the transaction of this refund. It cannot be cancelled or replaced.',
  refund_over: 'The refund is confirmed or cancelled.',
  refund_changed: 'The refund has changed meanwhile. Look at it again.',
} as const satisfies Readonly<Record<string, string>> &
  Readonly<Record<TransferMismatch | SignatureProblem, string>>;

export type RefundProblem = keyof typeof messages;

/** A refund is not possible. Nothing was recorded and no money moved. */
export class RefundError extends Error {
  readonly code: RefundProblem;
  /** The transaction that the message is about, if any. */
  readonly transactionHash: string | null;

  constructor(code: RefundProblem, transactionHash: string | null = null, options?: ErrorOptions) {
    super(messages[code], options);
    this.code = code;
    this.transactionHash = transactionHash;
  }
}

/** The message of a problem. */
export function describeProblem(problem: RefundProblem): string {
  return messages[problem];
}
